"""From an agent's JSON to an `Event`.

Agents speak nearly the same language, and each new version adds words to it: what is not understood, or is not of the
type that it should be, is passed over, never an error.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from blake3 import blake3

from takeback.adapters.hooks.agents import DENIED, QUESTION, Agent
from takeback.adapters.hooks.event import Event
from takeback.errors import InvalidInput

_NAMES_A_FILE = ("file_path", "filePath", "notebook_path", "path", "absolute_path")
_PATCH = ("*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ")
_READING = ("read", "list", "search", "glob", "grep", "view", "fetch")
_NOT_THE_END = ("continue", "steered")
"""docker-agent ends a "turn" at each call of the model, and says why."""
_NAME = 256
"""No id and no tool's name is longer."""
_PATH = 4096
_PATHS = 1000
_NO_EVENT = ("if this comes again, the agent does not speak as it should: `takeback doctor` may say why",)


def parse(data: bytes) -> dict[str, Any]:
    """What an agent wrote; InvalidInput if that is no JSON object."""
    try:
        raw = json.loads(data)
    except (ValueError, RecursionError) as error:
        why = "it is nested too deeply" if isinstance(error, RecursionError) else error
        raise InvalidInput(f"an event was not recorded, because it is no JSON: {why}", hints=_NO_EVENT) from error
    if not isinstance(raw, dict):
        raise InvalidInput("an event was not recorded, because it is no JSON object", hints=_NO_EVENT)
    return raw


def read(agent: Agent, raw: Mapping[str, Any]) -> Event | None:
    """What an agent said; None for what is nothing to takeback."""
    name = _text(raw, "hook_event_name")
    said = agent.events.get(name)
    session = _id(_text(raw, "session_id"))
    if said is None or not session:
        return None
    helper = _id(_text(raw, "agent_id"))
    if helper and said.trigger in ("turn_start", "turn_end", "session_end", ""):
        return None  # a subagent's own turns lie inside the turn of the one that it works for
    if not said.trigger and _text(raw, "source") == "compact":
        return None  # the same session goes on, and may be in the middle of a turn
    tool, input = _text(raw, "tool_name")[:_NAME], raw.get("tool_input")
    input = input if isinstance(input, dict) else {}
    if said.trigger in ("before_action", "after_action", DENIED) and not _can_write(agent, tool, raw):
        return None
    if said.trigger == QUESTION and not _is_question(agent, tool, raw):
        return None
    if said.trigger == "turn_end" and _text(raw, "reason") in _NOT_THE_END:
        return None
    paths = tuple(islice(filter(None, map(_path, _written(tool, input))), _PATHS))
    return Event(
        name=name,
        trigger=said.trigger,
        session=session,
        cwd=_path(_text(raw, "cwd")),
        prompt=_text(raw, "prompt") or _text(raw, "last_user_message"),
        tool=tool,
        input=input,
        key=_id(_text(raw, "tool_use_id")) or _key(tool, input),
        paths=paths,
        transcript="" if helper else _path(_text(raw, "transcript_path")),
        goes_on=_in_background(tool, input, raw.get("tool_response")) or _at_work(raw.get("background_tasks")),
        time_ms=_number(raw, "timestamp_ms"),
        again=said.again,
        duration_ms=_duration(raw.get("duration_ms")),
        call=_key(tool, input),
        only_named=bool(paths) and tool in agent.edits,
        helper=helper,
        failed=name in agent.failures,
        follows=bool(paths) and agent.tells_of_batches and name not in agent.failures,
        calls=tuple(filter(None, _calls_of(raw.get("tool_calls")))),
        ended_call=_ended_call(_text(raw, "prompt")),
        original=_original(raw.get("tool_response")) if len(paths) == 1 else None,
        lets_run_on=agent.lets_run_on,
        may_ask=not agent.tells_of_questions and _text(raw, "permission_mode") not in agent.never_asks,
    )


