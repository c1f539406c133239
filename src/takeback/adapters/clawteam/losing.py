"""What a restore of a team takes away, as a summary says it: tasks, mail, events, sessions and costs that the snapshot does not
have, and what was done to tasks since. The safety snapshot keeps all of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from takeback.model.plan import Going
from takeback.sources.team.layouts import COSTS, EVENTS, MEMBERS, MESSAGES, SESSIONS, TASKS


def lost(goes: Iterable[Going]) -> dict[str, Any]:
    gone: dict[str, list[dict[str, str]]] = {what: [] for what in (MEMBERS, TASKS, MESSAGES, SESSIONS, EVENTS, COSTS)}
    changed = []
    for each in goes:
        said = {"path": each.path, **each.said}
        if each.becomes is not None:
            changed.append(said)
        elif each.what in gone:
            gone[each.what].append(said)
    counts = {what: len(gone.pop(what)) for what in (EVENTS, COSTS)}
    return {**gone, **counts, "changed_tasks": changed}
