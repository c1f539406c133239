"""Repair: what a damaged store still holds, read without trusting anything, and put together into a store that is sound.

Bytes are believed if they hash to their names. So packs are read frame by frame, whatever the catalogue says; the
catalogue's rows are taken from it as far as it can be read, page by page if need be; and a new account of both is made
in memory (`candidate`), which the engine completes and checks before anything on disk is changed. Nothing that was
there is deleted: what is replaced goes to ``aside/``.
"""
