from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langgraph.graph import START, StateGraph
from langgraph.types import Command, interrupt

import takeback as tb
from support.langgraph_parts import Numbers, put, thread, values
from takeback.adapters.langgraph import TakebackSaver
from takeback.errors import InvalidInput, NotFound


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / "a.txt").write_text("0")
    return root


@pytest.fixture
def saver(tmp_path: Path, project: Path) -> Iterator[TakebackSaver]:
    with TakebackSaver(tmp_path / "store", sources=[tb.Workspace(project)]) as made:
        yield made


def steps(saver: TakebackSaver, project: Path) -> list[Any]:
    """Three checkpoints, before each of which a file changed."""
    configs = [thread()]
    for step in (1, 2, 3):
        (project / "a.txt").write_text(str(step))
        configs.append(put(saver, {"a": step}, configs[-1], step=step))
        saver.put_writes(configs[-1], [("a", step)], "task")
    return configs[1:]


def test_each_checkpoint_carries_the_workspace_of_its_moment(saver: TakebackSaver, project: Path) -> None:
    first, second, _ = steps(saver, project)
    (project / "b.txt").write_text("not in any checkpoint")
    report = saver.restore_sources(first)
    assert (project / "a.txt").read_text() == "1"
    assert not (project / "b.txt").exists()
    assert set(report.changed) == {"a.txt", "b.txt"} and report.verified
    asyncio.run(saver.arestore_sources(second))
    assert (project / "a.txt").read_text() == "2"


def test_the_present_is_saved_before_it_is_replaced(saver: TakebackSaver, project: Path) -> None:
    first, *_ = steps(saver, project)
    (project / "b.txt").write_text("precious")
    saver.restore_sources(first)
    saver.store.timeline("langgraph/t", sources=[tb.Workspace(project)]).undo()
    assert (project / "b.txt").read_text() == "precious"
    assert (project / "a.txt").read_text() == "3"


def test_a_restore_leaves_the_checkpoints_as_they_are(saver: TakebackSaver, project: Path) -> None:
    configs = steps(saver, project)
    before = list(saver.list(thread()))
    saver.restore_sources(configs[0])
    assert list(saver.list(thread())) == before
    put(saver, {"a": 4}, configs[2], step=4)
    saver.restore_sources(configs[2])
    assert (project / "a.txt").read_text() == "3"
    saver.restore_sources(thread())
    assert (project / "a.txt").read_text() == "1"


def test_looking_never_touches_a_source(saver: TakebackSaver, project: Path) -> None:
    configs = steps(saver, project)
    project.rename(project.with_name("elsewhere"))
    assert values(saver, configs[0]) == {"a": 1}
    assert len(list(saver.list(thread()))) == 3
    saver.copy_thread("t", "copy")
    saver.prune(["t"])
    assert len(list(saver.list(thread()))) == 1


def test_writes_alone_do_not_look_at_the_workspace(saver: TakebackSaver, project: Path) -> None:
    (config,) = steps(saver, project)[:1]
    (project / "a.txt").write_text("changed")
    saver.put_writes(config, [("a", 9)], "other")
    saver.restore_sources(config)
    assert (project / "a.txt").read_text() == "1"


def test_a_graph_whose_nodes_work_on_files_goes_back_in_time_with_them(saver: TakebackSaver, project: Path) -> None:
    def work(state: Numbers) -> Any:
        (project / f"{len(state['numbers'])}.txt").write_text("made")
        return {"numbers": [len(state["numbers"])]}

    graph = StateGraph(Numbers)
    graph.add_node("work", work)
    graph.add_edge(START, "work")
    compiled: Any = graph.compile(checkpointer=saver)
    for _ in range(2):
        compiled.invoke({"numbers": [0]}, thread(), durability="sync")
    assert {path.name for path in project.iterdir()} == {"a.txt", "1.txt", "3.txt"}
    past = next(state for state in compiled.get_state_history(thread()) if len(state.values["numbers"]) == 2)
    saver.restore_sources(past.config)
    assert {path.name for path in project.iterdir()} == {"a.txt", "1.txt"}
    assert compiled.invoke({"numbers": [0]}, past.config)["numbers"] == [0, 1, 0, 3]


def test_one_restore_takes_the_graph_and_its_files_back_and_the_thread_goes_on_from_there(
    saver: TakebackSaver, project: Path
) -> None:
    def work(state: Numbers) -> Any:
        (project / "a.txt").write_text(str(state["numbers"]))
        return {"numbers": [len(state["numbers"])]}

    compiled: Any = StateGraph(Numbers).add_node("work", work).add_edge(START, "work").compile(checkpointer=saver)
    compiled.invoke({"numbers": [0]}, thread())
    before = compiled.get_state(thread())
    compiled.invoke({"numbers": [7]}, thread())
    after = compiled.get_state(thread())

    report = saver.restore(before.config)
    assert report.verified and report.changed == ("a.txt",)
    here = compiled.get_state(thread())
    assert (here.values, here.next, here.parent_config) == (before.values, before.next, before.parent_config)
    assert here.metadata["source"] == "fork"
    assert (project / "a.txt").read_text() == "[0]"
    assert compiled.invoke({"numbers": [8]}, thread())["numbers"] == [0, 1, 8, 3]

    asyncio.run(saver.arestore(after.config))
    assert compiled.get_state(thread()).values == after.values, "what came later is still there"
    assert (project / "a.txt").read_text() == "[0, 1, 7]"


