from __future__ import annotations

import asyncio
import json
import operator
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command, Send, interrupt

import takeback as tb
from support.hooks.program import eventually
from support.langgraph_parts import Numbers, Parrot, chat, thread, values
from takeback.adapters.langgraph import TakebackSaver


def test_a_conversation_goes_on_where_it_was(saver: TakebackSaver) -> None:
    model = Parrot()
    graph = chat(saver, model)
    graph.invoke({"messages": [HumanMessage("hello", id="1")]}, thread())
    graph.invoke({"messages": [HumanMessage("again", id="2")]}, thread())
    assert [message.content for message in model.heard[-1]] == ["hello", "I heard 1", "again"]
    assert model.heard[-1] == graph.get_state(thread()).values["messages"][:3]


def test_a_graph_sees_the_same_with_this_saver_as_with_langgraphs_own(saver: TakebackSaver) -> None:
    def histories(checkpointer: Any) -> list[Any]:
        graph = chat(checkpointer, Parrot())
        for number in range(3):
            graph.invoke({"messages": [HumanMessage(f"question {number}", id=str(number))]}, thread())
        return [
            ([(type(each), each.content) for each in state.values.get("messages", [])], state.next, state.metadata)
            for state in graph.get_state_history(thread())
        ]

    assert histories(saver) == histories(InMemorySaver())


def test_async_and_sync_callers_see_one_thread(saver: TakebackSaver) -> None:
    graph = chat(saver, Parrot())

    async def talk() -> Any:
        await graph.ainvoke({"messages": [HumanMessage("hello", id="1")]}, thread())
        return [state async for state in graph.aget_state_history(thread())]

    history = asyncio.run(talk())
    assert [state.config for state in history] == [state.config for state in graph.get_state_history(thread())]
    graph.invoke({"messages": [HumanMessage("again", id="2")]}, thread())
    assert len(asyncio.run(graph.aget_state(thread())).values["messages"]) == 4


def test_the_model_of_another_process_is_given_identical_messages(tmp_path: Path) -> None:
    messages = [
        HumanMessage("look", id="h1", additional_kwargs={"colour": "blue"}),
        AIMessage("", id="a1", tool_calls=[{"name": "look", "args": {"at": [1, 2.5, None]}, "id": "c1"}]),
        ToolMessage("nothing there", id="t1", tool_call_id="c1", artifact={"bytes": 3}, status="error"),
    ]
    with TakebackSaver(tmp_path / "store") as saver:
        chat(saver, Parrot()).invoke({"messages": messages}, thread())
        before = [message.model_dump(mode="json") for message in values(saver, thread())["messages"]]
    script = f"""
import json
from langchain_core.messages import HumanMessage
from support.hooks.program import eventually
from support.langgraph_parts import Parrot, chat, thread
from takeback.adapters.langgraph import TakebackSaver
model = Parrot()
with TakebackSaver({str(tmp_path / "store")!r}) as saver:
    chat(saver, model).invoke({{"messages": [HumanMessage("and now?", id="h2")]}}, thread())
print(json.dumps([message.model_dump(mode="json") for message in model.heard[0]]))
"""
    tests = Path(__file__).parents[2]
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=tests)
    heard = json.loads(run.stdout)
    assert heard[:-1] == before
    assert [each["content"] for each in heard] == ["look", "", "nothing there", "I heard 3", "and now?"]


def test_an_interrupt_waits_in_the_store_for_another_saver(tmp_path: Path) -> None:
    def build(saver: TakebackSaver) -> Any:
        def ask(state: Numbers) -> Any:
            return {"numbers": [interrupt({"question": "which?"})]}

        graph = StateGraph(Numbers)
        graph.add_node("ask", ask)
        graph.add_edge(START, "ask")
        return graph.compile(checkpointer=saver)

    with TakebackSaver(tmp_path / "store") as saver:
        result = build(saver).invoke({"numbers": [1]}, thread())
        assert result["__interrupt__"][0].value == {"question": "which?"}
    with TakebackSaver(tmp_path / "store") as saver:
        graph = build(saver)
        assert graph.get_state(thread()).next == ("ask",)
        assert graph.invoke(Command(resume=7), thread())["numbers"] == [1, 7]


