"""Whether a part that comes from elsewhere is one that a workspace could have written.

A tree's own code has already refused names that lead out of a directory. Here go the rest: what a restore would refuse
to write, or write and nobody would have captured. Integrity for all of it.
"""

from __future__ import annotations

from takeback.errors import Integrity
from takeback.model.ids import BlobKind
from takeback.model.snapshot import Part
from takeback.model.tree import DIRECTORY, LINK, Tree
from takeback.sources.trees import Reads
from takeback.sources.workspace import uncaptured
from takeback.sources.workspace.guard import decode_ignored
from takeback.sources.workspace.ignore.record import Pair
from takeback.sources.workspace.names import never_captured

_LONGEST_LINK = 1 << 16


def check_captured(tree: Tree) -> None:
    """One directory of a workspace: names and modes that it could have."""
    for name, entry in tree.items():
        if never_captured(name):
            raise Integrity(f"a tree holds the name {name!r}, which takeback never captures or writes")
        if entry.mode > 0o777:
            raise Integrity(f"a tree's entry {name!r} has the mode {entry.mode:o}, which takeback never captures")


def check_directory(tree: Tree) -> None:
    """One directory of anything: what its entries claim."""
    for name, entry in tree.items():
        if entry.mode > 0o7777:
            raise Integrity(f"a tree's entry {name!r} has the mode {entry.mode:o}, which no file has")
        if entry.kind == DIRECTORY and entry.size:
            raise Integrity(f"a tree gives the directory {name!r} a size")
        if entry.kind == LINK and not 0 < entry.size <= _LONGEST_LINK:
            raise Integrity(f"a tree gives the link {name!r} a target of {entry.size} bytes")


def check_link(target: bytes) -> None:
    """A link's target."""
    if b"\0" in target:
        raise Integrity(f"a link's target {target[:40]!r} cannot be one")


def check_documents(reads: Reads, part: Part) -> None:
    """What a part says beside its tree: the rules of its time, what was ignored, and what else was not captured."""
    Pair.decode(lambda blob: reads.get(blob, BlobKind.DOCUMENT), part.refs)
    if "ignored" in part.refs:
        decode_ignored(reads.get(part.refs["ignored"], BlobKind.DOCUMENT))
    if "uncaptured" in part.refs:
        uncaptured.decode(reads.get(part.refs["uncaptured"], BlobKind.DOCUMENT))


def check_detail(part: Part) -> None:
    """What a part must have, and what it tells people."""
    if "content" not in part.refs or "rules" not in part.refs:
        raise Integrity(f"the part {part.name!r} lacks its tree or its rules")
    context = part.detail.get("context", {})
    git = context.get("git") if isinstance(context, dict) else 0
    if not (git is None or (isinstance(git, dict) and all(_is_name(value) for value in git.values()))):
        raise Integrity(f"the part {part.name!r} says something about git that cannot be")


def _is_name(value: object) -> bool:
    return value is None or isinstance(value, str)
