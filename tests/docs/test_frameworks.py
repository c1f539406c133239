"""docs/frameworks.md: its code runs with the real frameworks, and does what is said beside it."""

from __future__ import annotations

import ast
import asyncio
import inspect
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from agents import function_tool
from autogen_agentchat.agents import AssistantAgent

import takeback as tb
from support.agents.model import Model
from support.agents.script import Say
from support.frameworks import autogen, claude_agent_sdk, openai_agents, pydantic_ai

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = (ROOT / "docs" / "frameworks.md").read_text()
SECTIONS = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", DOCUMENT, re.MULTILINE | re.DOTALL))
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]


def run(section: str, **names: Any) -> dict[str, Any]:
    """The code of a section, as if in a coroutine of one's own; the names that it leaves."""
    blocks = re.findall(r"^```python\n(.*?)^```$", SECTIONS[section], re.MULTILINE | re.DOTALL)
    assert blocks

    async def play() -> None:
        for block in blocks:
            code = compile(block, f"docs/frameworks.md, {section}", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
            waiting = eval(code, names)
            if inspect.isawaitable(waiting):
                await waiting

    asyncio.run(play())
    return names


@pytest.fixture
def line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tb.Timeline]:
    """What `tb.here()` gives in a project."""
    project = tmp_path / "project"
    project.mkdir()
    (project / "notes.txt").write_text("notes")
    monkeypatch.chdir(project)
    monkeypatch.setenv("TAKEBACK_STORE", str(tmp_path / "store"))
    with tb.open() as store:
        yield store.timeline(sources=[tb.Workspace(project)])


@pytest.mark.usefixtures("line")
def test_langgraph() -> None:
    heard: list[list[str]] = []

    def agent(state: Any) -> Any:
        heard.append([message.content for message in state["messages"]])
        if heard[-1][-1] == "delete everything":
            Path("notes.txt").unlink()
        return {"messages": [("ai", f"answer {len(heard)}")]}

    run("LangGraph", agent=agent)
    assert heard[2] == ["my name is Ada", "answer 1", "what is my name?"]
    assert Path("notes.txt").read_text() == "notes"


def test_openai_agents(line: tb.Timeline, monkeypatch: pytest.MonkeyPatch) -> None:
    @function_tool
    def write_file(path: str, text: str) -> None:
        """Write a file."""
        Path(path).write_text(text)

    monkeypatch.setenv("OPENAI_AGENTS_DISABLE_TRACING", "1")
    answers: list[Any] = [openai_agents.call("write_file", '{"path": "poem.txt", "text": "an old pond"}'), "done"]
    session = run("openai-agents", line=line, model=openai_agents.Script(answers), write_file=write_file)["session"]
    assert (Path("poem.txt").exists(), asyncio.run(session.get_items())) == (False, [])
    line.redo()
    assert (Path("poem.txt").read_text(), len(asyncio.run(session.get_items()))) == ("an old pond", 4)


def test_claude_agent_sdk(line: tb.Timeline, monkeypatch: pytest.MonkeyPatch) -> None:
    with Model() as model:
        for name, value in claude_agent_sdk.environment(model.address, str(Path.home())).items():
            monkeypatch.setenv(name, value)
        model.play([Say("hello Ada"), Say("all files are gone"), Say("Ada")])
        run("claude-agent-sdk", line=line)
        assert claude_agent_sdk.said(model.requests[2]) == [
            ("user", "my name is Ada"),
            ("assistant", "hello Ada"),
            ("user", "what is my name?"),
        ]


@pytest.mark.usefixtures("line")
def test_autogen() -> None:
    model = autogen.Script()
    writer, critic = (AssistantAgent(name, model_client=model) for name in ("writer", "critic"))
    names = run("AutoGen", writer=writer, critic=critic)
    assert len(model.heard) == 2
    state = asyncio.run(names["team"].save_state())
    assert [agent["agent_state"]["llm_context"]["messages"] for agent in _agents(state)] == [[], []]


def _agents(state: Any) -> list[Any]:
    return [state["agent_states"][name] for name in ("writer", "critic")]


def test_pydantic_ai(line: tb.Timeline) -> None:
    script = pydantic_ai.Script()
    names = run("pydantic-ai", line=line, model=script.model)
    asked = [message.parts[0].content for message in asyncio.run(names["messages"].load()) if message.kind == "request"]
    assert asked == ["my name is Ada"]
    assert [len(heard) for heard in script.heard] == [1, 3, 1], "a history of two, and then a conversation of its own"
    assert asyncio.run(names["store"].load("chat-8")).usage.requests == 1


@pytest.mark.usefixtures("line")
def test_your_own_objects() -> None:
    names = run("Your own objects")
    assert (names["helper"].messages, names["helper"].seen) == ([], set())
    kept = names["line"].value(names["line"].log().moves[0].opening, "memory", types=[names["Helper"]])
    assert kept.seen == {"notes.txt"}
    with names["line"].turn("go on"):
        names["helper"].seen.add("more.txt")
    assert [move.verb or move.title for move in names["line"].log().moves] == ["go on", "undo", "read the notes"]
    names["line"].undo()
    assert names["helper"].seen == set()


def test_the_rollback_manager() -> None:
    helper = SimpleNamespace(messages=[])
    names = run("The rollback manager", helper=helper)
    assert (helper.messages, names["manager"].get_snapshot_count()) == ([], 1)


@pytest.mark.usefixtures("line")
def test_persist() -> None:
    assert run("Persist")["agent"] == {"messages": ["hello"]}


def test_every_extra_that_it_names_exists_and_every_section_is_in_the_table() -> None:
    assert set(re.findall(r"`takeback\[([\w-]+)\]`", DOCUMENT)) <= EXTRAS.keys()
    assert {f"#{name.lower().replace(' ', '-')}" for name in SECTIONS} == set(re.findall(r"\]\((#[\w-]+)\)", DOCUMENT))


@pytest.mark.parametrize("name", ["smolagents", "google-adk", "agent-framework", "crewai"])
def test_the_versions_that_were_tried_are_those_of_the_extras(name: str) -> None:
    (needed,) = EXTRAS[name]
    assert f"| {name} {needed.partition('>=')[2]} |" in DOCUMENT
