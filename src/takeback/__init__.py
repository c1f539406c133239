"""Take back any move your AI agent makes: files, containers, memory, whole teams.

>>> import takeback as tb
>>> line = tb.here()                      # doctest: +SKIP
>>> line.save("before the migration")     # doctest: +SKIP
>>> line.undo()                           # doctest: +SKIP

Names are loaded when they are first used, so that importing takeback costs next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from takeback.documents.document import Document, capture
    from takeback.engine.copying.copied import Copied, Landed
    from takeback.engine.health import Health, Usage
    from takeback.engine.history import Log
    from takeback.engine.losses import Loss
    from takeback.engine.repair import Repaired
    from takeback.engine.retention import Pruned
    from takeback.engine.store import Store
    from takeback.engine.timeline import Timeline
    from takeback.engine.upkeep import Upkept
    from takeback.errors import (
        Cancelled,
        Conflict,
        Integrity,
        InvalidInput,
        Locked,
        NotFound,
        OutOfTime,
        Partial,
        TakebackError,
        Unavailable,
        WrongKey,
    )
    from takeback.locate import here, open
    from takeback.locate.teams import Team
    from takeback.model.diff import Change, Diff, Difference
    from takeback.model.move import Move
    from takeback.model.plan import Effect, Going, Kept, Outside, Plan, Report
    from takeback.model.policy import Policy
    from takeback.model.progress import Progress
    from takeback.model.purged import Purged, Trace
    from takeback.model.snapshot import NotCaptured, Part, Snapshot
    from takeback.model.team import TeamDiff
    from takeback.sources.container.source import Container
    from takeback.sources.state.source import State
    from takeback.sources.workspace.source import Workspace
    from takeback.store.collection.maintenance import Maintained

__version__ = "0.1.0"

_HOMES = {
    "takeback.engine.copying.copied": ("Copied", "Landed"),
    "takeback.engine.health": ("Health", "Usage"),
    "takeback.engine.history": ("Log",),
    "takeback.model.purged": ("Purged", "Trace"),
    "takeback.engine.losses": ("Loss",),
    "takeback.engine.repair": ("Repaired",),
    "takeback.engine.retention": ("Pruned",),
    "takeback.engine.store": ("Store",),
    "takeback.engine.timeline": ("Timeline",),
    "takeback.engine.upkeep": ("Upkept",),
    "takeback.errors": (
        "Cancelled",
        "Conflict",
        "Integrity",
        "InvalidInput",
        "Locked",
        "NotFound",
        "OutOfTime",
        "Partial",
        "TakebackError",
        "Unavailable",
        "WrongKey",
    ),
    "takeback.locate": ("here", "open"),
    "takeback.locate.teams": ("Team",),
    "takeback.documents.document": ("Document", "capture"),
    "takeback.model.diff": ("Change", "Diff", "Difference"),
    "takeback.model.move": ("Move",),
    "takeback.model.plan": ("Effect", "Going", "Kept", "Outside", "Plan", "Report"),
    "takeback.model.policy": ("Policy",),
    "takeback.model.progress": ("Progress",),
    "takeback.model.snapshot": ("NotCaptured", "Part", "Snapshot"),
    "takeback.model.team": ("TeamDiff",),
    "takeback.sources.container.source": ("Container",),
    "takeback.sources.state.source": ("State",),
    "takeback.sources.workspace.source": ("Workspace",),
    "takeback.store.collection.maintenance": ("Maintained",),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "here",
    "open",
    "Store",
    "Timeline",
    "Workspace",
    "Container",
    "State",
    "Team",
    "capture",
    "Document",
    "Snapshot",
    "Part",
    "NotCaptured",
    "Move",
    "Log",
    "Plan",
    "Effect",
    "Kept",
    "Outside",
    "Going",
    "Report",
    "Diff",
    "Change",
    "Difference",
    "TeamDiff",
    "Health",
    "Usage",
    "Policy",
    "Pruned",
    "Purged",
    "Trace",
    "Maintained",
    "Copied",
    "Landed",
    "Loss",
    "Repaired",
    "Upkept",
    "Progress",
    "TakebackError",
    "InvalidInput",
    "Partial",
    "NotFound",
    "Locked",
    "WrongKey",
    "Integrity",
    "Conflict",
    "Unavailable",
    "OutOfTime",
    "Cancelled",
]


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name == "documents":  # whose `register` and `get` are for callers, too
        return import_module("takeback.documents")
    if name not in _HOME_OF:
        raise AttributeError(f"module 'takeback' has no attribute {name!r}")
    value = getattr(import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