def test_a_graph_that_was_broken_off_can_be_put_back_and_goes_on_where_it_was(
    saver: TakebackSaver, project: Path
) -> None:
    def step(name: str) -> Any:
        def work(state: Numbers) -> Any:
            (project / name).write_text("made")
            return {"numbers": [len(state["numbers"])]}

        return work

    graph = StateGraph(Numbers).add_node("one", step("one")).add_node("two", step("two"))
    compiled: Any = (
        graph.add_edge(START, "one").add_edge("one", "two").compile(checkpointer=saver, interrupt_before=["two"])
    )
    compiled.invoke({"numbers": [0]}, thread())
    before = compiled.get_state(thread())
    assert before.next == ("two",)
    compiled.invoke(None, thread())
    saver.restore(before.config)
    assert not (project / "two").exists()
    assert compiled.get_state(thread()).next == ("two",)
    assert compiled.invoke(None, thread())["numbers"] == [0, 1, 2]
    assert (project / "two").read_text() == "made"


def test_a_question_to_a_person_can_be_answered_again_and_what_ran_beside_it_runs_again(
    saver: TakebackSaver, project: Path
) -> None:
    def beside(state: Numbers) -> Any:
        with (project / "beside").open("a") as file:
            file.write("ran\n")
        return {"numbers": [5]}

    graph = StateGraph(Numbers).add_node("ask", lambda state: {"numbers": [interrupt("how many?")]})
    graph.add_node("beside", beside).add_edge(START, "ask").add_edge(START, "beside")
    compiled: Any = graph.compile(checkpointer=saver)
    compiled.invoke({"numbers": [0]}, thread(), durability="sync")
    asked = compiled.get_state(thread())
    assert asked.next == ("ask",)
    assert compiled.invoke(Command(resume=1), thread())["numbers"] == [0, 1, 5]
    saver.restore(asked.config)
    assert not (project / "beside").exists()
    assert compiled.get_state(thread()).next == ("ask", "beside")
    assert compiled.invoke(Command(resume=2), thread())["numbers"] == [0, 2, 5]
    assert (project / "beside").read_text() == "ran\n"


def test_to_restore_the_latest_checkpoint_makes_no_other(saver: TakebackSaver, project: Path) -> None:
    steps(saver, project)
    before = list(saver.list(thread()))
    (project / "a.txt").unlink()
    saver.restore(thread())
    assert (project / "a.txt").read_text() == "3"
    assert list(saver.list(thread())) == before


def test_what_cannot_be_restored_is_said(saver: TakebackSaver, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no such checkpoint"):
        saver.restore_sources(thread())
    with pytest.raises(NotFound, match="no such checkpoint"):
        saver.restore(thread())
    bare = TakebackSaver(tmp_path / "other")
    put(bare, {"a": 1})
    with pytest.raises(InvalidInput, match="carries none"):
        bare.restore_sources(thread())
    bare.close()


def test_the_store_is_sound_after_checkpoints_with_files(saver: TakebackSaver, project: Path) -> None:
    configs = steps(saver, project)
    saver.prune(["t"])
    saver.store.maintain()
    assert saver.store.verify(read_data=True).ok
    (project / "a.txt").unlink()
    saver.restore_sources(configs[2])
    assert (project / "a.txt").read_text() == "3"


@pytest.mark.parametrize("writes", [False, True])
def test_what_a_person_asks_of_an_object_among_the_sources_is_done_before_the_next_checkpoint(
    tmp_path: Path, writes: bool
) -> None:
    memory = ["first"]
    with TakebackSaver(tmp_path / "store", sources=[tb.State("memory", memory)]) as saver:
        first = put(saver, {"a": 1}, thread())
        memory.append("second")
        put(saver, {"a": 2}, first, step=2)
        line = saver.store.timeline("langgraph/t")
        assert line.restore("root", only=["memory"]).pending == ("memory",)
        assert memory == ["first", "second"]
        if writes:
            saver.put_writes(first, [("a", 3)], "task")
        else:
            put(saver, {"a": 3}, first, step=3)
        assert memory == ["first"]
        assert not line.show("@").parts["memory"].pending


def test_a_person_who_restores_a_snapshot_is_told_that_checkpoints_are_not_put_back(
    saver: TakebackSaver, project: Path
) -> None:
    _, _, last = steps(saver, project)
    line = saver.store.timeline("langgraph/t", sources=[tb.Workspace(project)])
    report = line.restore("root")
    assert report.changed == ("a.txt",) and report.pending == ()
    assert [item.part for item in report.kept] == ["checkpoint"]
    assert line.undo().changed == ("a.txt",)
    assert values(saver, last) == {"a": 3}
