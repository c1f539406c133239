"""`SnapshotMeta`: what is told of a team's snapshot, under ClawTeam's names, in Python's and in JSON's spelling."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from takeback.adapters.clawteam.errors import NoBundle
from takeback.adapters.clawteam.ids import is_id

Kind = Literal["takeback", "bundle"]


@dataclass(frozen=True)
class SnapshotMeta:
    """One snapshot of a team. ``kind`` and ``snapshot`` are takeback's own, and not in what is dumped."""

    id: str
    team_name: str
    tag: str = ""
    created_at: str = ""
    member_count: int = 0
    task_count: int = 0
    event_count: int = 0
    session_count: int = 0
    cost_event_count: int = 0
    kind: Kind = field(default="takeback", compare=False)
    """``bundle`` for what ClawTeam made."""
    snapshot: str = field(default="", compare=False)
    """The full id of takeback's snapshot; empty for a bundle that was not brought in."""

    def model_dump(self, *, by_alias: bool = False) -> dict[str, Any]:
        return {_alias(name) if by_alias else name: getattr(self, name) for name in DUMPED}

    def model_dump_json(self, *, by_alias: bool = False, indent: int | None = None) -> str:
        separators = None if indent is not None else (",", ":")
        return json.dumps(self.model_dump(by_alias=by_alias), indent=indent, ensure_ascii=False, separators=separators)

    @classmethod
    def model_validate(cls, raw: Any, *, kind: Kind = "bundle") -> SnapshotMeta:
        """What a bundle says of itself, in either spelling; NoBundle if that cannot be."""
        if not isinstance(raw, Mapping):
            raise NoBundle("its `meta` is no object")
        said = {name: raw[key] for name in DUMPED for key in (_alias(name), name) if key in raw}
        for name in ("id", "team_name"):
            if name not in said:
                raise NoBundle(f"its `meta` has no {_alias(name)}")
        for name, value in said.items():
            wanted = int if name.endswith("_count") else str
            if type(value) is not wanted:
                raise NoBundle(
                    f"its {_alias(name)} is {value!r:.40}, which is no {'number' if wanted is int else 'text'}"
                )
            if isinstance(value, int) and not 0 <= value < _MOST:
                raise NoBundle(f"its {_alias(name)} is a number that counts nothing")
            if isinstance(value, str) and len(value) > _LONGEST:
                raise NoBundle(f"its {_alias(name)} is {len(value):,} characters long")
        if not is_id(said["id"]):
            raise NoBundle(f"its id is {said['id']!r:.60}, which is no snapshot's")
        return cls(**said, kind=kind)


_MOST = 1 << 40
_LONGEST = 4096
DUMPED = tuple(each.name for each in fields(SnapshotMeta) if each.name not in ("kind", "snapshot"))


def _alias(name: str) -> str:
    """A field as JSON spells it."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
