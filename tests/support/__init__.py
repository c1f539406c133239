"""What tests share. Import it by name: `from support.trees import make_tree, read_tree`."""
