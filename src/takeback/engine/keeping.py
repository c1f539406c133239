"""A plan may be older than the lease under which it is applied: what it needs may have been dropped and condemned since."""

from __future__ import annotations

from collections.abc import Container, Iterable

from takeback.model.ids import BlobKind
from takeback.model.plan import Effect
from takeback.model.tree import DIRECTORY
from takeback.store.packs.chunking import LARGE_TREE
from takeback.store.writer import Writer


def keep_content(writer: Writer, effects: Iterable[Effect], documents: Container[str] = ()) -> None:
    """Store the content that effects lead to again where a collection is about to remove it. Integrity if it has.

    ``documents`` are the parts whose content leads on.
    """
    entries = set()
    for effect in effects:
        if effect.after is None or effect.after.kind == DIRECTORY or effect.merged is not None:
            continue
        if effect.part in documents:
            _keep_document(writer, effect.after.id)
        else:
            entries.add(effect.after)
    known = writer.known(entry.id for entry in entries)
    for entry in entries:
        if entry.id not in known or (entry.size > LARGE_TREE and not has_chunks(writer, entry.id)):
            writer.put_pieces(writer.reader.stream(entry.id))


def _keep_document(writer: Writer, root: bytes) -> None:
    """Store all of a document again that is not known: any piece of it may be condemned, whatever is with the others."""
    from takeback.documents.walking import load, walk

    reader = writer.reader
    for blob, found in walk(lambda blob: load(reader, blob), root, ()):
        known = writer.known((blob, *found.contents))
        for content in found.contents:
            if content not in known or (reader.in_chunks(content) and not has_chunks(writer, content)):
                writer.put_pieces(reader.stream(content))
        if blob not in known or (reader.in_chunks(blob) and not has_chunks(writer, blob)):
            writer.put(reader.get(blob, BlobKind.DOCUMENT), BlobKind.DOCUMENT)


def has_chunks(writer: Writer, blob: bytes) -> bool:
    """Whether the chunks of a large blob need not be put again; one that is whole has none."""
    if not writer.reader.in_chunks(blob):
        return True
    chunks = {chunk.id for chunk in writer.reader.recipe(blob).chunks}
    return writer.known(chunks) == chunks
