"""Python values as canonical, typed bytes, split into blobs that grown and repeated values share."""
