"""Plans as documents, so that a restore that was killed can be finished by the next process."""

from __future__ import annotations

from typing import Any

from takeback.engine.manifest import canonical
from takeback.errors import Integrity
from takeback.model.jsontext import parse_object
from takeback.model.plan import Effect, Plan
from takeback.model.tree import KINDS, Entry, name_bytes

_WHAT = "the journal of an interrupted restore"
_VERBS = ("restore", "undo", "redo")


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
            "pending": plan.pending,
            "completes": plan.completes,
            **({"catches_up": True} if plan.catches_up else {}),
            **({"given_up": True} if plan.given_up else {}),
            **({"partly": True} if plan.partly else {}),
            **({"exact": True} if plan.exact else {}),
            **({"left": True} if plan.is_left else {}),
            **({"again": plan.again} if plan.again else {}),
            **({"after": plan.after} if plan.after is not None else {}),
        }
    )


def decode_plan(data: bytes) -> Plan:
    """What `encode_plan` wrote; Integrity for any other bytes. Whether its paths may be written is the source's to say."""
    raw = parse_object(data, _WHAT)
    try:
        effects = tuple(_effect(*each) for each in raw["effects"])
        texts = [raw[name] for name in ("verb", "timeline", "root", "title")]
        pending = tuple(raw.get("pending", ()))
        again = tuple(raw.get("again", ()))
        texts += [*raw["moves"], *pending, *again, *([] if raw["target"] is None else [raw["target"]])]
        texts += [raw["after"]] if "after" in raw else []
        if raw["verb"] not in _VERBS or not all(isinstance(text, str) for text in texts):
            raise ValueError("a field is wrong")
        return Plan(
            verb=raw["verb"],
            timeline=raw["timeline"],
            root=raw["root"],
            present=None,
            effects=effects,
            target=raw["target"],
            moves=tuple(raw["moves"]),
            title=raw["title"],
            pending=pending,
            catches_up=raw.get("catches_up") is True,
            completes=raw.get("completes") is True,
            given_up=raw.get("given_up") is True,
            partly=raw.get("partly") is True,
            exact=raw.get("exact") is True,
            left=raw.get("left") is True,
            again=again,
            after=raw.get("after"),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise Integrity(f"{_WHAT} cannot be read: {error!r}") from error


def _effect(part: Any, path: Any, before: Any, after: Any) -> Effect:
    if not isinstance(part, str) or not isinstance(path, str):
        raise ValueError("an effect without a path")
    name_bytes(path)  # a path that stands for no bytes is none
    return Effect(part, path, _decode(before), _decode(after))


def _encode(entry: Entry | None) -> list[Any] | None:
    return None if entry is None else [entry.kind, entry.mode, entry.size, entry.id.hex()]


def _decode(raw: list[Any] | None) -> Entry | None:
    if raw is None:
        return None
    kind, mode, size, blob = raw
    id = bytes.fromhex(blob)
    if kind not in KINDS or type(mode) is not int or type(size) is not int or len(id) != 32:
        raise ValueError(f"an entry {raw!r:.80}")
    if not 0 <= mode <= 0o7777 or not 0 <= size < 1 << 63:
        raise ValueError(f"mode {mode:o} and size {size}")
    return Entry(kind, mode, size, id)
