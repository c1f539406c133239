"""Where large blobs are cut: FastCDC, so that an insert or an append moves only the cuts around it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

SMALLEST = 16 << 10
AVERAGE = 64 << 10
LARGEST = 256 << 10
LARGE = 1 << 20
"""Data longer than this is stored in chunks."""
LARGE_TREE = LARGEST
"""So are trees longer than this, which are those of some thousand entries: otherwise one more file in such a directory would
cost as much as all of its names and ids. What begins as a tree does counts as one, whatever it is put as: equal bytes are one
blob, which is in chunks or is not. What is no longer than this never is, so that no chunk is in chunks itself."""


class Chunker:
    """Cuts with the store's own seed, so that chunk lengths do not tell what a file is."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def cut(self, read: Callable[[int], bytes]) -> Iterator[bytes]:
        """The chunks of a stream; ``read(n)`` gives up to n bytes, none at its end."""
        from pyfastcdc import FastCDC

        cutter = FastCDC(AVERAGE, min_size=SMALLEST, max_size=LARGEST, seed=self._seed)
        for chunk in cutter.cut_stream(_Stream(read)):
            yield bytes(chunk.data)  # the view is valid only until the next cut


class _Stream:
    def __init__(self, read: Callable[[int], bytes]) -> None:
        self.read = read
