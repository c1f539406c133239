"""Words for a row: who did it, what it is about, and when; and paths in little room."""

from __future__ import annotations

import os
import time

from takeback.model.ids import short
from takeback.views.plans import PROMOTE
from takeback.views.rows import Row
from takeback.views.text import age, columns, visible

_BETWEEN = ("turn_start", "run_start", "before_action", "manual", "interval", "safety")
"""Why snapshots are made that hold what nobody's move changed: those are a person's."""
_SNAPSHOTS = {
    "manual": "saved",
    "interval": "saved meanwhile",
    "turn_start": "changed before the turn",
    "run_start": "changed before the run",
    "before_action": "changed before the action",
    "safety": "saved before something was taken back",
    "session_end": "changed after the last turn",
    "on_error": "saved because of an error",
}


def who(row: Row) -> str:
    """Who did it, in a word."""
    if row.level == "takeback":
        return "takeback"
    if row.kind == "snapshot" and row.trigger in _BETWEEN:
        return "you"
    if row.level == "run" and not row.agent:
        return "run"
    if row.agent or row.session:
        return row.agent or f"session {row.session[:6]}"
    return "you" if row.level == "manual" or row.kind in ("present", "snapshot") else row.level


def verb(row: Row) -> str:
    """What takeback did there, in a word; a promote is a restore that is called by its own name."""
    return "promote" if row.verb == "restore" and row.title.startswith(PROMOTE) else row.verb


def what(row: Row) -> str:
    """What it is about, in words."""
    if row.kind == "original":
        return "<original>"
    if row.kind == "present":
        return "the present"
    if row.title:
        is_named = row.level != "takeback" or row.title.startswith(f"{verb(row)} ")
        return row.title if is_named else f"{row.verb}: {row.title}"
    if row.kind == "move":
        return f"{row.verb or row.level} {short(row.move or '')}"
    return _SNAPSHOTS.get(row.trigger, f"snapshot {short(row.snapshot or '')}")


def brief(time_ns: int, now_ns: int | None = None) -> str:
    """When, in at most eight columns: ``12 min``, ``3 h``, then the day, then the month."""
    said = age(time_ns, now_ns)
    if not said[0].isdigit() or "-" not in said:
        return {"just now": "now"}.get(said, said.removesuffix(" ago"))
    then, now = (time.localtime(each / 1e9) for each in (time_ns, now_ns if now_ns is not None else time.time_ns()))
    return time.strftime("%d %b" if then.tm_year == now.tm_year else "%b %Y", then)


def path_end(path: str, width: int) -> str:
    """A path in a width: its end, which says most, and home as ``~``."""
    home = os.path.expanduser("~")
    text = visible(f"~{path[len(home) :]}" if path == home or path.startswith(f"{home}/") else path)
    while columns(text) > width:
        text = f"…{text[2:]}"
    return text
