"""A team in another data directory: what its files say of places in the old one is said of the new one.

ClawTeam keeps the absolute paths of its members' worktrees in one file. In a copy of a team they have to be the copy's
own: whoever worked there would otherwise work in the original's. Nothing else of a file is changed, so going back gives
the same bytes again.
"""

from __future__ import annotations

import json
from dataclasses import replace

from blake3 import blake3

from takeback.model.ids import BlobKind
from takeback.model.plan import Effect
from takeback.model.snapshot import Part
from takeback.model.tree import FILE, Entry
from takeback.sources import trees
from takeback.sources.team.layouts import LAYOUTS, Layout
from takeback.store.reader import Reader
from takeback.store.writer import Writer

_LARGEST = 1 << 24


def moved(reader: Reader, layout: Layout, team: str, effects: list[Effect], old: object, new: str) -> list[Effect]:
    """Effects that make a team, with what they say of places in ``old`` said of ``new``."""
    return [_moved(reader, each, old, new) if _tells(layout, team, each.path) else each for each in effects]


def homed(writer: Writer, part: Part, home: Part) -> Part:
    """A part of a team's copy as it would be in the data directory of another part of the team."""
    team, old, new = part.detail.get("team"), part.detail.get("data_dir"), home.detail.get("data_dir")
    layout = LAYOUTS.get(str(part.detail.get("layout")))
    if layout is None or not isinstance(team, str) or not isinstance(new, str):
        return part
    view, changes = trees.TreeView(writer.reader, part.content), dict[str, Entry | None]()
    for path in (place.format(team=team) for place in layout.naming):
        entry = view.get(path)
        if entry is not None and entry.kind == FILE and (said := _said(writer.reader, entry, old, new)) is not None:
            changes[path] = Entry(FILE, entry.mode, len(said), writer.put(said, BlobKind.DATA))
    if not changes:
        return part
    return part._replace(refs={**part.refs, "content": trees.patch(writer, part.content, changes)})


def _tells(layout: Layout, team: str, path: str) -> bool:
    return path in (place.format(team=team) for place in layout.naming)


def _moved(reader: Reader, effect: Effect, old: object, new: str) -> Effect:
    after = effect.after
    said = _said(reader, after, old, new) if after is not None and after.kind == FILE else None
    if after is None or said is None:
        return effect
    return replace(effect, after=Entry(FILE, after.mode, len(said), blake3(said).digest()), merged=said)


def _said(reader: Reader, entry: Entry, old: object, new: str) -> bytes | None:
    """A file's text with the one directory for the other; None if it says nothing of it."""
    if not isinstance(old, str) or old == new or entry.size > _LARGEST:
        return None
    text = said = reader.get(entry.id, BlobKind.DATA)
    for ascii in (True, False):
        before, after = (json.dumps(f"{each}/", ensure_ascii=ascii)[:-1] for each in (old, new))
        try:
            said = said.replace(before.encode(), after.encode())
        except UnicodeEncodeError:
            continue  # a name that is no text is never written without escapes
    return said if said != text else None
