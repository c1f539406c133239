"""The staged story is what tests of the faces, and screenshots, are about: what it holds is told here."""

from __future__ import annotations

from pathlib import Path

import pytest

import takeback as tb
from support.stage import BAD, HOSTILE_NAME, HOSTILE_PROMPT, Story, story

pytestmark = pytest.mark.service("git")
NOON = 1_800_000_000 * 10**9


def test_a_story_verifies_and_looks_the_same_each_time(tmp_path: Path) -> None:
    told = []
    for place in (tmp_path / "one", tmp_path / "two"):
        staged = story(place, NOON)
        with tb.open(staged.store) as store:
            assert not store.verify(read_data=True).problems
            log = store.timeline("main", root=str(staged.root)).log()
            told.append([(move.id, move.opened_ns, move.title) for move in log.moves])
    assert told[0] == told[1]


def test_a_story_holds_a_bad_turn_whose_push_stays_and_hostile_words(told_story: Story) -> None:
    staged = told_story
    with tb.open(staged.store) as store:
        line = store.timeline("main", sources=[tb.Workspace(staged.root)])
        (bad,) = (move for move in line.log().moves if move.title == BAD)
        plan = line.plan_undo(bad.id)
        assert [effect.what for effect in plan.outside] == ["git push --force origin main"]
        assert len(plan.effects) == 9
        assert HOSTILE_PROMPT in {move.title for move in line.log().moves}
        assert (staged.root / "tests/names" / HOSTILE_NAME).exists()
        assert {"workspace", "team", "memory"} == set(line.show("@").parts)
        assert line.show("v1.0").trigger == "after_action"
        assert not line.show("@").missed
        other = store.timeline("attempt-2", root=str(staged.fork))
        assert len([move for move in other.log().moves if move.level == "turn"]) == 3
