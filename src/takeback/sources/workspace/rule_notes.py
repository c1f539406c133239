"""What is said of steps that are taken back, if they changed what is captured: ignore rules, and takeback's own settings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from takeback.errors import Integrity
from takeback.model.ids import BlobKind
from takeback.model.snapshot import Part
from takeback.model.tree import FILE, Entry
from takeback.sources.protocol import Step
from takeback.sources.trees import TreeView
from takeback.sources.workspace.ignore.hiding import hiding
from takeback.sources.workspace.ignore.record import Pair
from takeback.store.reader import Reader

_SETTINGS = "takeback.toml"
_PYPROJECT = "pyproject.toml"
_LARGEST = 4 << 20
_SHOWN = 3
_LONGEST = 40


def rule_notes(reader: Reader, steps: Sequence[Step]) -> Iterator[str]:
    """Notes for what undo plans; nothing for what takeback itself did in the steps."""
    said: dict[str, None] = {}
    for step in reversed([each for each in steps if not each.certain]):
        said |= dict.fromkeys(_of_rules(reader, step))
        said |= dict.fromkeys(_of_settings(reader, step))
    yield from said


def quoted(lines: Sequence[str]) -> str:
    """Patterns in a sentence."""
    shown = [each if len(each) <= _LONGEST else f"{each[: _LONGEST - 1]}…" for each in lines[:_SHOWN]]
    more = [f"{len(lines) - _SHOWN} more"] if len(lines) > _SHOWN else []
    return ", ".join([*(f"‘{each}’" for each in shown), *more])


def _of_rules(reader: Reader, step: Step) -> Iterator[str]:
    if step.before.refs.get("rules") == step.after.refs.get("rules"):
        return
    before, after = (_rules(reader, part) for part in (step.before, step.after))
    for change in hiding(before.rules, after.rules):
        said = f"the move changed what is ignored: {change.path} ({quoted(change.lines)})"
        if change.is_in_git:
            said += "; that stays, because undo writes nothing of git's: change it yourself if it should not"
        yield said


def _rules(reader: Reader, part: Part) -> Pair:
    return Pair.decode(lambda blob: reader.get(blob, BlobKind.DOCUMENT), part.refs)


def _of_settings(reader: Reader, step: Step) -> Iterator[str]:
    before, after = (TreeView(reader, part.content) for part in (step.before, step.after))
    if before.get(_SETTINGS) != after.get(_SETTINGS):
        yield f"the move changed takeback's own settings: {_SETTINGS}"
    old, new = before.get(_PYPROJECT), after.get(_PYPROJECT)
    if old != new and _table(reader, old) != _table(reader, new):
        yield f"the move changed takeback's own settings: [tool.takeback] in {_PYPROJECT}"


def _table(reader: Reader, entry: Entry | None) -> Any:
    """What a ``pyproject.toml`` says for takeback; None if nothing."""
    if entry is None or entry.kind != FILE or entry.size > _LARGEST:
        return None
    import tomllib  # most moves change no such file

    try:
        data = reader.get(entry.id, BlobKind.DATA)
        return tomllib.loads(data.decode())["tool"]["takeback"] if b"takeback" in data else None
    except (Integrity, ValueError, KeyError, TypeError, RecursionError):
        return None
