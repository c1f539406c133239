"""Looking at the present without recording it: what diff and every plan do, also where the store can only be read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from blake3 import blake3

from takeback.engine.line import Line
from takeback.store.writer import Writer


@contextmanager
def looking(line: Line) -> Iterator[Writer]:
    """A writer to capture into, and to abandon. The roots are locked meanwhile."""
    with line.locked():
        if not line.blobs.readonly:
            with line.writer() as writer:
                yield writer
            return
        with line.blobs.scratch() as writer:
            writer.scope = blake3(line.name.encode()).hexdigest()[:16]  # as in `Line.writer`
            yield writer
