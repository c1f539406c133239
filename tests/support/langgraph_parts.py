"""Checkpoints, and graphs with a model that is none, for tests of the LangGraph saver."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, TypedDict

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.checkpoint.base.id import uuid6
from langgraph.graph import END, START, MessagesState, StateGraph
from pydantic import Field

from takeback.adapters.langgraph import TakebackSaver


def thread(id: str = "t", **more: str) -> Any:
    return {"configurable": {"thread_id": id, **more}}


def put(
    saver: TakebackSaver,
    values: Mapping[str, Any],
    config: Any = None,
    *,
    id: str | None = None,
    step: int = 0,
    **metadata: Any,
) -> Any:
    """Put a checkpoint after the one that the config names; its config."""
    checkpoint = {
        "v": 4,
        "id": id or str(uuid6(clock_seq=step)),
        "ts": datetime.now(UTC).isoformat(),
        "channel_values": dict(values),
        "channel_versions": dict.fromkeys(values, step + 1),
        "versions_seen": {},
        "updated_channels": None,
    }
    place = dict((config or thread())["configurable"])
    place.setdefault("checkpoint_ns", "")
    known = {"source": "loop", "step": step, "parents": {}, **metadata}
    return saver.put({"configurable": place}, checkpoint, known, {})  # type: ignore[arg-type]


def values(saver: TakebackSaver, config: Any) -> dict[str, Any]:
    found = saver.get_tuple(config)
    assert found is not None
    return found.checkpoint["channel_values"]


class Parrot(BaseChatModel):
    """Answers with how many messages it was given, and remembers them."""

    heard: list[list[BaseMessage]] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "parrot"

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        self.heard.append(list(messages))
        return ChatResult(generations=[ChatGeneration(message=AIMessage(content=f"I heard {len(messages)}"))])


def chat(saver: Any, model: Parrot) -> Any:
    """A conversation: each turn the model is given all messages so far."""
    graph = StateGraph(MessagesState)
    graph.add_node("model", lambda state: {"messages": [model.invoke(state["messages"])]})
    graph.add_edge(START, "model")
    graph.add_edge("model", END)
    return graph.compile(checkpointer=saver)


class Numbers(TypedDict):
    numbers: Annotated[list[int], operator.add]
