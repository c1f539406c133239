"""What counts in a root although an agent may have written otherwise: the settings of its project file, and ignore rules.

Noted when the first snapshot of a root is saved, outside of it. From then on what a person changes in the project's file
is noted as it is found, and what an agent changes is not (`takeback.locate.drift`), until a person agrees.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, NamedTuple

from takeback.errors import Unavailable
from takeback.locate import records

_SUBJECT = "baselines"
MOST_RULES = 2000
"""So many texts of ignore rules to which a person agreed are remembered, the newest."""


class Baseline(NamedTuple):
    """A record of one root."""

    root: str
    time_ns: int
    """Since when the root is known."""
    file: str = ""
    """The name of the project's file; empty if there was none."""
    settings: Mapping[str, Any] = {}
    """What the file says, as far as it counts."""
    distrusted: tuple[str, ...] = ()
    """What an agent wrote into it since, as digests: it stays the agent's however often the file is written again."""
    rules: tuple[str, ...] = ()
    """Texts of ignore rules that an agent wrote and to which a person agreed, as digests."""
    said: str = ""
    """What a person was told last in a notice, as a digest."""


def read(root: str) -> Baseline | None:
    """The record of a root; None if there is none that can be believed."""
    raw = records.read(_SUBJECT, root)
    if raw is None:
        return None
    time_ns, file, settings, said = (raw.get(name) for name in ("time_ns", "file", "settings", "said"))
    lists = [raw.get(name) for name in ("distrusted", "rules")]
    sound = isinstance(file, str) and isinstance(said, str) and isinstance(settings, dict) and isinstance(time_ns, int)
    if not sound or not all(isinstance(each, list) and all(isinstance(one, str) for one in each) for each in lists):
        return None
    distrusted, rules = (tuple(each) for each in lists if isinstance(each, list))
    return Baseline(
        root, int(str(time_ns)), str(file), settings if isinstance(settings, dict) else {}, distrusted, rules, str(said)
    )


def is_empty() -> bool:
    """Whether no root is known."""
    return records.is_empty(_SUBJECT)


def write(baseline: Baseline) -> None:
    records.write(_SUBJECT, baseline.root, baseline._asdict(), "what counts there")


def note(baseline: Baseline) -> None:
    """Write it, if that is possible: nothing that is saved depends on it."""
    try:
        write(baseline)
    except Unavailable:
        pass


def new(root: str, file: str, settings: Mapping[str, Any]) -> Baseline:
    return Baseline(root, time.time_ns(), file, plain(settings))


def forget(root: str) -> bool:
    return records.forget(_SUBJECT, root)


def plain(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings as they are read again."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in settings.items()}
