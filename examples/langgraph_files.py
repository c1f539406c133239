"""A LangGraph agent that works on files: its checkpoints and the files are the same snapshots, and go back together.

    pip install 'takeback[langgraph]'
    python langgraph_files.py [DIRECTORY]

The model is a stand-in that needs no network and no key. With a DIRECTORY, all that it makes stays there to be looked at.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

import takeback as tb
from takeback.adapters.langgraph import TakebackSaver


class StandIn(BaseChatModel):
    """Calls the tool that fits what was asked, then says what it has been asked so far. Put your model in its place."""

    @property
    def _llm_type(self) -> str:
        return "stand-in"

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        asked = [str(message.content) for message in messages if isinstance(message, HumanMessage)]
        calls: list[tuple[str, dict[str, Any]]] = []
        if messages[-1].type == "human" and asked[-1].startswith("write "):
            calls = [("write_file", {"name": asked[-1].split()[1], "text": "an old pond\n"})]
        elif messages[-1].type == "human" and asked[-1] == "tidy up":
            calls = [("delete_everything", {})]
        answer = AIMessage(
            "" if calls else f"you asked me to: {'; '.join(asked)}",
            tool_calls=[{"name": name, "args": args, "id": f"call-{len(messages)}"} for name, args in calls],
        )
        return ChatResult(generations=[ChatGeneration(message=answer)])


def build(project: Path, saver: TakebackSaver) -> Any:
    @tool
    def write_file(name: str, text: str) -> str:
        """Write a file."""
        (project / name).write_text(text)
        return f"wrote {name}"

    @tool
    def delete_everything() -> str:
        """Delete every file."""
        for file in project.iterdir():
            file.unlink()
        return "everything is gone"

    model = StandIn()
    graph = StateGraph(MessagesState)
    graph.add_node("model", lambda state: {"messages": [model.invoke(state["messages"])]})
    graph.add_node("tools", ToolNode([write_file, delete_everything]))
    graph.add_edge(START, "model").add_conditional_edges("model", tools_condition).add_edge("tools", "model")
    return graph.compile(checkpointer=saver)


def main(place: Path) -> None:
    project = place / "project"
    project.mkdir(parents=True)
    thread: RunnableConfig = {"configurable": {"thread_id": "chat-7"}}

    with TakebackSaver(place / "store", sources=[tb.Workspace(project)]) as saver:
        app = build(project, saver)

        def ask(text: str) -> None:
            answer = app.invoke({"messages": text}, thread)["messages"][-1].content
            print(
                f"{text}\n  agent    {answer}\n  files    {', '.join(each.name for each in project.iterdir()) or 'none'}"
            )

        ask("write poem.txt")
        good = app.get_state(thread).config
        ask("tidy up")

        report = saver.restore(good)  # the files, and what the agent remembers
        print(f"back to before: {', '.join(report.changed)}, read back: {report.verified}")
        ask("what have I asked you?")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        main(Path(sys.argv[1] if sys.argv[1:] else temporary).resolve())
