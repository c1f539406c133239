"""What agents say is read for what it means, and nothing that they could say is an error."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import takeback as tb
from takeback.adapters.hooks.agents import AGENTS, BATCH, DENIED, HELPER_END, QUESTION
from takeback.adapters.hooks.event import Event
from takeback.adapters.hooks.reading import parse, read
from takeback.adapters.hooks.telling import call_of, input_of, title_of

STREAMS = Path(__file__).with_name("streams")
TRIGGERS = {"", "turn_start", "turn_end", "before_action", "after_action", "session_end"}


def recorded(agent: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (STREAMS / f"{agent}.jsonl").read_text().splitlines()]


def heard(agent: str, raw: Mapping[str, Any]) -> Event | None:
    return read(AGENTS[agent], raw)


def meaning(event: Event) -> str:
    words = [event.trigger or "look", event.tool, " ".join(path.removeprefix("/project/") for path in event.paths)]
    return " ".join(word for word in words if word)


def turns(agent: str) -> Iterator[tuple[str, list[str]]]:
    """The prompts of a stream's first session, and what each of its turns was read as."""
    raws = recorded(agent)
    first = raws[0]["session_id"]
    now: list[str] = []
    for raw in raws:
        if raw["session_id"] != first:
            continue
        if raw["hook_event_name"] in ("UserPromptSubmit", "BeforeAgent", "prompt") and "agent_id" not in raw:
            now = []
            yield raw["prompt"].strip('"'), now
        event = heard(agent, raw)
        if event is not None and event.trigger not in ("", "session_end", BATCH):
            now.append(meaning(event))


def acts(*calls: str, end: str | None = "turn_end") -> list[str]:
    told = [f"{when} {call}" for call in calls for when in ("before_action", "after_action")]
    return ["turn_start", *told, *([end] if end else [])]


WRITE = "write a file"
CLAUDE = {
    WRITE: acts("Write a.txt"),
    "run a command": acts("Bash"),
    "change the file": acts("Edit a.txt"),
    "what is in it?": acts(),
    "a command that writes and fails": acts("Bash"),
    "a change that does not fit": acts(),
    "the service fails": acts(),
    "the service fails after some work": acts("Bash"),
    "several at once": acts("Bash", "Bash"),
    "let somebody else do it": ["turn_start", "before_action Bash", "after_action Bash", HELPER_END, "turn_end"],
    "delete": acts("Bash"),
    "work and look": acts("Write a/ten.txt", "Bash", "Bash"),
    "rename": acts("Bash"),
    "a long command": acts("Bash"),
    "a command that is cut short": ["turn_start", "before_action Bash"],
    "go on": acts("Bash"),
}
CODEX = CLAUDE | {
    WRITE: acts("apply_patch a.txt"),
    "change the file": acts("apply_patch a.txt"),
    "a change that does not fit": ["turn_start", "before_action apply_patch a.txt", "turn_end"],
    "the service fails": acts(end=None),
    "the service fails after some work": acts("Bash", end=None),
    "several at once": ["turn_start", *["before_action Bash"] * 2, *["after_action Bash"] * 2, "turn_end"],
    "work and look": acts("apply_patch a/ten.txt", "Bash", "Bash"),
    "a command that is cut short": ["turn_start", "before_action Bash", "turn_end"],
}


def instead(table: dict[str, list[str]], **words: str) -> dict[str, list[str]]:
    """The same turns with other names of tools."""
    return {
        prompt: [" ".join(words.get(word, word) for word in meant.split(" ")) for meant in told]
        for prompt, told in table.items()
    }


GEMINI = instead(CLAUDE, Bash="run_shell_command", Write="write_file", Edit="replace") | {
    "a change that does not fit": acts("replace a.txt"),
    "let somebody else do it": acts("run_shell_command"),
    "the service fails": acts(end=None),
    "the service fails after some work": acts("run_shell_command", end=None),
    "several at once": [
        "turn_start",
        *["before_action run_shell_command"] * 2,
        *["after_action run_shell_command"] * 2,
        "turn_end",
    ],
}
OPENCODE = instead(CLAUDE, Bash="bash", Write="write", Edit="edit") | {
    "a change that does not fit": acts("edit a.txt"),
    "let somebody else do it": acts("bash"),
    "several at once": ["turn_start", *["before_action bash"] * 2, *["after_action bash"] * 2, "turn_end"],
    "a long command": acts("bash", end=None),
    "a command that is cut short": ["turn_start", "turn_end", "before_action bash"],  # the end of the turn before
}


@pytest.mark.parametrize(
    ("agent", "expected"),
    [("claude-code", CLAUDE), ("codex", CODEX), ("gemini-cli", GEMINI), ("opencode", OPENCODE)],
)
def test_every_recorded_turn_is_read_as_what_it_was(agent: str, expected: dict[str, list[str]]) -> None:
    assert dict(turns(agent)) == expected


