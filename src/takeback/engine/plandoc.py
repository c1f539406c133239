"""Plans as documents, so that a restore that was killed can be finished by the next process."""

from __future__ import annotations

import json
from typing import Any

from takeback.engine.manifest import canonical
from takeback.errors import Integrity
from takeback.model.plan import Effect, Plan
from takeback.model.tree import KINDS, Entry


def encode_plan(plan: Plan) -> bytes:
    """What is needed to finish a plan: merged bytes are blobs of their own by then."""
    effects = [[e.part, e.path, _encode(e.before), _encode(e.after)] for e in plan.effects]
    return canonical(
        {
            "verb": plan.verb,
            "timeline": plan.timeline,
            "root": plan.root,
            "target": plan.target,
            "moves": plan.moves,
            "title": plan.title,
            "effects": effects,
        }
    )


def decode_plan(data: bytes) -> Plan:
    try:
        raw = json.loads(data)
        effects = tuple(Effect(part, path, _decode(a), _decode(b)) for part, path, a, b in raw["effects"])
        return Plan(
            verb=raw["verb"],
            timeline=raw["timeline"],
            root=raw["root"],
            present=None,
            effects=effects,
            target=raw["target"],
            moves=tuple(raw["moves"]),
            title=raw["title"],
        )
    except (ValueError, KeyError, TypeError) as error:
        raise Integrity(f"the journal of an interrupted restore cannot be read: {error!r}") from error


def _encode(entry: Entry | None) -> list[Any] | None:
    return None if entry is None else [entry.kind, entry.mode, entry.size, entry.id.hex()]


def _decode(raw: list[Any] | None) -> Entry | None:
    if raw is None:
        return None
    kind, mode, size, blob = raw
    if kind not in KINDS:
        raise ValueError(f"kind {kind!r}")
    return Entry(kind, int(mode), int(size), bytes.fromhex(blob))
