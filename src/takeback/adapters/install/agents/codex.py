"""Codex: hooks in a file of their own beside config.toml, in Claude Code's shape. Times are seconds.

It merges that file with hooks in config.toml, and asks once before it runs a hook that is new or changed. Commands of its
own cannot run anything without the model, so there is no /undo: its ``!`` runs any command of the shell. Its patterns
cannot say "all but these", so every tool is told of. It complains of more than three seconds where nobody waits any more.
"""

from __future__ import annotations

from takeback.adapters.hooks.agents import AGENTS
from takeback.adapters.install.agent import Agent, On

CODEX = Agent(
    name="codex",
    title="Codex",
    files=AGENTS["codex"].files,
    no_scope=" of its own",
    format="jsonhooks",
    beside="config.toml",
    events=(
        On("SessionStart"),
        On("UserPromptSubmit"),
        On("PreToolUse", tools=True, timeout=60),
        On("PostToolUse", tools=True, timeout=60),
        On("PermissionRequest", tools=True),
        On("SubagentStop", timeout=60),
        On("Stop", timeout=60),
        On("Interrupt", timeout=3),  # the most that it allows; more is an error in every session
        On("SessionEnd", timeout=3),
    ),
    next=(
        "Codex runs new hooks only after you trust them: start it, type /hooks, and trust those of takeback",
        "`takeback undo` takes the last turn back in any terminal; inside Codex type `!takeback undo --yes`: it cannot ask there",
    ),
)
