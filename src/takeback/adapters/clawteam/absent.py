"""What is said where there is no such team, or no such snapshot: what there is instead, and the next step."""

from __future__ import annotations

import os
from collections.abc import Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING

from takeback.adapters.clawteam.errors import NotThere
from takeback.adapters.clawteam.meta import SnapshotMeta
from takeback.model.tree import name_bytes
from takeback.sources.team.source import teams

if TYPE_CHECKING:
    from takeback.adapters.clawteam.finding import Places

_MANY = 8
_ANOTHER = "--data-dir DIR names another directory"


def list_them(team: str) -> str:
    return f"`takeback team snapshots {team}` lists them"


def check_there(places: Places) -> None:
    """NotThere if there is no such team now."""
    team, root = places.team.team, places.team.root
    try:
        os.lstat(name_bytes(f"{root}/{places.team.layout.config.format(team=team)}"))
        return
    except PermissionError as error:
        hint = "do this as the user whose team it is"
        raise NotThere(f"team {team!r} cannot be looked at in {root}: {error.strerror}", hints=[hint]) from None
    except OSError:
        pass
    if not os.path.isdir(name_bytes(root)):
        raise NotThere(f"team {team!r} not found: there is no directory {root}", hints=[_ANOTHER])
    if places.known():
        hint = f"it was saved: `takeback team snapshots {team}` lists what can be restored"
    else:
        others = ", ".join(teams(root)[:_MANY])
        hint = f"teams there: {others}" if others else _ANOTHER
    raise NotThere(f"team {team!r} not found in {root}", hints=[hint])


def missing(places: Places, id: str) -> NotThere:
    """What is said of an id that means nothing: which ones may be meant, or that there is no such team at all."""
    team, known = places.team.team, places.known()
    if known:
        close = _close(id, known)
        hints = [f"did you mean {' or '.join(close)}?"] if close else []
        return NotThere(f"snapshot {id!r:.80} of the team {team!r} not found", hints=[*hints, list_them(team)])
    try:
        check_there(places)
    except NotThere as error:
        return NotThere(f"snapshot {id!r:.80} not found: {error.message}", hints=error.hints)
    return NotThere(
        f"snapshot {id!r:.80} not found: there is none of the team {team!r}",
        hints=[f"`takeback team snapshot {team}` makes one"],
    )


def _close(id: str, known: Sequence[SnapshotMeta]) -> list[str]:
    """Up to three ids that somebody may have meant: by their tag, by how they begin, or by a slip of the fingers."""
    if not id.strip():
        return []
    meant = [meta.id for meta in known if id == meta.tag or meta.id.startswith(id) or meta.id.endswith(f"-{id}")]
    return (meant or get_close_matches(id, [meta.id for meta in known], 3, 0.8))[:3]
