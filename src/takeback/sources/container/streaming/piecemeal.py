"""A container's differences where the Engine does not show the directory that holds them: path by path.

The list of changes says which paths; an archive is asked for of each, of an added directory as a whole, and of a directory in
which many files changed as well, passing over the rest. Two names of one file are known as such only if they come in
the same archive. What lies below something that is mounted cannot be seen, and is no part of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from takeback.errors import NotFound
from takeback.model.tree import DIRECTORY, FILE
from takeback.sources.container.daemon import Daemon, Inspected, Mount
from takeback.sources.container.found import WHITEOUT, Found
from takeback.sources.container.streaming.archive import Archive
from takeback.sources.container.streaming.collecting import Collected, Wanted
from takeback.sources.container.streaming.delta import (
    ADDED,
    CHANGED,
    DELETED,
    Changes,
    as_listed,
    is_lossy,
    note_left_out,
)
from takeback.sources.container.streaming.transfer import archived, mode_at
from takeback.sources.trees import parents, within

_MANY = 64
"""So many changed files in a directory, and it is asked for as a whole: a request takes some ten milliseconds."""
_DIRECTORY = 1 << 31
_PIECE = 1 << 18


def read_piecemeal(daemon: Daemon, box: Inspected, collected: Collected, listed: Changes) -> None:
    """Everything that is listed, into ``collected``."""
    places = mounted(box)
    wanted = _with_parents({path: how for path, how in listed.items() if not _is_below(places, path)})
    living = {path.rpartition("/")[0] for path, how in wanted.items() if how != DELETED}
    whole: set[str] = set()
    asked: list[str] = []
    _add_top(daemon, box, collected, "")
    for path in sorted(wanted, key=lambda each: each.split("/")):
        how, above = wanted[path], path.rpartition("/")[0]
        holds_mount = any(within([path], place) for place in places)
        if above in whole:
            whole.add(path)
        elif how == DELETED and path in living:  # how some engines say that a directory was made anew
            _add_top(daemon, box, collected, path)
            collected.found[path] = collected.found[path]._replace(opaque=True)
        elif how == DELETED:
            _delete(collected, path)
        elif (how == CHANGED or holds_mount) and _is_directory(daemon, box, path):
            _add_top(daemon, box, collected, path)
        elif not holds_mount:
            asked.append(path)
            if how == ADDED:
                whole.add(path)
        else:
            del wanted[path]  # a file is mounted there, over an empty one
    _add_all(daemon, box, collected, wanted, asked)
    note_left_out(daemon, box.id, "", collected, wanted)


def read_mounted(daemon: Daemon, box: Inspected, mount: Mount, collected: Collected) -> None:
    """A volume or bind mount as the container itself has it, without what is mounted inside it."""
    place = mount.destination.strip("/")
    inner = [each[len(place) + 1 :] for each in mounted(box) if _is_below([place], each)]
    with archived(daemon, box.id, f"/{place}/.", _doing(box, place)) as pieces:
        collected.add(Archive(pieces, "."), "", lambda path: not _is_below(inner, path))


def read_file(daemon: Daemon, box: Inspected, path: str) -> Iterator[bytes]:
    """The bytes of one file of a container, piece by piece; NotFound if it is no file."""
    above, _, name = path.rpartition("/")
    inside = is_lossy(
        as_listed(name)
    )  # of a name that is not UTF-8 the Engine archives nothing, but its directory it does
    with archived(daemon, box.id, f"{above}/." if inside else path, _doing(box, path.lstrip("/"))) as pieces:
        archive = Archive(pieces, "." if inside else name)
        found = next((each for each in archive if each.path == (name if inside else "")), None)
        if found is None or found.kind != FILE:
            raise NotFound(f"{path} of the container {box.name!r} is no file any more")
        while piece := archive.read(_PIECE):
            yield piece


def _add_all(daemon: Daemon, box: Inspected, collected: Collected, wanted: Changes, asked: list[str]) -> None:
    """Each path by itself, or together with others of its directory: if they are many, or the list cannot spell one."""
    crowds = Counter(path.rpartition("/")[0] for path in asked)
    lossy = {path.rpartition("/")[0] for path in asked if is_lossy(path)}
    names = frozenset(path for path, how in wanted.items() if how != DELETED)
    for above in sorted(above for above, count in crowds.items() if above and (count > _MANY or above in lossy)):
        _add_whole(daemon, box, collected, above, lambda each: as_listed(each) in names and each not in collected.found)
    for path in asked:
        if path not in collected.found:
            _add_whole(daemon, box, collected, path, lambda each: True)


def _add_whole(daemon: Daemon, box: Inspected, collected: Collected, path: str, wanted: Wanted) -> None:
    """What is ``wanted`` of an archive of a path."""
    try:
        with archived(daemon, box.id, f"/{path}", _doing(box, path)) as pieces:
            collected.add(Archive(pieces, path.rpartition("/")[2]), path, wanted)
    except NotFound:
        pass  # gone meanwhile, or a name that the list does not spell


def _add_top(daemon: Daemon, box: Inspected, collected: Collected, path: str) -> None:
    """A directory without what is in it: the first entry of its archive, of which the rest is never sent."""
    with archived(daemon, box.id, f"/{path}/.", _doing(box, path)) as pieces:
        first = next(iter(Archive(pieces, ".")))
    collected.found[path] = Found(path, DIRECTORY, first.mode, first.uid, first.gid, first.mtime, xattrs=first.xattrs)


def _doing(box: Inspected, path: str) -> str:
    return f"read /{path} of the container {box.name!r}"


def _is_directory(daemon: Daemon, box: Inspected, path: str) -> bool:
    mode = mode_at(daemon, box.id, f"/{path}")
    return mode is not None and bool(mode & _DIRECTORY)


def _delete(collected: Collected, path: str) -> None:
    if is_lossy(path):
        collected.leave_out(path, "unreadable", "it was deleted, but the engine does not spell its name")
    else:
        collected.found[path] = Found(path, WHITEOUT)


def _with_parents(listed: Changes) -> dict[str, int]:
    """With the directories on the way, which some engines do not list."""
    found = dict(listed)
    for path in listed:
        for above in parents(path):
            found.setdefault(above, CHANGED)
    found.pop("", None)
    return found


def _is_below(places: Iterable[str], path: str) -> bool:
    return any(path != place and within([place], path) for place in places)


def mounted(box: Inspected) -> list[str]:
    """Where something is mounted, without the first slash."""
    return [str(each["Destination"]).strip("/") for each in box.raw.get("Mounts") or []]
