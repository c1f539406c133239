"""Places for packs, one file each; see `takeback.store.backend` for what they promise."""