def test_esc_ends_a_turn_where_the_agent_tells_of_it() -> None:
    stop = next(raw for raw in recorded("codex") if raw["hook_event_name"] == "Stop")
    event = heard("codex", {**stop, "hook_event_name": "Interrupt"})
    assert event is not None and event.trigger == "turn_end"


def test_a_notice_that_an_agent_gives_itself_is_titled_by_what_it_is_about() -> None:
    notice = "<task-notification>\n<task-id>b1</task-id>\n<summary>The build is done</summary>\n</task-notification>"
    assert title_of(notice) == "The build is done"
    assert title_of("<task-notification>\nin another form") == "<task-notification>"


@pytest.mark.parametrize("agent", ["claude-code", "codex", "opencode"])
def test_a_recorded_call_has_the_same_key_before_and_after(agent: str) -> None:
    keys: dict[str, set[str]] = {}
    for raw in recorded(agent):
        event = heard(agent, raw)
        if event is not None and "tool_name" in raw:
            assert event.key
            call = [raw["session_id"], raw["tool_name"], raw["tool_input"]]
            keys.setdefault(raw.get("tool_use_id") or json.dumps(call), set()).add(event.key)
    assert keys and all(len(found) == 1 for found in keys.values())
    assert len({next(iter(found)) for found in keys.values()}) == len(keys), "no two calls have the same"


@pytest.mark.parametrize("agent", ["claude-code", "codex"])
def test_subagents_neither_begin_turns_nor_name_the_conversation(agent: str) -> None:
    subagents = [raw for raw in recorded(agent) if "agent_id" in raw]
    events = [event for raw in subagents if (event := heard(agent, raw)) is not None]
    assert {raw["hook_event_name"] for raw in subagents} >= {"SubagentStart", "SubagentStop", "PreToolUse"}
    assert {event.trigger for event in events} - {BATCH} == {"before_action", "after_action", HELPER_END}
    assert {event.transcript for event in events} == {""}
    own = next(event for raw in recorded(agent) if (event := heard(agent, raw)) is not None)
    assert own.transcript.startswith("/home/u/.")


def codex(patch: str, cwd: str = "/project") -> Event:
    raw = {"hook_event_name": "PreToolUse", "session_id": "s", "cwd": cwd, "tool_name": "apply_patch"}
    event = heard("codex", {**raw, "tool_input": {"command": patch}, "tool_use_id": "call_1"})
    assert event is not None
    return event


def test_a_patch_names_all_that_it_writes() -> None:
    patch = """*** Begin Patch
*** Add File: new.txt
+*** Delete File: not this, which is text
*** Update File: with space/old name.txt
*** Move to: moved.txt
@@
-a
+b
*** Delete File: gone.txt
*** End Patch"""
    assert codex(patch).paths == ("new.txt", "with space/old name.txt", "moved.txt", "gone.txt")
    assert codex("echo '*** Add File: x'").paths == ()


DOCKER = {"session_id": "s", "cwd": "/project", "agent_name": "root"}


@pytest.mark.parametrize(
    ("reason", "trigger"),
    [
        ("normal", "turn_end"),
        ("error", "turn_end"),
        ("canceled", "turn_end"),
        ("hook_blocked", "turn_end"),
        ("loop_detected", "turn_end"),
        ("continue", None),
        ("steered", None),
    ],
)
def test_a_docker_agent_s_turn_ends_when_it_is_not_called_again(reason: str, trigger: str | None) -> None:
    event = heard("docker-agent", {**DOCKER, "hook_event_name": "turn_end", "reason": reason})
    assert (event.trigger if event else None) == trigger


def test_docker_agent_says_what_cannot_write_by_itself() -> None:
    call = {**DOCKER, "hook_event_name": "pre_tool_use", "tool_name": "mcp_thing", "tool_use_id": "1", "tool_input": {}}
    assert heard("docker-agent", {**call, "tool_read_only": True}) is None
    assert heard("docker-agent", {**call, "tool_read_only": False}) is not None
    assert heard("docker-agent", call) is not None


def test_a_docker_agent_s_step_in_a_turn_is_no_new_one() -> None:
    step = heard("docker-agent", {**DOCKER, "hook_event_name": "turn_start", "last_user_message": "fix it"})
    prompt = heard("docker-agent", {**DOCKER, "hook_event_name": "user_prompt_submit", "prompt": "fix it"})
    assert step is not None and prompt is not None
    assert (step.again, prompt.again) == (True, False)
    assert step.prompt == prompt.prompt == "fix it"


def claude(name: str = "PostToolUse", **more: Any) -> dict[str, Any]:
    return {"hook_event_name": name, "session_id": "s", "cwd": "/project", **more}


