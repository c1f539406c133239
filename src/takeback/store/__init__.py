"""Bytes in, bytes out: packs, the catalogue, leases and locks. Knows nothing of workspaces, moves or restores."""
