"""What a container's part is made of: one tree.

::

    settings                what is needed to make the same container again
    filesystem/…            what differs from the image
    volumes/NAME/…          each volume, whole
    binds/DESTINATION/…     each bind mount that was asked for
    attributes/AREA         what trees do not hold of each of them (`takeback.sources.container.attributes`)

Whoever walks trees walks over it, and equal files are one blob, in whatever part they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from takeback.errors import Integrity
from takeback.model.ids import BlobKind
from takeback.model.tree import DIRECTORY, FILE, Entry, encode_tree
from takeback.sources import trees
from takeback.sources.container import attributes
from takeback.sources.container.attributes import Attributes
from takeback.sources.container.found import FILESYSTEM, IN_TREES, Found
from takeback.sources.trees import TreeView, Writes
from takeback.store.reader import Reader

SETTINGS = "settings"
ATTRIBUTES = "attributes"
_GROUPS = ("volumes", "binds")


def build(writer: Writes, settings: bytes, areas: Mapping[str, Iterable[Found]]) -> bytes:
    """The tree of a part with these areas; its id."""
    root = _Directory()
    root.entries[SETTINGS] = _file(writer, settings)
    for area, found in areas.items():
        lines: list[tuple[str, Attributes]] = []
        top = root.at(area.split("/"))
        directories = {"": top}
        for each in found:
            lines.append((each.path, attributes.of(each)))
            if each.kind not in IN_TREES:
                continue
            if each.kind == DIRECTORY:
                if each.path:
                    directories[each.path] = _above(directories, each.path).made(_name(each.path), each.mode)
                else:
                    top.mode = each.mode
            else:
                _above(directories, each.path).entries[_name(each.path)] = Entry(
                    each.kind, each.mode, each.size, each.id
                )
        root.at([ATTRIBUTES, *area.split("/")[:-1]]).entries[area.split("/")[-1]] = _file(
            writer, attributes.encode(lines)
        )
    return root.put(writer)


def areas_in(reader: Reader, content: bytes) -> list[str]:
    """The areas that a part has."""
    view = TreeView(reader, content)
    top = view.directory("")
    found = [FILESYSTEM] if FILESYSTEM in top else []
    return found + [f"{group}/{name}" for group in _GROUPS for name in view.directory(group)]


def found_in(reader: Reader, content: bytes, area: str) -> Iterator[Found]:
    """Everything that a part has of an area: parents before children, in the order of paths."""
    view = TreeView(reader, content)
    return joined(view.get(area), dict(view.below(area)), attributes_in(reader, content, area), area)


def joined(
    top: Entry | None, entries: Mapping[str, Entry], lines: Mapping[str, Attributes], area: str
) -> Iterator[Found]:
    """Entries, by their paths in a part, and attributes, by those in their area, as what they are together."""
    within = {path[len(area) + 1 :]: entry for path, entry in entries.items()}
    if top is not None:
        within[""] = top
    for path in sorted(within.keys() | lines.keys(), key=lambda each: each.split("/")):
        entry, known = within.get(path), lines.get(path)
        if entry is not None:
            if known is not None and known.kind:
                raise Integrity(f"the stored container has two things at {area}/{path}")
            yield _found(path, entry, known or Attributes())
        elif known is not None and known.kind:
            yield Found(
                path,
                known.kind,
                known.mode,
                known.uid,
                known.gid,
                known.mtime,
                0,
                device=known.device,
                xattrs=known.xattrs,
            )


def attributes_in(reader: Reader, content: bytes, area: str) -> dict[str, Attributes]:
    """The attributes of an area, by path."""
    entry = TreeView(reader, content).get(f"{ATTRIBUTES}/{area}")
    if entry is None:
        return {}
    if entry.kind != FILE:
        raise Integrity(f"the stored container has no attributes of {area}, but something else")
    return attributes.decode(b"".join(reader.stream(entry.id)))


def settings_in(reader: Reader, content: bytes) -> bytes:
    entry = TreeView(reader, content).get(SETTINGS)
    if entry is None or entry.kind != FILE:
        raise Integrity("the stored container has no settings")
    return b"".join(reader.stream(entry.id))


def area_of(path: str) -> str:
    """The area that a path of a part lies in; empty for settings and attributes."""
    first, _, rest = path.partition("/")
    if first == FILESYSTEM:
        return FILESYSTEM
    return f"{first}/{rest.partition('/')[0]}" if first in _GROUPS and rest else ""


def inside(area: str, path: str) -> str:
    """A path of a part as its area names it."""
    return path[len(area) + 1 :]


def _found(path: str, entry: Entry, known: Attributes) -> Found:
    size, id = (0, trees.NO_ID) if entry.kind == DIRECTORY else (entry.size, entry.id)
    return Found(
        path,
        entry.kind,
        entry.mode,
        known.uid,
        known.gid,
        known.mtime,
        size,
        id,
        (0, 0),
        known.xattrs,
        known.link,
        known.opaque,
    )


def _above(directories: Mapping[str, _Directory], path: str) -> _Directory:
    above = path.rpartition("/")[0]
    found = directories.get(above)
    if found is None:
        raise Integrity(f"{path[:80]!r} was found below what is no directory")
    return found


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _file(writer: Writes, data: bytes) -> Entry:
    return Entry(FILE, 0o600, len(data), writer.put(data, BlobKind.DATA))


class _Directory:
    """A directory that is being put together."""

    def __init__(self, mode: int = 0o755) -> None:
        self.mode = mode
        self.entries: dict[str, Entry] = {}
        self.inner: dict[str, _Directory] = {}

    def made(self, name: str, mode: int) -> _Directory:
        found = self.inner[name] = _Directory(mode)
        return found

    def at(self, names: Iterable[str]) -> _Directory:
        directory = self
        for name in names:
            directory = directory.inner.get(name) or directory.made(name, 0o755)
        return directory

    def put(self, writer: Writes) -> bytes:
        entries = dict(self.entries)
        for name, inner in self.inner.items():
            entries[name] = Entry(DIRECTORY, inner.mode, 0, inner.put(writer))
        return writer.put(encode_tree(entries), BlobKind.TREE)