@pytest.mark.parametrize(
    ("agent", "raw", "goes_on"),
    [
        ("claude-code", claude(tool_name="Bash", tool_input={"command": "x", "run_in_background": True}), True),
        ("claude-code", claude(tool_name="Bash", tool_input={"command": "x", "run_in_background": False}), False),
        ("claude-code", claude(tool_name="Bash", tool_input={"command": "x", "run_in_background": "no"}), False),
        ("claude-code", claude("Stop", background_tasks=[{"id": "1", "status": "running"}]), True),
        ("claude-code", claude("Stop", background_tasks=[]), False),
        ("claude-code", claude("Stop", background_tasks="1"), False),
        ("gemini-cli", claude("AfterTool", tool_name="run_shell_command", tool_input={"is_background": True}), True),
    ],
)
def test_what_works_in_the_background_is_known_to_go_on(agent: str, raw: dict[str, Any], goes_on: bool) -> None:
    event = heard(agent, raw)
    assert event is not None and event.goes_on is goes_on


def test_calls_without_an_id_are_told_apart_by_what_they_do() -> None:
    def key(name: str, **input: Any) -> str:
        event = heard("gemini-cli", claude(name, tool_name="run_shell_command", tool_input=input))
        assert event is not None
        return event.key

    assert key("BeforeTool", command="a", dir="b") == key("AfterTool", dir="b", command="a")
    assert key("BeforeTool", command="a") != key("BeforeTool", command="b")


# whatever comes

texts = st.text(st.characters(), max_size=20) | st.sampled_from(
    ["\ud800", "\0", "x" * 5000, "s", "/project", "é\udfff"]
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)
FIELDS = (
    "session_id cwd prompt tool_name tool_use_id agent_id transcript_path reason source last_user_message "
    "tool_read_only background_tasks timestamp_ms"
).split()
INPUTS = "command input patch file_path path run_in_background is_background".split()


@st.composite
def events(draw: st.DrawFn, agent: str) -> dict[str, Any]:
    """A known event more often than not, with fields of any type."""
    raw: dict[str, Any] = {key: draw(values) for key in draw(st.sets(st.sampled_from(FIELDS)))}
    if draw(st.booleans()):
        raw["session_id"] = draw(texts)
    raw["hook_event_name"] = draw(st.sampled_from(list(AGENTS[agent].events)) | values)
    raw["tool_input"] = draw(st.dictionaries(st.sampled_from(INPUTS) | texts, values, max_size=4) | values)
    return raw


@pytest.mark.parametrize("agent", AGENTS)
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_nothing_that_is_json_is_an_error_or_an_event_of_wrong_types(agent: str, data: st.DataObject) -> None:
    raw = parse(json.dumps(data.draw(events(agent))).encode())
    event = heard(agent, raw)
    if event is None:
        return
    assert event.trigger in {*TRIGGERS, QUESTION, DENIED, HELPER_END, BATCH} and event.name in AGENTS[agent].events
    strings = [event.name, event.session, event.cwd, event.prompt, event.tool, event.key, event.transcript]
    for text in (*strings, *event.paths):
        assert type(text) is str
        text.encode()
    assert type(event.time_ms) is int
    assert {type(event.goes_on), type(event.again), type(event.input)} == {bool, dict}
    assert event.session and len(event.session) <= 256 and len(event.key) <= 256
    assert not any("\0" in path for path in (event.cwd, event.transcript, *event.paths))
    assert event == heard(agent, raw), "the same event is read in the same way"
    call = call_of(event.tool, event.input, event.paths, "/project")
    json.dumps([title_of(event.prompt), call, input_of(event.input)], allow_nan=False)


@settings(max_examples=100, deadline=None)
@given(raw=values)
def test_any_json_value_is_an_object_or_an_error_in_words(raw: Any) -> None:
    data = json.dumps(raw).encode()
    if isinstance(raw, dict):
        assert isinstance(parse(data), dict)
    else:
        with pytest.raises(tb.InvalidInput, match="no JSON object"):
            parse(data)


@pytest.mark.parametrize(
    "data", [b"", b"{", b"\xff\xfe", b"\0" * 10, b"[" * 100_000, b'{"a":' * 100_000, b"9" * 5000, b"{} {}"]
)
def test_what_is_no_json_is_an_error_in_words(data: bytes) -> None:
    with pytest.raises(tb.InvalidInput, match="an event was not recorded, because it is no JSON") as caught:
        parse(data)
    assert caught.value.hints


def test_what_is_recorded_of_a_call_is_small_however_deep_and_long_it_was() -> None:
    deep: Any = "x"
    for _ in range(500):
        deep = [deep]
    input = {
        "deep": deep,
        "long": "y" * 10**6,
        "many": list(range(10**5)),
        "n": float("nan"),
        "big": 10**100,
        "k" * 999: 1,
    }
    assert len(json.dumps(input_of(input), allow_nan=False)) < 3000
    assert len(call_of("T" * 9999, {"command": "z" * 10**6}, [], "/project")) <= 100
    assert len(call_of("Write", {}, ["p" * 9999, "q"], "/project")) <= 100
