"""The part of a container's copy, told in the terms of the container that it is a copy of.

A copy has volumes of its own, so what is in them has other paths in its parts. Which of them stands for which is known by
where they are mounted. So it is with a hostname that the engine chose.
"""

from __future__ import annotations

from dataclasses import replace

from takeback.model.ids import BlobKind
from takeback.model.snapshot import Part
from takeback.model.tree import DIRECTORY, Entry, encode_tree
from takeback.sources import trees
from takeback.sources.container import content, mounts
from takeback.sources.container.attributes import ATTRIBUTES
from takeback.sources.container.copying import CHOSEN
from takeback.sources.container.daemon import Mount
from takeback.sources.container.decoding import decode
from takeback.sources.container.settings import Settings
from takeback.sources.trees import Writes
from takeback.store.writer import Writer

_GROUP = "volumes"


def homed(writer: Writer, part: Part, home: Part) -> Part:
    """A part with the volumes where ``home`` has those that are mounted at the same places."""
    theirs, ours = (decode(content.settings_in(writer.reader, each.content)) for each in (part, home))
    there, here = _areas(theirs), _areas(ours)
    areas = {area: here[where] for where, area in there.items() if where in here and here[where] != area}
    hostname = _hostname(theirs, ours)
    if not (areas or hostname) or len(set(areas.values())) != len(areas):
        return part
    top = dict(trees.load(writer.reader, part.content))
    names = {
        each.name: ours.volumes[where].name
        for where, each in theirs.volumes.items()
        if each.name and where in ours.volumes and ours.volumes[where].name
    }
    settings = mounts.renamed(theirs, names)
    said = replace(settings, config={**settings.config, **hostname}).encode()
    top[content.SETTINGS] = top[content.SETTINGS]._replace(size=len(said), id=writer.put(said, BlobKind.DATA))
    _rename(writer, top, areas)
    if (beside := top.get(ATTRIBUTES)) is not None and beside.kind == DIRECTORY:
        inner = dict(trees.load(writer.reader, beside.id))
        _rename(writer, inner, areas)
        top[ATTRIBUTES] = _put(writer, beside, inner)
    return part._replace(refs={**part.refs, "content": writer.put(encode_tree(top), BlobKind.TREE)})


def _hostname(theirs: Settings, ours: Settings) -> dict[str, str]:
    """The hostname of the one for that of the other, if nobody chose either."""
    there, here = (str(each.config.get("Hostname")) for each in (theirs, ours))
    return {"Hostname": here} if there != here and CHOSEN.fullmatch(there) and CHOSEN.fullmatch(here) else {}


def _areas(settings: Settings) -> dict[str, str]:
    """What volumes are called in a part, by where they are mounted."""
    areas = (
        Mount("volume", where, each.name, anonymous=not each.name).area for where, each in settings.volumes.items()
    )
    return {where: area.removeprefix(f"{_GROUP}/") for where, area in zip(settings.volumes, areas, strict=True)}


def _rename(writer: Writes, tree: dict[str, Entry], names: dict[str, str]) -> None:
    group = tree.get(_GROUP)
    if group is not None and group.kind == DIRECTORY:
        inner = {names.get(name, name): entry for name, entry in trees.load(writer.reader, group.id).items()}
        tree[_GROUP] = _put(writer, group, inner)


def _put(writer: Writes, was: Entry, inner: dict[str, Entry]) -> Entry:
    return Entry(DIRECTORY, was.mode, 0, writer.put(encode_tree(inner), BlobKind.TREE))
