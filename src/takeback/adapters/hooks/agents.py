"""How each agent speaks: its events, its tools that cannot write, what it wants to hear, and how long it waits.

Facts about other programs, as data. An agent that hands JSON to a command is a line here, and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

PATIENCE = 50.0
"""How long an agent is kept waiting for a save, in seconds: less than any of them waits by default."""


class Said(NamedTuple):
    """What one event of an agent means."""

    trigger: str
    patience: float = PATIENCE
    again: bool = False


class Agent(NamedTuple):
    """One agent."""

    events: Mapping[str, Said]
    reads: frozenset[str]
    """Tools that change no file, or whose own calls of other tools are said."""
    reply: bytes = b""
    """What it must read on stdout."""


_BEGIN, _START, _END = Said("", 5.0), Said("turn_start", 25.0), Said("turn_end")
_BEFORE, _AFTER, _OVER = Said("before_action"), Said("after_action"), Said("session_end", 1.0)

_CLAUDE = {
    "SessionStart": _BEGIN,
    "UserPromptSubmit": _START,
    "PreToolUse": _BEFORE,
    "PostToolUse": _AFTER,
    "PostToolUseFailure": _AFTER,
    "Stop": _END,
    "StopFailure": _END,
    "SessionEnd": _OVER,
}

AGENTS: Mapping[str, Agent] = {
    "claude-code": Agent(
        _CLAUDE,
        frozenset(
            "Read Glob Grep LS WebFetch WebSearch TodoWrite Task Agent AskUserQuestion EnterPlanMode ExitPlanMode "
            "ToolSearch Skill BashOutput TaskOutput KillShell TaskStop TaskCreate TaskUpdate TaskList TaskGet "
            "ListMcpResourcesTool ReadMcpResourceTool".split()
        ),
    ),
    "codex": Agent(
        {**_CLAUDE, "Interrupt": Said("turn_end", 2.0)},
        frozenset(
            "view_image update_plan web_search spawn_agent wait_agent multi_agent_v1wait_agent send_input close_agent "
            "read_file list_dir grep_files".split()
        ),
    ),
    "gemini-cli": Agent(
        {
            "SessionStart": _BEGIN,
            "BeforeAgent": _START,
            "BeforeTool": _BEFORE,
            "AfterTool": _AFTER,
            "AfterAgent": _END,
            "SessionEnd": _OVER,
        },
        frozenset(
            "read_file read_many_files list_directory glob grep_search search_file_content web_fetch google_web_search "
            "write_todos ask_user get_internal_docs activate_skill invoke_agent complete_task".split()
        ),
        reply=b"{}\n",
    ),
    "docker-agent": Agent(
        {
            "session_start": _BEGIN,
            "user_prompt_submit": _START,
            "turn_start": Said("turn_start", 25.0, again=True),  # at each call of the model
            "pre_tool_use": _BEFORE,
            "post_tool_use": _AFTER,
            "turn_end": _END,
            "stop": _END,
            "session_end": _OVER,
        },
        frozenset(
            "read_file read_multiple_files list_directory directory_tree search_files search_files_content "
            "list_allowed_directories think fetch transfer_task handoff create_todo create_todos update_todo "
            "update_todos list_todos list_background_jobs view_background_job stop_background_job".split()
        ),
    ),
    "opencode": Agent(
        {
            "session_created": _BEGIN,
            "prompt": _START,
            "tool_before": _BEFORE,
            "tool_after": _AFTER,
            "idle": _END,
            "error": _END,
            "session_deleted": _OVER,
        },
        frozenset("read glob grep list webfetch websearch codesearch todowrite todoread task skill question".split()),
    ),
}

PROBE = "takeback-probe"
"""The event by which `takeback doctor` asks whether a hook runs at all."""
