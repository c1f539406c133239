"""Reading the world back: which effects are not in place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from takeback.errors import Integrity, TakebackError
from takeback.model.plan import Effect
from takeback.sources.trees import MAX_DEPTH
from takeback.sources.workspace.names import never_captured
from takeback.sources.workspace.place.directories import Blocked, Directories
from takeback.sources.workspace.place.standing import holds, is_listed, look


def check_paths(effects: Iterable[Effect]) -> None:
    """Refuse paths that could lead out of the root or into git's own directory, before anything is touched."""
    seen: set[str] = set()
    sound: set[str] = set()
    for effect in effects:
        path = effect.path
        directory, slash, name = path.rpartition("/")
        if slash and directory not in sound:
            names = directory.split("/")
            if not all(map(_is_sound, names)):
                raise _unsound(path)
            if len(names) >= MAX_DEPTH:
                raise Integrity(f"a plan names the path {path[:60]!r}…, deeper than any. Nothing was changed.")
            sound.add(directory)
        if not _is_sound(name):
            raise _unsound(path)
        if path in seen:
            raise Integrity(f"a plan names the path {path!r} twice. Nothing was changed.")
        seen.add(path)


def _is_sound(name: str) -> bool:
    return name not in ("", ".", "..") and "\0" not in name and not never_captured(name)


def _unsound(path: str) -> Integrity:
    return Integrity(
        f"a plan names the path {path!r}, which takeback never writes. Nothing was changed.",
        hints=["`takeback verify` finds out what is damaged"],
    )


def unfinished(root: str, effects: Sequence[Effect]) -> tuple[Effect, ...]:
    """The effects that are not in place: kind, permissions, content and absence are read back from the disk."""
    check_paths(effects)
    directories = Directories(root)
    try:
        found = {
            id(effect) for effect in sorted(effects, key=lambda each: each.path) if not _in_place(directories, effect)
        }
    finally:
        directories.close()
    return tuple(effect for effect in effects if id(effect) in found)


def _in_place(directories: Directories, effect: Effect) -> bool:
    try:
        parent, name = directories.parent(effect.path)
        if effect.after is not None:
            return parent is not None and holds(parent, name, effect.after)
        return parent is None or look(parent, name) is None or not is_listed(parent, name)
    except Blocked:
        return effect.after is None  # something else stands above it, so nothing stands there
    except (OSError, TakebackError):
        return False
