"""A plan may be older than the lease under which it is applied: what it needs may have been dropped and condemned since."""

from __future__ import annotations

from collections.abc import Iterable

from takeback.model.plan import Effect
from takeback.model.tree import DIRECTORY
from takeback.store.packs.chunking import LARGE
from takeback.store.writer import Writer


def keep_content(writer: Writer, effects: Iterable[Effect]) -> None:
    """Store the content that effects lead to again where a collection is about to remove it. Integrity if it has."""
    entries = {
        effect.after
        for effect in effects
        if effect.after is not None and effect.after.kind != DIRECTORY and effect.merged is None
    }
    known = writer.known(entry.id for entry in entries)
    for entry in entries:
        if entry.id not in known or (entry.size > LARGE and not has_chunks(writer, entry.id)):
            writer.put_pieces(writer.reader.stream(entry.id))


def has_chunks(writer: Writer, blob: bytes) -> bool:
    """Whether the chunks of a large blob need not be put again."""
    chunks = {chunk.id for chunk in writer.reader.recipe(blob).chunks}
    return writer.known(chunks) == chunks
