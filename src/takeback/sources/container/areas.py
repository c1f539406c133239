"""All paths of a container's areas in memory: looked at one by one, changed by effects, and put together again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar

from blake3 import blake3

from takeback.errors import Integrity
from takeback.model.plan import Effect
from takeback.model.tree import DIRECTORY, FILE, Entry, name_bytes
from takeback.sources import trees
from takeback.sources.container import attributes, content
from takeback.sources.container.attributes import ATTRIBUTES, Attributes
from takeback.sources.container.found import IN_TREES, Found

V = TypeVar("V")

Read = Callable[[bytes], bytes]
"""Gives the bytes of a blob."""


class Areas:
    """What each area holds, by path; as a part would say it, though no blob is written."""

    def __init__(self, found: Mapping[str, Iterable[Found]]) -> None:
        self._areas = {area: {each.path: each for each in some} for area, some in found.items()}

    def __iter__(self) -> Iterator[str]:
        return iter(self._areas)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Areas) and self._areas == other._areas

    __hash__ = None  # type: ignore[assignment] # it is a mapping

    def of(self, area: str) -> Mapping[str, Found]:
        return self._areas.get(area, {})

    def listed(self, area: str) -> list[Found]:
        """All of an area, parents before children."""
        return sorted(self.of(area).values(), key=lambda each: each.path.split("/") if each.path else [])

    def entry_at(self, path: str) -> Entry | None:
        """What a tree would have at a path of a part."""
        area = content.area_of(path)
        if path == area and self.of(area):
            return _entry(self.of(area)[""])
        found = self.of(area).get(_inside(area, path)) if area else None
        return None if found is None or found.kind not in IN_TREES else _entry(found)

    def has_attributes(self, path: str, entry: Entry | None) -> bool:
        """Whether the attributes that stand at a path of a part are exactly these."""
        area = content.area_of(path)
        inner = attributes.of_path(area, path) if area else None
        if inner is None:
            return True  # a directory on the way
        found = self.of(area).get(inner)
        if found is None or entry is None:
            return found is None and entry is None
        return blake3(attributes.encode(attributes.of(found))).digest() == entry.id

    def holds(self, path: str, entry: Entry | None, read: Read) -> bool:
        """Whether a path of a part stands as ``entry`` says; when it was last changed does not count."""
        if not path.startswith(f"{ATTRIBUTES}/"):
            return self.entry_at(path) == entry
        if self.has_attributes(path, entry):
            return True
        area = content.area_of(path)
        there = self.of(area).get(attributes.of_path(area, path) or "")
        if there is None or entry is None:
            return False
        return attributes.of(there)._replace(mtime=0) == attributes.decode(read(entry.id))._replace(mtime=0)

    def changed_by(self, effects: Iterable[Effect], read: Read) -> Areas:
        """The areas once all of the effects are in place."""
        entries = {area: {path: _entry(each) for path, each in some.items() if each.kind in IN_TREES}
                   for area, some in self._areas.items()}  # fmt: skip
        beside = {
            area: {path: attributes.of(each) for path, each in some.items()} for area, some in self._areas.items()
        }
        for effect in effects:
            area = content.area_of(effect.path)
            if not area:
                continue
            if not effect.path.startswith(f"{ATTRIBUTES}/"):
                _set(entries.setdefault(area, {}), _inside(area, effect.path), effect.after)
            elif (inner := attributes.of_path(area, effect.path)) is not None:
                after = effect.after
                said = None if after is None else attributes.decode(effect.merged or read(after.id))
                _set(beside.setdefault(area, {}), inner, said)
        return Areas(
            {area: _linked(_joined(area, entries.get(area, {}), beside.get(area, {}))) for area in entries | beside}
        )


def _inside(area: str, path: str) -> str:
    return path[len(area) + 1 :]


def _entry(found: Found) -> Entry:
    return Entry(found.kind, found.mode, found.size, found.id if found.kind != DIRECTORY else trees.NO_ID)


def _set(mapping: dict[str, V], key: str, value: V | None) -> None:
    if value is None:
        mapping.pop(key, None)
    else:
        mapping[key] = value


def _linked(found: Iterable[Found]) -> Iterator[Found]:
    """All of an area, where names are of one file only if they still can be: some paths may have changed and others not."""
    same: dict[tuple[Entry, bytes], list[Found]] = {}
    for each in found:
        if each.link:
            same.setdefault((_entry(each), attributes.encode(attributes.of(each))), []).append(each)
        else:
            yield each
    for some in same.values():
        first = min((each.path for each in some), key=name_bytes) if len(some) > 1 else ""
        yield from (each._replace(link=first) for each in some)


def _joined(area: str, entries: Mapping[str, Entry], beside: Mapping[str, Attributes]) -> Iterator[Found]:
    for path in entries.keys() | beside.keys():
        entry, said = entries.get(path), beside.get(path, Attributes())
        if path:
            above = entries.get(path.rpartition("/")[0]) if "/" in path else None
            if "/" in path and (above is None or above.kind != DIRECTORY):
                if entry is None:
                    continue  # what was hidden in a directory that is gone
                raise Integrity(f"{area}/{path} would stand in what is no directory")
        if entry is not None:
            yield Found(
                path, entry.kind, entry.mode, said.uid, said.gid, said.mtime, entry.size, entry.id,
                xattrs=said.xattrs, link=said.link if entry.kind == FILE else "", opaque=said.opaque,
            )  # fmt: skip
        elif said.kind:
            yield Found(
                path, said.kind, said.mode, said.uid, said.gid, said.mtime, device=said.device, xattrs=said.xattrs
            )
