"""Agents' snapshot files (`takeback.adapters.persist`) on the command line: which word is one, and how one is shown.

No framework is loaded for it: a file's metadata and hashes need none.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from takeback.cli import shapes
from takeback.errors import InvalidInput, NotFound, TakebackError
from takeback.model.ids import short
from takeback.model.sizes import format_size
from takeback.views.lines import Line, table

if TYPE_CHECKING:
    from takeback.adapters.persist.metadata import Metadata
    from takeback.cli.call import Call

_SUFFIXES = (".json.gz", ".json.zst")
_PLAINLY_PATHS = ("/", "./", "../", "~")


def named(call: Call, word: str) -> str | None:
    """The path of the snapshot file that a word names, where it could name a snapshot of the timeline as well."""
    path = call.absolute(word)
    if not os.path.isfile(path):
        return None
    from takeback.adapters.persist import layout

    if not word.endswith(_SUFFIXES) and not layout.is_snapshot(path):
        return None
    if word.startswith(_PLAINLY_PATHS):
        return path
    try:
        snapshot = call.line().show(word)
    except TakebackError:
        return path
    raise InvalidInput(
        f"{word} is both a file here and a name of snapshot {short(snapshot.id)}",
        hints=[f"for the file: ./{word}", f"for the snapshot: {short(snapshot.id)}"],
    )


def missing(call: Call, word: str) -> NotFound | None:
    """What to say of a word that is no snapshot, and is the name of such a file that is not there."""
    if not word.endswith(_SUFFIXES) or ":" in word:
        return None
    return NotFound(
        f"there is no file {call.absolute(word)}, and no snapshot is called so",
        hints=["check the path", "`takeback log` lists the snapshots"],
    )


def lines(metadata: Metadata) -> list[Line]:
    facts: list[Line] = [
        [("session", "quiet"), f"{metadata['session_id']}, snapshot {metadata['snapshot_index']}"],
        [("made", "quiet"), metadata["timestamp"]],
        [("hash", "quiet"), metadata["content_hash"]],
        [("size", "quiet"), size(metadata)],
    ]
    if metadata["description"]:
        facts.insert(0, [("about", "quiet"), metadata["description"]])
    head: Line = [("agent ", "quiet"), (metadata["agent_id"], "id"), (f"  {metadata['snapshot_id']}", "quiet")]
    return [head, *table(facts, indent=2)]


def size(metadata: Metadata) -> str:
    whole, packed = format_size(metadata["uncompressed_size"]), format_size(metadata["compressed_size"])
    return f"{whole}, {packed} as {metadata['compression_algorithm']}"


def shape(path: str, metadata: Metadata) -> shapes.Shape:
    return {"file": path, "metadata": metadata}
