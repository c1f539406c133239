"""Delta channels, whose value is no part of most checkpoints."""

from __future__ import annotations

import operator
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from langgraph.channels import DeltaChannel
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph

import takeback as tb
from support.langgraph_parts import thread
from takeback.adapters.langgraph import TakebackSaver


def build(saver: Any, frequency: int) -> Any:
    def extend(state: list[str], writes: list[list[str]]) -> list[str]:
        return [*state, *(each for write in writes for each in write)]

    said = Annotated[list[str], DeltaChannel(extend, snapshot_frequency=frequency)]
    State = TypedDict("State", {"said": said, "count": Annotated[int, operator.add]})  # noqa: UP013
    graph = StateGraph(State)
    graph.add_node("echo", lambda state: {"said": [f"echo of {state['said'][-1]}"], "count": 1})
    graph.add_node("beside", lambda state: {"said": ["beside"]})
    graph.add_edge(START, "echo")
    graph.add_edge(START, "beside")
    return graph.compile(checkpointer=saver)


def talk(graph: Any, turns: int) -> list[str]:
    said: list[str] = []
    for number in range(turns):
        said = graph.invoke({"said": [str(number)], "count": 0}, thread())["said"]
    return said


@pytest.mark.parametrize("frequency", [1, 3, 1000])
def test_a_delta_channel_comes_back_whole(saver: TakebackSaver, frequency: int) -> None:
    graph = build(saver, frequency)
    said = talk(graph, 8)
    assert len(said) == 24
    assert graph.get_state(thread()).values["said"] == said
    assert said == talk(build(InMemorySaver(), frequency), 8)


@pytest.mark.parametrize("frequency", [1, 3, 1000])
def test_pruning_a_thread_keeps_what_a_delta_channel_is_made_of(saver: TakebackSaver, frequency: int) -> None:
    graph = build(saver, frequency)
    said = talk(graph, 8)
    before = len(list(saver.list(thread())))
    saver.prune(["t"])
    assert graph.get_state(thread()).values["said"] == said
    saver.store.maintain()
    assert saver.store.verify(read_data=True).ok
    assert graph.invoke({"said": ["more"], "count": 0}, thread())["said"][: len(said) + 1] == [*said, "more"]
    left = len(list(saver.list(thread())))
    assert left < before if frequency < 1000 else left >= before


def test_a_copied_thread_has_its_delta_channels(saver: TakebackSaver) -> None:
    graph = build(saver, 3)
    said = talk(graph, 5)
    saver.copy_thread("t", "copy")
    saver.delete_thread("t")
    assert graph.get_state(thread("copy")).values["said"] == said


@pytest.mark.parametrize("frequency", [1, 3, 1000])
def test_a_thread_that_was_put_back_has_its_delta_channels_and_goes_on(tmp_path: Path, frequency: int) -> None:
    (tmp_path / "project").mkdir()
    with TakebackSaver(tmp_path / "store", sources=[tb.Workspace(tmp_path / "project")]) as saver:
        graph = build(saver, frequency)
        said = talk(graph, 5)
        before = graph.get_state(thread()).config
        later = graph.invoke({"said": ["oh no"], "count": 0}, thread())["said"]
        after = graph.get_state(thread()).config
        saver.restore(before)
        assert graph.get_state(thread()).values == {"said": said, "count": 5}
        assert graph.invoke({"said": ["more"], "count": 0}, thread())["said"][: len(said) + 1] == [*said, "more"]
        saver.restore(after)
        assert graph.get_state(thread()).values == {"said": later, "count": 6}


def test_the_history_of_channels_is_what_langgraphs_own_walk_finds(saver: TakebackSaver) -> None:
    talk(build(saver, 3), 7)
    from langgraph.checkpoint.base import BaseCheckpointSaver

    for each in saver.list(thread()):
        config = each.config
        ours = saver.get_delta_channel_history(config=config, channels=["said", "count", "nothing"])
        theirs = BaseCheckpointSaver.get_delta_channel_history(
            saver, config=config, channels=["said", "count", "nothing"]
        )
        assert ours == theirs
