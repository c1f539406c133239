"""The store's directories, made again where they are gone, and emptied where what they hold can be computed again."""

from __future__ import annotations

import os

from takeback.store.creation import DIRECTORIES
from takeback.store.durable import sync_directory


def make_directories(directory: str) -> None:
    for name in DIRECTORIES:
        try:
            os.mkdir(os.path.join(directory, name), 0o700)
        except FileExistsError:
            continue
        sync_directory(directory)


def forget_derived(directory: str) -> None:
    """Remove all derived files: a stat cache would vouch for files whose bytes are lost, and they would not be read."""
    place = os.path.join(directory, "derived")
    for name in os.listdir(place):
        try:
            os.unlink(os.path.join(place, name))
        except OSError:
            continue
