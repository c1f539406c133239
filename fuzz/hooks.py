"""What agents hand to hooks: their events, and what is recorded of a tool call."""

from __future__ import annotations

import json

from takeback.adapters.hooks.agents import AGENTS
from takeback.adapters.hooks.effects import effects_of
from takeback.adapters.hooks.reading import parse, read
from takeback.adapters.hooks.telling import call_of, input_of, prompt_of, title_of


def event(data: bytes) -> None:
    """Read as if each agent had said it; what is recorded of it is small, and JSON that everybody reads."""
    raw = parse(data)
    for agent in AGENTS.values():
        said = read(agent, raw)
        if said is None:
            continue
        for text in (said.session, said.cwd, said.prompt, said.tool, said.key, said.transcript, *said.paths):
            text.encode()
        assert said.session and not any("\0" in path for path in (said.cwd, said.transcript, *said.paths))
        effects_of(said.tool, said.input, (), "/project", said.cwd)
        call = call_of(said.tool, said.input, said.paths, "/project")
        about = [title_of(said.prompt), prompt_of(said.prompt), call, input_of(said.input)]
        assert len(json.dumps(about, allow_nan=False)) < 1 << 16


def _said(name: str, **more: object) -> bytes:
    return json.dumps({"hook_event_name": name, "session_id": "s", "cwd": "/project", **more}).encode()


_PATCH = "*** Begin Patch\n*** Add File: a.txt\n+one\n*** End Patch\n"

TARGETS = {
    "event": (
        event,
        [
            _said("UserPromptSubmit", prompt="fix the test", transcript_path="/home/u/.claude/s.jsonl"),
            _said("PreToolUse", tool_name="Bash", tool_use_id="1", tool_input={"command": "git push | tee -a log"}),
            _said("PostToolUse", tool_name="apply_patch", tool_use_id="2", tool_input={"command": _PATCH}),
            _said("BeforeTool", tool_name="write_file", tool_input={"file_path": "/project/a", "content": "x"}),
            _said("turn_end", reason="continue", agent_name="root"),
            _said("tool_after", tool_name="bash", tool_input={"command": ["a", 1, None, {"b": []}]}),
            _said("Stop", background_tasks=[{}], agent_id="a"),
            b'{"hook_event_name":"PreToolUse","session_id":"\\ud800","tool_name":"X","tool_input":{"a":NaN,"b":1e999}}',
            b"[" * 5000,
        ],
    ),
}
