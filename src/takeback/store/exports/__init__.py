"""Export files: packs of a store's blobs and the rows of its history in one file, read and written as a store.

`container` is the format, `packed` the backend whose packs lie one after the other in a file, `reading` opens such a
file as a store that can only be read, and `writing` makes one. Copying into and out of a file is therefore copying
between two stores.
"""
