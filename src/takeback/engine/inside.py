"""Paths as somebody gives them, as a timeline names them."""

from __future__ import annotations

import os

from takeback.errors import InvalidInput


def inside(root: str, here: str, path: str) -> str:
    """A path, relative to the real directory ``here`` or absolute, from ``root``; InvalidInput if it is outside."""
    if not root:
        raise InvalidInput(
            f"{path!r} cannot be on this timeline: it is of no directory, and holds no files",
            hints=["`takeback show REF` names the parts that it holds, and `takeback show REF --part PART` shows one"],
        )
    try:
        if "\0" in path:
            raise ValueError("it holds a NUL")
        full = _as_stored(os.path.normpath(os.path.join(here, path)))
        forms = (full, _as_stored(os.path.realpath(os.path.dirname(full))) + "/" + os.path.basename(full))
    except ValueError as error:
        raise InvalidInput(f"{path!r} is no path: {error}", hints=["name a path inside the root"]) from None
    for form in forms:
        if form == root:
            return ""
        if form.startswith(root.rstrip("/") + "/"):
            return form[len(root.rstrip("/")) + 1 :]
    raise InvalidInput(
        f"{path!r} is outside of {root}, which is the root of this timeline",
        hints=["name a path inside it; relative paths start at the current directory"],
    )


def _as_stored(path: str) -> str:
    """A path as the file system's bytes, whatever the locale is."""
    return os.fsencode(path).decode("utf-8", "surrogateescape")
