"""Turns of each agent, twelve in `make test` and forty times thirty in `make soak`, in its own words: two sessions in the middle of each other, subagents, calls at once, failures,
Esc, commands in the background, other directories, a person who edits meanwhile. Each turn that changed something is one
move, and taking it back changes what it changed and nothing else."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from support import campaigns, counts
from support.hooks.forked import Hooks
from support.hooks.model import Turn
from support.hooks.sessions import Say, Script, Workplace, as_program
from support.hooks.voices import VOICES

pytestmark = pytest.mark.campaign("hooks-turns")

TURNS = campaigns.size(12, 30)
SOME = ("claude-code", "opencode")
"""Agents that `make test` has; all of them meet in another test."""
TAKEN_BACK = 4
"""Turns of a history that can be taken back, at least: fewer would test nothing. The campaign counts all of them."""


def workplace(base: Path, say: Say, monkeypatch: pytest.MonkeyPatch) -> Workplace:
    place = Workplace(base, say)
    monkeypatch.setenv("TAKEBACK_STORE", str(place.world.store_path))
    place.write("a.txt", "there before\n")
    return place


def moves_of(place: Workplace) -> dict[Turn, str]:
    """The move of each turn; several may have one title, if the agent went on after it had ended."""
    found: dict[tuple[str, str], list[str]] = {}
    for move in sorted(place.world.moves(), key=lambda each: each.opened_ns):
        if move.level == "turn":
            found.setdefault((move.session, move.title), []).append(move.id)
    changed = [turn for turn in place.model.turns if turn.closing is None or turn.changed]
    return {turn: found[turn.session, turn.title].pop(0) for turn in changed}


def check(place: Workplace, dice: random.Random) -> tuple[int, int]:
    """All that must hold; how many turns were taken back, and how many of those with --shared."""
    model, world = place.model, place.world
    model.saved(world.files())
    told = [(move.session, move.title) for move in world.moves() if move.level == "turn"]
    assert sorted(told) == sorted(model.moves())
    for session in {turn.session for turn in model.turns}:
        listed = world.line.log(session=session).moves
        assert {move.session for move in listed} <= {session}
        assert sorted((move.session, move.title) for move in listed if move.level == "turn") == sorted(
            model.moves(session)
        )
    ids = moves_of(place)
    tried = [0, 0]
    for turn in dice.sample(model.turns, len(model.turns)):
        for shared in (False, True):
            if (expected := model.undone(turn, shared)) is None or expected == model.last:
                continue
            report = world.undo(ids[turn], shared=shared)
            assert world.files() == expected, (turn.session, turn.title, report)
            world.redo()
            assert world.files() == model.last
            tried[shared] += 1
    health = world.store.verify(read_data=True)
    assert health.ok, health.problems
    return tried[0], tried[1]


@pytest.mark.parametrize("shard", campaigns.shards(40))
@pytest.mark.parametrize(
    "agent",
    [agent if agent in SOME else pytest.param(agent, marks=pytest.mark.soak) for agent in VOICES],
)
def test_turns_of_two_sessions_are_moves_that_can_be_taken_back(
    agent: str,
    shard: int,
    hooks: Hooks,
    memory_path: Path,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    record_property: counts.Tell,
) -> None:
    place, dice = workplace(memory_path, hooks, monkeypatch), random.Random(campaigns.seed() * 1000 + shard)
    voices = [VOICES[agent](session, place.root, str(home)) for session in ("one", "two")]
    Script(place, dice).run(voices, TURNS)
    plain, shared = check(place, dice)
    assert plain >= TAKEN_BACK
    campaigns.count_runs(record_property, len(place.model.turns))
    counts.tell(record_property, f"{agent}: {len(place.model.turns)} turns, {plain} taken back, {shared} with --shared")


@pytest.mark.parametrize("agent", ["claude-code", *campaigns.rest(agent for agent in VOICES if agent != "claude-code")])
def test_turns_are_told_to_the_real_program(
    agent: str, memory_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, dice = workplace(memory_path, as_program, monkeypatch), random.Random(7)
    voices = [VOICES[agent](session, place.root, str(home)) for session in ("one", "two")]
    Script(place, dice).run(voices, 4)
    check(place, dice)


def test_sessions_of_different_agents_share_a_workplace(
    hooks: Hooks, memory_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, dice = workplace(memory_path, hooks, monkeypatch), random.Random(3)
    voices = [VOICES[agent](f"of {agent}", place.root, str(home)) for agent in VOICES]
    Script(place, dice).run(voices, campaigns.size(10, 30))
    check(place, dice)