def _can_write(agent: Agent, tool: str, raw: Mapping[str, Any]) -> bool:
    return bool(tool) and tool not in agent.reads and raw.get("tool_read_only") is not True


def _is_question(agent: Agent, tool: str, raw: Mapping[str, Any]) -> bool:
    """Whether a person is asked about a call that can write. One that names no tool is about all that have begun."""
    if tool:
        return _can_write(agent, tool, raw)
    return _text(raw, "notification_type") == "ToolPermission"


def _written(tool: str, input: Mapping[str, Any]) -> Iterator[str]:
    """The paths that a call names as those that it writes."""
    for key in _NAMES_A_FILE:
        path = input.get(key)
        if isinstance(path, str) and path and not tool.lower().startswith(_READING):
            yield path
    for patch in (input.get("command"), input.get("input"), input.get("patch"), input.get("patchText")):
        if isinstance(patch, str) and patch.lstrip().startswith("*** Begin Patch"):
            for line in patch.splitlines():
                yield from (line[len(mark) :].strip() for mark in _PATCH if line.startswith(mark))


def _in_background(tool: str, input: Mapping[str, Any], response: Any) -> bool:
    """Whether a command goes on when its call has ended: it was begun so, or a person sent it there."""
    said = any(input.get(key) is True for key in ("run_in_background", "is_background"))
    sent = isinstance(response, dict) and bool(response.get("backgroundTaskId"))
    return said or sent or tool == "run_background_job"


def _original(response: Any) -> str | None:
    """The text of a file before a tool changed it: Claude Code's and Gemini CLI's words for it."""
    if not isinstance(response, dict):
        return None
    shown = response.get("returnDisplay")
    for holder, key in ((response, "originalFile"), (shown if isinstance(shown, dict) else {}, "originalContent")):
        text = holder.get(key)
        if isinstance(text, str):
            return text
    return None


def _calls_of(batch: Any) -> Iterator[str]:
    """The calls of a batch that has ended, by key."""
    for call in islice(batch, _PATHS) if isinstance(batch, list) else ():
        if isinstance(call, dict):
            tool, input = _text(call, "tool_name")[:_NAME], call.get("tool_input")
            yield _id(_text(call, "tool_use_id")) or _key(tool, input if isinstance(input, dict) else {})


def _ended_call(prompt: str) -> str:
    """The call in the background that a prompt is about which the agent gives itself."""
    if not prompt.startswith("<task-notification>"):
        return ""
    return prompt.partition("<tool-use-id>")[2].partition("</tool-use-id>")[0].strip()[:_NAME]


def _at_work(tasks: Any) -> bool:
    return isinstance(tasks, list) and bool(tasks)


def _key(tool: str, input: Mapping[str, Any]) -> str:
    """For agents that give their calls no id: one that is the same before and after the call."""
    if not tool:
        return ""
    try:
        call = json.dumps([tool, input], sort_keys=True).encode()
    except (TypeError, ValueError, RecursionError):
        call = tool.encode("utf-8", "replace")
    return blake3(call).hexdigest()[:16]


def _text(raw: Mapping[str, Any], key: str) -> str:
    value = raw.get(key)
    return _sound(value) if isinstance(value, str) else ""


def _number(raw: Mapping[str, Any], key: str) -> int:
    value = raw.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 1 << 53 else 0


def _duration(value: Any) -> int | None:
    """So many milliseconds, rounded up; None for what is no length of time."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1 << 53:
        return None
    return math.ceil(value)


def _sound(text: str) -> str:
    """Without halves of characters, which JSON can hold and UTF-8 cannot."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _id(text: str) -> str:
    return text if len(text) <= _NAME else blake3(text.encode()).hexdigest()


def _path(text: str) -> str:
    """A path as it is; nothing if there can be no such path."""
    return _sound(text) if "\0" not in text and len(text) <= _PATH else ""
