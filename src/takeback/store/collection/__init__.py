"""Keeping a store small while others use it: hot rows become packs, what nothing needs any more goes.

`maintenance.maintain` runs the steps, one file each: `history` notes the catalogue's rows for repair, `folding` moves
hot rows into packs, `condemning` copies what is needed out of packs that are mostly dead or small and condemns them,
`sweeping` removes condemned packs once everybody who may rely on them has ended, and what killed processes left.
Each step is one transaction, or several of which each leaves a whole store behind.
"""
