"""Names that a workspace never captures and never writes, wherever they stand.

``.git`` belongs to git: a restore that wrote into it could move refs or plant a hook. Linux and macOS filesystems may
fold case, HFS+ skips some invisible characters, and a Windows disk that is mounted (as under WSL) drops dots and spaces
at the end, takes ``git~1`` for it and names streams after a colon; so every spelling that counts there counts here.
Staging directories are our own and gone a moment later.
"""

from __future__ import annotations

from collections.abc import Collection

STAGE_PREFIX = ".takeback-stage-"
"""How a staging directory's name begins; `takeback.sources.workspace.place` makes and sweeps them."""

_INVISIBLE = dict.fromkeys([*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF])


_STORE = frozenset({"store.json", "catalogue.db", "packs"})


def is_store(names: Collection[str]) -> bool:
    """Whether a directory with these entries is a takeback store: a database in use, not files to be put back."""
    return "store.json" in names and _STORE.issubset(names)


def is_git_name(name: str) -> bool:
    """Whether some filesystem takes this name for ``.git``."""
    if name[:1] not in ".gG" and name.isascii():
        return False
    if not name.isascii():
        name = name.translate(_INVISIBLE)
    return name.partition(":")[0].rstrip(". ").lower() in (".git", "git~1")


def never_captured(name: str) -> bool:
    """Whether an entry of this name is left out whatever the rules say."""
    return (name[:1] in ".gG" or not name.isascii()) and (is_git_name(name) or name.startswith(STAGE_PREFIX))
