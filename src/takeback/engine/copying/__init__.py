"""Copying history from one store to another: what is behind export, import, push and pull.

There is one operation, `operation.copy`, between two stores; an export file is a store, too (`takeback.store.exports`).
Its steps, a file each: `chosen` says which snapshots go, with their labels, pins and moves; `soundness` refuses rows
that takeback never writes; `landing` finds their place in the target; `wanted` follows what they need; `transfer` moves
the blobs that are missing, in batches, so that a copy that was cut short goes on where it was; `recording` writes the
rows in one transaction. Until that, nobody sees anything of it.
"""
