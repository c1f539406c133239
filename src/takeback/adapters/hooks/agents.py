"""How each agent speaks: its events and what they prove, its tools that cannot write and those that write only what they
name, what it wants to hear, and how long it waits.

Facts about other programs, as data. An agent that hands JSON to a command is a line here, and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

PATIENCE = 50.0
"""How long an agent is kept waiting for a save, in seconds: less than any of them waits by default."""


QUESTION = "question"
"""A person is asked whether a call may run."""
DENIED = "denied"
"""A call never runs."""
HELPER_END = "helper_end"
"""A subagent has ended."""
BATCH = "batch"
"""All calls that were made together have ended, and the agent's own hooks after them."""


class Said(NamedTuple):
    """What one event of an agent means."""

    trigger: str
    """What it is to moves (`takeback.model.snapshot.TRIGGERS`), or one of `QUESTION`, `DENIED`, `HELPER_END`, `BATCH`."""
    patience: float = PATIENCE
    again: bool = False


class Agent(NamedTuple):
    """One agent."""

    events: Mapping[str, Said]
    reads: frozenset[str]
    """Tools that change no file, or whose own calls of other tools are said."""
    reply: bytes = b""
    """What it must read on stdout."""
    edits: frozenset[str] = frozenset()
    """Tools that change the files that they name, and nothing else."""
    tells_of_questions: bool = True
    """Whether an event tells that it asks a person about a call that was told before."""
    never_asks: frozenset[str] = frozenset()
    """Values of ``permission_mode`` in which it asks nobody."""
    files: Mapping[str, str] = {}
    """The file of each scope in which its hooks are installed; paths begin with a name of `takeback.locate.Agents`."""
    lets_run_on: bool = False
    """Whether a command whose end was not told may run on when its turn has ended."""
    failures: frozenset[str] = frozenset()
    """Events that tell that a tool has failed."""
    tells_of_batches: bool = False
    """Whether an event tells when its own hooks after a call, such as formatters, have ended."""


_BEGIN, _START, _END = Said("", 5.0), Said("turn_start", 25.0), Said("turn_end")
_BEFORE, _AFTER, _OVER = Said("before_action"), Said("after_action"), Said("session_end", 1.0)

_CLAUDE = {
    "SessionStart": _BEGIN,
    "UserPromptSubmit": _START,
    "PreToolUse": _BEFORE,
    "PostToolUse": _AFTER,
    "PostToolUseFailure": _AFTER,
    "PostToolBatch": Said(BATCH),
    "PermissionRequest": Said(QUESTION, 5.0),
    "PermissionDenied": Said(DENIED),
    "SubagentStop": Said(HELPER_END),
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
        files={
            "user": "{claude_code}/settings.json",
            "project": "{project}/.claude/settings.json",
            "local": "{project}/.claude/settings.local.json",
        },
        edits=frozenset("Edit MultiEdit Write NotebookEdit".split()),
        failures=frozenset({"PostToolUseFailure"}),
        tells_of_batches=True,
    ),
    "codex": Agent(
        {**_CLAUDE, "Interrupt": Said("turn_end", 2.0)},  # it lets a command run on when a person presses Esc
        frozenset(
            "view_image update_plan web_search spawn_agent wait_agent multi_agent_v1wait_agent send_input close_agent "
            "read_file list_dir grep_files".split()
        ),
        files={"user": "{codex}/hooks.json", "project": "{project}/.codex/hooks.json"},
        edits=frozenset({"apply_patch"}),
        lets_run_on=True,
    ),
    "gemini-cli": Agent(
        {
            "SessionStart": _BEGIN,
            "BeforeAgent": _START,
            "BeforeTool": _BEFORE,
            "AfterTool": _AFTER,
            "Notification": Said(QUESTION, 5.0),
            "AfterAgent": _END,
            "SessionEnd": _OVER,
        },
        frozenset(
            "read_file read_many_files list_directory glob grep_search search_file_content web_fetch google_web_search "
            "write_todos ask_user get_internal_docs activate_skill invoke_agent complete_task".split()
        ),
        reply=b"{}\n",
        files={"user": "{gemini_cli}/settings.json", "project": "{project}/.gemini/settings.json"},
        edits=frozenset("write_file replace edit".split()),
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
        files={"user": "{docker_agent}/config.yaml"},
        edits=frozenset("write_file edit_file create_directory".split()),
        tells_of_questions=False,  # newer ones call the hook before the question, older ones after it
    ),
    "opencode": Agent(
        {
            "session_created": _BEGIN,
            "prompt": _START,
            "tool_before": _BEFORE,
            "tool_after": _AFTER,
            "permission_asked": Said(QUESTION, 5.0),
            "tool_denied": Said(DENIED),
            "idle": _END,
            "error": _END,
            "session_deleted": _OVER,
        },
        frozenset("read glob grep list webfetch websearch codesearch todowrite todoread task skill question".split()),
        files={"user": "{opencode}/plugin/takeback.js", "project": "{project}/.opencode/plugin/takeback.js"},
        edits=frozenset("write edit multiedit patch apply_patch".split()),
    ),
}

PROBE = "takeback-probe"
"""The event by which `takeback doctor` asks whether a hook runs at all."""
