"""Packs: frames of blobs sealed together, how they are written in the background, and how large blobs are cut."""