def test_a_failed_step_keeps_what_the_others_of_it_wrote(saver: TakebackSaver) -> None:
    ran: list[str] = []
    broken = [True]

    def good(state: Numbers) -> Any:
        ran.append("good")
        return {"numbers": [1]}

    def is_kept() -> bool:
        found = saver.get_tuple(thread())
        return found is not None and any(value == [1] for _, _, value in found.pending_writes or ())

    def bad(state: Numbers) -> Any:
        ran.append("bad")
        if broken:
            eventually(is_kept)  # who fails first takes those along who have not ended
            raise RuntimeError("not yet")
        return {"numbers": [2]}

    graph = StateGraph(Numbers)
    graph.add_node("good", good)
    graph.add_node("bad", bad)
    graph.add_edge(START, "good")
    graph.add_edge(START, "bad")
    compiled = graph.compile(checkpointer=saver)
    with pytest.raises(RuntimeError, match="not yet"):
        compiled.invoke({"numbers": []}, thread(), durability="sync")
    broken.clear()
    assert sorted(compiled.invoke(None, thread())["numbers"]) == [1, 2]
    assert ran.count("good") == 1


def test_going_back_in_time_makes_a_fork_and_leaves_the_rest(saver: TakebackSaver) -> None:
    graph = StateGraph(Numbers)
    graph.add_node("double", lambda state: {"numbers": [state["numbers"][-1] * 2]})
    graph.add_edge(START, "double")
    compiled = graph.compile(checkpointer=saver)
    for _ in range(3):
        compiled.invoke({"numbers": [3]}, thread())
    history = list(compiled.get_state_history(thread()))
    past = next(state for state in history if state.values.get("numbers") == [3, 6])
    changed = compiled.update_state(past.config, {"numbers": [100]})
    assert compiled.get_state(changed).values["numbers"] == [3, 6, 100]
    assert compiled.get_state(past.config).values["numbers"] == [3, 6]
    assert compiled.invoke({"numbers": [5]}, changed)["numbers"] == [3, 6, 100, 5, 10]
    assert compiled.get_state(history[0].config).values["numbers"] == [3, 6, 3, 6, 3, 6]


def test_parallel_nodes_and_sends(saver: TakebackSaver) -> None:
    class Work(TypedDict):
        numbers: list[int]
        squares: Annotated[list[int], operator.add]

    graph = StateGraph(Work)
    graph.add_node("square", lambda given: {"squares": [given["number"] ** 2]})
    graph.add_conditional_edges(START, lambda state: [Send("square", {"number": each}) for each in state["numbers"]])
    compiled: Any = graph.compile(checkpointer=saver)
    result = compiled.invoke({"numbers": list(range(20))}, thread())
    assert result["squares"] == [number**2 for number in range(20)]
    assert compiled.get_state(thread()).values["squares"] == result["squares"]


def test_subgraphs_keep_their_state_in_namespaces_of_their_own(saver: TakebackSaver) -> None:
    inner = StateGraph(Numbers)
    inner.add_node("ask", lambda state: {"numbers": [interrupt("how many?")]})
    inner.add_edge(START, "ask")
    outer = StateGraph(Numbers)
    outer.add_node("inner", inner.compile())
    outer.add_edge(START, "inner")
    graph: Any = outer.compile(checkpointer=saver)
    graph.invoke({"numbers": [1]}, thread())
    state = graph.get_state(thread(), subgraphs=True)
    assert state.tasks[0].state.values["numbers"] == [1]
    namespaces = {each.config["configurable"]["checkpoint_ns"] for each in saver.list(thread())}
    assert "" in namespaces and len(namespaces) == 2
    assert graph.invoke(Command(resume=5), thread())["numbers"] == [1, 1, 5]


