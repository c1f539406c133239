"""What a container's part is made of: one tree.

::

    settings                what is needed to make the same container again
    filesystem/…            what differs from the image
    volumes/NAME/…          each volume, whole
    binds/DESTINATION/…     each bind mount that was asked for
    attributes/AREA/…       what trees do not hold of each of their paths (`takeback.sources.container.attributes`)

Whoever walks trees walks over it, and equal files are one blob, in whatever part they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from takeback.errors import Integrity
from takeback.model.ids import BlobKind
from takeback.model.tree import DIRECTORY, FILE, Entry, encode_tree
from takeback.sources import trees
from takeback.sources.container import attributes
from takeback.sources.container.attributes import ATTRIBUTES, Attributes
from takeback.sources.container.found import FILESYSTEM, IN_TREES, Found
from takeback.sources.trees import TreeView, Writes
from takeback.store.reader import Reader

SETTINGS = "settings"
_GROUPS = ("volumes", "binds")
_PRIVATE = 0o600


def build(writer: Writes, settings: bytes, areas: Mapping[str, Iterable[Found]]) -> bytes:
    """The tree of a part with these areas; its id."""
    root = _Directory()
    root.entries[SETTINGS] = Entry(FILE, _PRIVATE, len(settings), writer.put(settings, BlobKind.DATA))
    lines = _Lines(writer)
    for area, found in areas.items():
        names = area.split("/")
        _fill(root.at(names), root.at([ATTRIBUTES, *names]), found, lines)
    return root.put(writer)


def _fill(top: _Directory, beside: _Directory, found: Iterable[Found], lines: _Lines) -> None:
    directories = {"": (top, beside)}
    for each in found:
        if not each.path:
            top.mode = each.mode
            beside.entries[attributes.own("")] = lines.put(each)
            continue
        above, _, name = each.path.rpartition("/")
        if above not in directories:
            raise Integrity(f"{each.path[:80]!r} was found below what is no directory")
        tree, aside = directories[above]
        aside.entries[attributes.own(name)] = lines.put(each)
        if each.kind == DIRECTORY:
            directories[each.path] = (tree.made(name, each.mode), _Later(aside, attributes.inside(name)))
        elif each.kind in IN_TREES:
            tree.entries[name] = Entry(each.kind, each.mode, each.size, each.id)


class _Lines:
    """Writes attributes, each different one once."""

    def __init__(self, writer: Writes) -> None:
        self._writer = writer
        self._known: dict[bytes, Entry] = {}

    def put(self, found: Found) -> Entry:
        data = attributes.encode(attributes.of(found))
        entry = self._known.get(data)
        if entry is None:
            entry = self._known[data] = Entry(FILE, _PRIVATE, len(data), self._writer.put(data, BlobKind.DATA))
        return entry


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
            if inner.entries or inner.inner or not isinstance(inner, _Later):
                entries[name] = Entry(DIRECTORY, inner.mode, 0, inner.put(writer))
        return writer.put(encode_tree(entries), BlobKind.TREE)


class _Later(_Directory):
    """A directory that is there only if something is in it."""

    def __init__(self, above: _Directory, name: str) -> None:
        super().__init__()
        above.inner[name] = self


def areas_in(reader: Reader, content: bytes) -> list[str]:
    """The areas that a part has."""
    view = TreeView(reader, content)
    found = [FILESYSTEM] if FILESYSTEM in view.directory("") else []
    return found + [f"{group}/{name}" for group in _GROUPS for name in view.directory(group)]


def found_in(reader: Reader, content: bytes, area: str) -> Iterator[Found]:
    """Everything that a part has of an area: parents before children."""
    view = TreeView(reader, content)
    top = view.get(area)
    if top is None or top.kind != DIRECTORY:
        raise Integrity(f"the stored container has no {area}")
    known = _Known(reader)
    yield _found("", top, known.at(view.get(attributes.beside(area, ""))))
    yield from _found_below(view, known, area, "")


def _found_below(view: TreeView, known: _Known, area: str, path: str) -> Iterator[Found]:
    """What is in a directory: what its tree holds, and what only its attributes tell of."""
    entries = view.directory(f"{area}/{path}" if path else area)
    beside = attributes.beside(area, f"{path}/" if path else "").removesuffix(attributes.own(""))
    said = view.directory(beside.rstrip("/"))
    names = {name.removesuffix(attributes.own("")) for name in said if name.endswith(attributes.own(""))} - {""}
    for name in sorted(entries.keys() | names):
        inner, entry = trees.join(path, name), trees.bare(entries.get(name))
        more = known.at(said.get(attributes.own(name)))
        if entry is None:
            if more.kind:
                yield Found(
                    inner, more.kind, more.mode, more.uid, more.gid, more.mtime, device=more.device, xattrs=more.xattrs
                )
            continue
        if more.kind:
            raise Integrity(f"the stored container has two things at {area}/{inner}")
        yield _found(inner, entry, more)
        if entry.kind == DIRECTORY:
            yield from _found_below(view, known, area, inner)


class _Known:
    """Reads attributes, each different one once."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._known: dict[bytes, Attributes] = {}

    def at(self, entry: Entry | None) -> Attributes:
        if entry is None or entry.kind != FILE:
            return Attributes()
        found = self._known.get(entry.id)
        if found is None:
            found = self._known[entry.id] = attributes.decode(self._reader.get(entry.id, BlobKind.DATA))
        return found


def settings_in(reader: Reader, content: bytes) -> bytes:
    entry = TreeView(reader, content).get(SETTINGS)
    if entry is None or entry.kind != FILE:
        raise Integrity("the stored container has no settings")
    return b"".join(reader.stream(entry.id))


def area_of(path: str) -> str:
    """The area that a path of a part lies in, or that it tells the attributes of; empty for settings."""
    first, _, rest = path.removeprefix(f"{ATTRIBUTES}/").partition("/")
    if first == FILESYSTEM:
        return FILESYSTEM
    return f"{first}/{rest.partition('/')[0]}" if first in _GROUPS and rest else ""


def _found(path: str, entry: Entry, known: Attributes) -> Found:
    size, id = (0, trees.NO_ID) if entry.kind == DIRECTORY else (entry.size, entry.id)
    return Found(
        path, entry.kind, entry.mode, known.uid, known.gid, known.mtime, size, id,
        xattrs=known.xattrs, link=known.link, opaque=known.opaque,
    )  # fmt: skip
