"""A state part's content in the words of plans and diffs: one path, the part's name, at which the whole document stands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from takeback import documents
from takeback.model.diff import Change, Difference
from takeback.model.plan import Effect, Kept
from takeback.model.snapshot import PURGED, NotCaptured, Part
from takeback.model.tree import FILE, Entry
from takeback.sources.protocol import Proposal

if TYPE_CHECKING:
    from takeback.sources.protocol import Step
    from takeback.store.reader import Reader
    from takeback.store.writer import Writer

KIND = "state"
_NONE: Mapping[bytes, tuple[NotCaptured, ...]] = MappingProxyType({})


def part(name: str, made: documents.Put, type: str) -> Part:
    """The part of a value that was written."""
    return Part(name, KIND, {"content": made.id}, {"type": type, "size": made.size}, made.holes)


def entry(part: Part) -> Entry:
    size = part.detail.get("size", 0)
    return Entry(FILE, 0, size if isinstance(size, int) else 0, part.content)


def between(present: Part, target: Part) -> tuple[Effect, ...]:
    """What makes the one the other."""
    if present.content == target.content:
        return ()
    return (Effect(present.name, present.name, entry(present), entry(target)),)


def taken_back(present: Part, steps: Sequence[Step]) -> Proposal:
    """What takes back steps, newest first: the whole goes back if it is as they left it, and is a conflict if not."""
    name = present.name
    wanted = [step for step in steps if name not in step.leave and step.before.content != step.after.content]
    if not wanted:
        return Proposal()
    now = present.content
    for step in wanted:
        if now != step.after.content:
            if present.content == wanted[-1].before.content:
                return Proposal()
            return Proposal(conflicts=(Kept(name, name, "it has changed since"),))
        now = step.before.content
    return Proposal(between(present, wanted[-1].before))


def moved(present: Part, effects: Iterable[Effect]) -> tuple[str, ...]:
    """Those that do not find what they expect."""
    return tuple(each.path for each in effects if each.before is None or each.before.id != present.content)


def holes(reader: Reader, name: str, id: bytes) -> tuple[NotCaptured, ...]:
    """What is not in a document."""
    found = documents.holes_in(documents.get(reader, id, unknown="record"), name)
    return tuple(NotCaptured(path, "live", type) for path, type in found)


def amended(
    reader: Reader, present: Part, effects: Sequence[Effect], left_out: Mapping[bytes, tuple[NotCaptured, ...]] = _NONE
) -> Part:
    """The part that the present is once the effects are in place; ``left_out`` are the holes of documents, if known."""
    after = effects[-1].after if effects else None
    if after is None:
        return present
    missing = left_out[after.id] if after.id in left_out else holes(reader, present.name, after.id)
    refs = {key: blob for key, blob in present.refs.items() if key != "not_captured"}
    return present._replace(
        refs={**refs, "content": after.id}, detail={**present.detail, "size": after.size}, not_captured=missing
    )


def without(writer: Writer, part: Part, why: str) -> Part:
    """A part of whose value nothing is left, because it held something that was purged."""
    told = {key: value for key, value in part.detail.items() if key == "type"}
    missing = NotCaptured(part.name, PURGED, why)
    return Part(part.name, part.kind, {"content": documents.put(writer, None).id}, told, (missing,))


def changes(name: str, a: Part | None, b: Part | None) -> Iterator[Change]:
    if a is None or b is None or a.content != b.content:
        yield Change(name, name, a and entry(a), b and entry(b))


def differences(reader: Reader, a: Part, b: Part) -> Iterator[Difference]:
    """What differs inside, place by place."""
    return documents.compare(reader, a.content, reader, b.content, b.name)
