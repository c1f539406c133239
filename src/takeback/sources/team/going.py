"""What a restore would take from a team, in words, before it does: tasks and mail that nobody would see again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from takeback.model.tree import FILE
from takeback.sources.team import layouts
from takeback.sources.team.layouts import Area, Layout
from takeback.sources.team.telling import Told, message_of, stem

if TYPE_CHECKING:
    from takeback.model.plan import Effect
    from takeback.store.reader import Reader

_LONGEST = 48
"""So many characters of a subject or a message are shown."""

_UNREADABLE = "unreadable"


def going(reader: Reader, layout: Layout, team: str, effects: Sequence[Effect]) -> tuple[str, ...]:
    """What goes with some effects; other things than tasks and mail are counted."""
    told = Told(reader)
    files = [each for each in effects if each.before is None or each.before.kind == FILE]
    areas = [(area, each) for each in files if (area := layout.area_of(team, each.path)) is not None]
    return (
        *_tasks(told, [each for area, each in areas if area.what == layouts.TASKS]),
        *_mail(told, [(area, each) for area, each in areas if area.mail]),
        *_others([area for area, each in areas if each.after is None and not area.mail and area.what != layouts.TASKS]),
    )


def _tasks(told: Told, effects: Sequence[Effect]) -> Iterator[str]:
    for each in effects:
        if each.before is None:
            continue
        now, then = told.task(each.path, each.before), told.task(each.path, each.after)
        name = f"task {stem(each.path).removeprefix('task-')}"
        if now is None:
            yield f"{name}, which is {_UNREADABLE}"
        elif each.after is None:
            yield f"{name} {_quoted(now.subject)} ({now.status})"
        elif then is not None and (now.status, now.owner) != (then.status, then.owner):
            owner = f", of {now.owner or 'nobody'} → {then.owner or 'nobody'}" if now.owner != then.owner else ""
            yield f"what became of task {name[5:]} {_quoted(now.subject)}: {now.status} → {then.status}{owner}"
        else:
            yield f"what was changed in task {name[5:]} {_quoted(now.subject)} ({now.status})"


def _mail(told: Told, effects: Sequence[tuple[Area, Effect]]) -> Iterator[str]:
    back = {message_of(each.path, each.after) for _, each in effects if each.after is not None}
    for area, each in effects:
        if each.before is None or message_of(each.path, each.before) in back:
            continue  # it is there again, claimed or not
        mail = told.mail(area, each.path, each.before, "gone")
        what = "dead letter" if mail.dead else "mail"
        sender = f" from {mail.sender}" if mail.sender else ""
        said = f": {_quoted(mail.text)}" if mail.text else f", which is {_UNREADABLE}"
        yield f"{what} to {mail.inbox}{sender}{said}"


def _others(areas: Sequence[Area]) -> Iterator[str]:
    for what, number in Counter(area.what for area in areas).items():
        yield f"{number:,} {what if number != 1 else what.removesuffix('s')}"


def _quoted(text: str) -> str:
    line = " ".join(text.split())
    return f"“{line if len(line) <= _LONGEST else line[: _LONGEST - 1].rstrip() + '…'}”"
