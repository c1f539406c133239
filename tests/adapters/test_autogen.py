"""AutoGen with real agents and teams: they come back by their own load_state, in place."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any, cast

import pytest
from autogen_agentchat.agents import AssistantAgent

import takeback as tb
from support.frameworks.autogen import Script, first_task, line, team
from support.frameworks.elsewhere import elsewhere
from takeback.adapters.autogen import AutogenState
from takeback.sources.protocol import Source
from takeback.testing import SourceSuite


@pytest.fixture
def store() -> tb.Store:
    return tb.open(":memory:")


def test_a_team_goes_on_in_another_process_where_it_was_saved(tmp_path: Path) -> None:
    place = str(tmp_path / "store")
    own, saved = elsewhere(first_task, place)

    async def go_on() -> tuple[list[Any], Mapping[str, Any]]:
        model = Script(first=3)
        chat = team(model)
        with tb.open(place) as store:
            await line(store, chat).aio.restore("@")
        state = await chat.save_state()
        await chat.run(task="another one")
        return model.heard, state

    heard, state = asyncio.run(go_on())
    assert state == saved
    assert heard == own
    assert len(heard) == 2 and len(heard[0]) > 3


def test_undo_takes_back_the_turn_of_a_team_and_its_files(store: tb.Store, tmp_path: Path) -> None:
    async def play() -> None:
        model = Script()
        chat = team(model)
        timeline = line(store, chat, tb.Workspace(tmp_path))
        before = await chat.save_state()
        async with timeline.turn("a poem"):
            await chat.run(task="write a poem")
            (tmp_path / "poem").write_text("roses")
        after = await chat.save_state()
        await timeline.aio.undo()
        assert await chat.save_state() == before
        assert not (tmp_path / "poem").exists()
        await timeline.aio.redo()
        assert await chat.save_state() == after
        assert (tmp_path / "poem").read_text() == "roses"

    asyncio.run(play())


def test_what_was_not_saved_yet_is_saved_before_a_restore(store: tb.Store) -> None:
    async def play() -> None:
        chat = team(Script())
        timeline = line(store, chat)
        await timeline.aio.save("empty")
        await chat.run(task="write a poem")
        unsaved = await chat.save_state()
        report = await timeline.aio.restore("empty")
        assert timeline.value(report.safety, "team") == unsaved
        await timeline.aio.restore(report.safety)
        assert await chat.save_state() == unsaved

    asyncio.run(play())


def test_a_single_agent_and_plain_verbs_where_no_loop_runs(store: tb.Store) -> None:
    model = Script()
    agent = AssistantAgent("writer", model_client=model)
    timeline = line(store, agent)
    first = timeline.save()
    asyncio.run(agent.run(task="hello"))
    timeline.save()
    timeline.restore(first)
    asyncio.run(agent.run(task="hello"))
    assert model.heard[0] == model.heard[1]


def test_a_verb_that_would_wait_for_itself_is_refused(store: tb.Store) -> None:
    async def play() -> None:
        timeline = line(store, team(Script()))
        with pytest.raises(tb.InvalidInput, match="await line.aio.save"):
            timeline.save()
        assert timeline.head is None

    asyncio.run(play())


class Stubborn:
    """Takes what it is told to load only in part, if it ``fails``."""

    def __init__(self) -> None:
        self.state: dict[str, Any] = {"a": 1, "b": 1}
        self.fails = False

    async def save_state(self) -> Mapping[str, Any]:
        return deepcopy(self.state)

    async def load_state(self, state: Mapping[str, Any]) -> None:
        self.state["a"] = state["a"]
        if self.fails:
            self.fails = False
            raise ValueError("not that")
        self.state = deepcopy(dict(state))


def test_a_load_that_fails_half_way_is_taken_back(store: tb.Store) -> None:
    owner = Stubborn()
    timeline = store.timeline("team", sources=[AutogenState("team", owner)])
    first = timeline.save()
    owner.state = {"a": 2, "b": 2}
    timeline.save()
    owner.fails = True
    with pytest.raises(ValueError, match="not that"):
        timeline.restore(first)
    assert owner.state == {"a": 2, "b": 2}


class TestSource(SourceSuite):
    """What any source promises."""

    SEPARABLE = False

    def make(self, place: Path) -> Source:
        self.owner = Stubborn()
        return AutogenState("team", self.owner)

    def change(self, source: Source, number: int) -> None:
        self.owner.state[f"number {number}"] = [number] * 2000
        self.owner.state["a"] = number + 2

    def read(self, source: Source) -> object:
        return deepcopy(self.owner.state)

    traces = read

    test_the_same_state_can_be_put_elsewhere = None  # type: ignore[assignment] # but in another team: see above


def test_what_has_no_state_of_its_own_is_refused_at_once() -> None:
    with pytest.raises(tb.InvalidInput, match="save_state") as caught:
        AutogenState("team", cast(Any, object()))
    assert "tb.State" in caught.value.hints[0]
