"""What a project's file says and does not count, because an agent changed it: settings by which less would be recorded.

A change is an agent's if the file, or where it is gone the directory, was changed last while a move of an agent's was open, or if
it was known before as an agent's. Everything else is a person's, and counts at once. Of an agent's change counts only what
takes nothing away: the rest is as it was until a person agrees (`takeback trust`). A file that cannot be read says what it
said when it could be.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from blake3 import blake3

from takeback.errors import TakebackError
from takeback.locate.baseline import Baseline, plain
from takeback.locate.layers import PROJECT_FILE, PYPROJECT, ProjectFile
from takeback.locate.settings import SETTINGS, checked
from takeback.model.sizes import parse_seconds, parse_size

_MOST_DISTRUSTED = 200
_SHOWN = 60
_NO_LIMIT = float("inf")


class Drift(NamedTuple):
    """What a file counts for."""

    settings: Mapping[str, Any]
    """What it says, as far as that counts, and what it said before, where it does not."""
    baseline: Baseline
    """What is to be noted of the root."""
    said: tuple[str, ...] = ()
    """What a person should know of it."""


def drift(baseline: Baseline, file: ProjectFile, below: Sequence[Mapping[str, Any]], store: str) -> Drift:
    """What a file counts for that is not as it was; ``below`` are the layers that hold where it says nothing."""
    before = _sound(baseline)
    if file.broken:
        said = (
            f"{file.broken} cannot be read: what {baseline.file} said before still counts. Correct it, or move it away"
        )
        return Drift(before, baseline, (said,) if before else ())
    here = digest(file)
    if here not in baseline.distrusted and not _agents_wrote(baseline, file, store):
        return Drift(file.settings, baseline._replace(file=file.name, settings=plain(file.settings), distrusted=()))
    distrusted = tuple(dict.fromkeys((*baseline.distrusted, here)))[-_MOST_DISTRUSTED:]
    counts = dict(file.settings)
    waiting: list[str] = []
    for name, setting in SETTINGS.items():
        if not setting.project or setting.agreed or before.get(name) == file.settings.get(name):
            continue
        old, new = (_value(name, (layer, *below)) for layer in (before, file.settings))
        chosen = _stronger(name, old, new)
        if chosen == new:
            continue
        counts[name] = chosen
        waiting.append(_said(file.name or baseline.file or PROJECT_FILE, name, file.settings, chosen))
    return Drift(counts, baseline._replace(distrusted=distrusted), tuple(waiting))


def digest(file: ProjectFile) -> str:
    """What stands for the settings of a file."""
    shape = [file.name, plain(file.settings)]
    return blake3(json.dumps(shape, sort_keys=True).encode()).hexdigest()[:32]


def _sound(baseline: Baseline) -> dict[str, Any]:
    """The settings of a record that may be set."""
    found = {}
    for name, value in baseline.settings.items():
        if name in SETTINGS and SETTINGS[name].project and not SETTINGS[name].agreed:
            try:
                found[name] = checked(name, value, baseline.file)
            except TakebackError:
                pass  # a record of another version
    return found


def _value(name: str, layers: Sequence[Mapping[str, Any]]) -> Any:
    return next(layer[name] for layer in layers if name in layer)


def _stronger(name: str, old: Any, new: Any) -> Any:
    """The value by which nothing less is recorded than by the old one, and as much of the new one as that allows."""
    if name == "include":
        if any(each.startswith("!") for each in (*old, *new)):
            keeps = old == new
        else:
            keeps = set(old) <= set(new)
        return new if keeps else (*old, *(each for each in new if each not in old and not each.startswith("!")))
    if name == "exclude":
        from takeback.sources.workspace.ignore.hiding import hides_more
        from takeback.sources.workspace.ignore.texts import as_text

        return old if hides_more(as_text(old), as_text(new)) else new
    if name == "max_file_size":
        return max(new, old, key=parse_size)
    if name == "time_budget":
        return max(new, old, key=lambda each: _NO_LIMIT if each is None else parse_seconds(each))
    if name == "every":
        return min(new, old, key=lambda each: _NO_LIMIT if each is None else parse_seconds(each))
    if name == "triggers":
        return new if set(old) <= set(new) else tuple(dict.fromkeys((*old, *new)))
    if name == "snapshots":
        return old if new is False else new
    if name == "transcripts":
        return old or new
    return old


def _said(file: str, name: str, now: Mapping[str, Any], counts: Any) -> str:
    what = (
        f"{file} says {name} = {shown(now[name], name)}" if name in now else f"{file} says nothing of {name} any more"
    )
    return (
        f"{what}; that was changed while an agent was at work. Until you agree with `takeback trust`, {name} is "
        f"{shown(counts, name)}"
    )


def shown(value: Any, name: str) -> str:
    """A setting's value for a person."""
    if value is None:
        return {"time_budget": "unlimited", "every": "never"}.get(name, "unset")
    text = json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False, default=str)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def _agents_wrote(baseline: Baseline, file: ProjectFile, store: str) -> bool:
    """Whether the file was changed last while an agent was at work."""
    times = list(_changed(baseline, file))
    if not times or not os.path.isdir(store):
        return False
    from takeback.engine.store import open_store
    from takeback.engine.windows import agents_wrote

    try:
        with open_store(store, create=False, readonly=True) as opened, opened.blobs.database.read() as tx:
            return any(agents_wrote(tx, baseline.root, time_ns) for time_ns in times)
    except TakebackError:
        return False  # nothing can be recorded, either, and whoever tries to will be told


def _changed(baseline: Baseline, file: ProjectFile) -> list[int]:
    """When the file was changed last; one that is gone, when anything came or went in the directory."""
    names = [file.name] if file.name else []
    if baseline.file != file.name and baseline.file in (PROJECT_FILE, PYPROJECT):
        names.append(baseline.file)
    times = []
    for name in names:
        place = os.path.join(baseline.root, name)
        for look in (os.lstat, os.stat):
            try:
                times.append(look(place).st_ctime_ns)
            except OSError:
                times += _came_or_went(baseline.root)
    return times


def _came_or_went(root: str) -> list[int]:
    try:
        return [os.stat(root).st_ctime_ns]
    except OSError:
        return []
