"""What a restore would take from a team, said before it does: the tasks and the mail that nobody would see again.

Things are told by what they say of themselves; what is only counted (events, costs) is not read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Protocol

from takeback.model.plan import Going
from takeback.model.tree import FILE, Entry
from takeback.sources.team import layouts
from takeback.sources.team.contents import parsed
from takeback.sources.team.counting import members
from takeback.sources.team.layouts import Layout

if TYPE_CHECKING:
    from takeback.store.reader import Reader

_LONGEST = 200
"""So many characters of each field are told."""

_MAIL = {"from": "from", "content": "content", "timestamp": "timestamp"}
_FIELDS: Mapping[str, Mapping[str, str]] = {
    layouts.TASKS: {"id": "id", "subject": "subject", "status": "status", "owner": "owner"},
    layouts.MESSAGES: _MAIL,
    layouts.DEAD_LETTERS: _MAIL,
    layouts.SESSIONS: {"agent": "agentName", "session": "sessionId"},
}
"""What is told of each thing, and where it says so."""


class Step(Protocol):
    """A path that goes from one state to another: an effect, or a change."""

    @property
    def path(self) -> str: ...
    @property
    def before(self) -> Entry | None: ...
    @property
    def after(self) -> Entry | None: ...


def going(reader: Reader, layout: Layout, team: str, steps: Iterable[Step]) -> tuple[Going, ...]:
    """What is there before some steps and not after them, under whatever name; members that the configuration names no
    longer; and tasks that are set back."""
    files = [each for each in steps if FILE in (side.kind for side in (each.before, each.after) if side is not None)]
    before = [(each.path, each.before) for each in files if each.before is not None and each.after is None]
    back = renamed(before, [(each.path, each.after) for each in files if each.after is not None])
    found = []
    for each in files:
        if each.path == layout.config.format(team=team):
            found += _leaving(reader, each)
        area = layout.area_of(team, each.path)
        if area is None or each.before is None or each.path in back:
            continue
        set_back = each.after is not None and area.what == layouts.TASKS and each.after.id != each.before.id
        if each.after is None or set_back:
            said = _said(reader, area.what, each.path, each.before)
            then = _said(reader, area.what, each.path, each.after) if each.after is not None else None
            found.append(Going(area.what, each.path, said, then))
    return tuple(found)


def _leaving(reader: Reader, config: Step) -> list[Going]:
    """The members who are in a team's configuration before a step and not after it."""
    before, after = (
        members(parsed(reader, side)) if side is not None and side.kind == FILE else []
        for side in (config.before, config.after)
    )
    return [Going(layouts.MEMBERS, config.path, {"name": name[:_LONGEST]}) for name in before if name not in after]


def renamed(some: Iterable[tuple[str, Entry]], others: Iterable[tuple[str, Entry]]) -> frozenset[str]:
    """The paths of some files that are among others under whatever name: same directory, same bytes, each counted once.
    A message is renamed when it is claimed, and when it is given back."""
    left: dict[tuple[str, bytes], int] = {}
    for path, entry in others:
        key = path.rpartition("/")[0], entry.id
        left[key] = left.get(key, 0) + 1
    found = []
    for path, entry in some:
        key = path.rpartition("/")[0], entry.id
        if left.get(key, 0) > 0:
            left[key] -= 1
            found.append(path)
    return frozenset(found)


def _said(reader: Reader, what: str, path: str, entry: Entry) -> dict[str, str]:
    """What is told of a thing; nothing where it cannot be read."""
    fields = _FIELDS.get(what)
    if fields is None:
        return {}
    data = parsed(reader, entry) or {}
    told = {key: value[:_LONGEST] for key, name in fields.items() if isinstance(value := data.get(name), str)}
    if fields is not _MAIL:
        return told
    text = next(filter(None, (_text(data.get(key)) for key in ("content", "summary", "type"))), "")
    return {"to": path.split("/")[-2], **told, **({"content": text[:_LONGEST]} if text else {})}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