@pytest.mark.parametrize("durability", ["sync", "async", "exit"])
def test_every_durability(saver: TakebackSaver, durability: Any) -> None:
    graph = chat(saver, Parrot())
    for number in range(4):
        graph.invoke({"messages": [HumanMessage("hi", id=str(number))]}, thread(), durability=durability)
    assert len(graph.get_state(thread()).values["messages"]) == 8


def test_a_message_that_was_changed_in_place_is_recorded_as_it_is_now(saver: TakebackSaver) -> None:
    def censor(state: MessagesState) -> Any:
        state["messages"][0].content = "[removed]"
        state["messages"][0].additional_kwargs["by"] = ["censor"]
        return {"messages": [AIMessage("done", id="a")]}

    graph = StateGraph(MessagesState)
    graph.add_node("censor", censor)
    graph.add_edge(START, "censor")
    compiled = graph.compile(checkpointer=saver)
    compiled.invoke({"messages": [HumanMessage("a secret", id="h")]}, thread())
    first = compiled.get_state(thread()).values["messages"][0]
    assert (first.content, first.additional_kwargs) == ("[removed]", {"by": ["censor"]})


def test_messages_can_be_removed_from_the_beginning(saver: TakebackSaver) -> None:
    graph = chat(saver, Parrot())
    for number in range(6):
        graph.invoke({"messages": [HumanMessage(f"{number}", id=str(number))]}, thread())
    graph.update_state(thread(), {"messages": [RemoveMessage(id="0"), RemoveMessage(id="1")]})
    contents = [each.content for each in graph.get_state(thread()).values["messages"]]
    assert contents[:3] == ["I heard 1", "I heard 3", "2"]


def test_the_log_of_a_thread_reads_as_one_of_a_timeline(saver: TakebackSaver) -> None:
    chat(saver, Parrot()).invoke({"messages": [HumanMessage("hello", id="1")]}, thread("my thread/1"))
    line = saver.store.timeline("langgraph/my%20thread%2F1")
    rows = line.log().snapshots
    config = saver.get_tuple(thread("my thread/1")).config["configurable"]  # type: ignore[union-attr]
    shown = line.show(f"checkpoint {config['checkpoint_id']}")
    assert rows and shown.context["langgraph"]["thread"] == "my thread/1"
    assert shown.context["langgraph"]["step"] == 1
    assert set(shown.parts) <= {"checkpoint", "writes"}


def test_threads_of_one_store_do_not_meet(saver: TakebackSaver) -> None:
    graph = chat(saver, Parrot())
    for id in ("a", "b", "a%62", "a b", "ä", "\udc80", "x" * 300, "@", "1"):
        graph.invoke({"messages": [HumanMessage(id.encode(errors="replace").decode(), id="1")]}, thread(id))
    assert len({each.config["configurable"]["thread_id"] for each in saver.list(None)}) == 9
    for each in ("a", "a%62", "\udc80", "@"):
        assert len(graph.get_state(thread(each)).values["messages"]) == 2


def test_a_number_is_a_thread_as_well(saver: TakebackSaver) -> None:
    graph = chat(saver, Parrot())
    graph.invoke({"messages": [HumanMessage("hello", id="1")]}, {"configurable": {"thread_id": 7}})
    assert len(graph.get_state({"configurable": {"thread_id": 7}}).values["messages"]) == 2


def test_a_store_of_the_callers_own_is_left_open(tmp_path: Path) -> None:
    with tb.open(tmp_path / "store") as store:
        with TakebackSaver(store) as saver:
            chat(saver, Parrot()).invoke({"messages": [HumanMessage("hello", id="1")]}, thread())
        assert [row.name for row in store.timelines()] == ["langgraph/t"]
