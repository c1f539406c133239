"""Two agents and a person who edits at any time work in one directory, at random and in cases: undo takes back what the agents
did, never what the person did, and is not silent about what it leaves. `support.ownership.laws` has the laws.

A seed writes a script, which a failure prints in its shortest form. To keep one: put it into `FOUND_CASES`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from support import campaigns, counts, disks
from support.ownership.cases import APART, CASES
from support.ownership.deed import CONFLICT, DONE, PARTIAL, Broken
from support.ownership.found_cases import FOUND_CASES
from support.ownership.generator import Generator
from support.ownership.player import play
from support.ownership.script import Script, parse, text_of
from support.ownership.shrinker import shortest

SEEDS = 10
"""Of a shard."""
FORKED = 10
"""Of so many scripts, the hooks of one are processes of their own."""
ON_DISK = 4
"""Of so many shards, one is on a disk, where numbers of inodes are used again."""


@contextmanager
def directory(number: int) -> Iterator[Path]:
    with disks.directory(None if number % ON_DISK == ON_DISK - 1 else disks.memory()) as path:
        yield path


def law_broken_by(script: Script, number: int, home: Path, **options: object) -> str:
    """The law that a script breaks; empty if none."""
    with directory(number) as path:
        try:
            play(script, path, home, **options)
        except Broken as broken:
            return broken.law
    return ""


def explain(script: Script, number: int, home: Path, broken: Broken, **options: object) -> str:
    """A failure as people want it: the shortest script, and what happens in it."""
    seconds = campaigns.size(10.0, 60.0)
    short = shortest(script, lambda each: law_broken_by(each, number, home, **options) == broken.law, seconds)
    lines: list[str] = []
    with directory(number) as path:
        try:
            play(short, path, home, trace=lines.append, **options)
        except Broken as found:
            broken = found
    happened = "\n".join(lines)
    return f"{broken}\n\nthe script:\n{text_of(short)}\nwhat happened:\n{happened}"


@pytest.mark.parametrize("case", CASES)
def test_a_script_that_was_thought_of_keeps_the_laws(case: str, memory_path: Path, home: Path) -> None:
    play(parse(CASES[case]), memory_path, home, forked=case in APART)


@pytest.mark.parametrize("case", FOUND_CASES)
def test_a_script_that_once_broke_a_law_keeps_them(case: str, memory_path: Path, home: Path) -> None:
    play(parse(FOUND_CASES[case]), memory_path, home)


@pytest.mark.campaign("whose-change")
@pytest.mark.parametrize("shard", campaigns.shards(200, slice=5))
def test_a_script_at_random_keeps_the_laws(shard: int, home: Path, record_property: counts.Tell) -> None:
    tally: Counter[str] = Counter()
    for number in range(shard * SEEDS, (shard + 1) * SEEDS):
        script = Generator(campaigns.seed() * 1_000_000 + number).script()
        forked = number % FORKED == 0
        with directory(shard) as path:
            try:
                tally += play(script, path, home, forked=forked)
                continue
            except Broken as found:
                broken = found
        pytest.fail(f"seed {number}: {explain(script, shard, home, broken, forked=forked)}")
    assert any(tally[f"undo {code}"] for code in (DONE, PARTIAL, CONFLICT)), "nothing was taken back"
    campaigns.count_runs(record_property, SEEDS)
    told = ", ".join(f"{count} × {what}" for what, count in sorted(tally.items()))
    counts.tell(record_property, f"whose change, shard {shard}: {told}")
