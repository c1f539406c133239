"""Claude Code: hooks in settings.json, commands as Markdown files. Times are seconds.

It ignores events that it does not know, so newer ones do no harm in an older version. A matcher that is more than names
and bars is a regular expression that may match anywhere in a name, hence the anchors. A slash command whose shell part
fails says nothing to the model, hence the ``|| true``.
"""

from __future__ import annotations

from takeback.adapters.hooks.agents import AGENTS
from takeback.adapters.install.agent import Agent, On, Slash, all_but

_UNDO = """\
---
description: Take back what the last turn changed
argument-hint: "[move]"
allowed-tools: Bash({takeback} undo:*), Bash(true)
disable-model-invocation: true
---
!`{takeback} undo --yes --session "${CLAUDE_SESSION_ID}" $ARGUMENTS 2>&1 || true`

Tell the person in one or two lines what the output above says was taken back. Do nothing else, and run no tool.
"""

_SNAPSHOTS = """\
---
description: Show the latest moves and snapshots of this project
allowed-tools: Bash({takeback} log:*)
disable-model-invocation: true
---
!`{takeback} log -n 20 2>&1`

Show the person the output above as it is. Do nothing else, and run no tool.
"""

CLAUDE_CODE = Agent(
    name="claude-code",
    title="Claude Code",
    files=AGENTS["claude-code"].files,
    format="jsonhooks",
    reads=frozenset({"a byte order mark"}),
    events=(
        On("SessionStart"),
        On("UserPromptSubmit"),
        On("PreToolUse", tools=True, timeout=60),
        On("PostToolUse", tools=True, timeout=60),
        On("PostToolUseFailure", tools=True, timeout=60),
        On("PostToolBatch", timeout=60),
        On("PermissionRequest", tools=True),
        On("PermissionDenied", tools=True),
        On("SubagentStop", timeout=60),
        On("Stop", timeout=60),
        On("StopFailure", timeout=60),
        On("SessionEnd"),
    ),
    tools=all_but(AGENTS["claude-code"].reads),
    slashes={
        "user": "{claude_code}/commands/{name}.md",
        "project": "{project}/.claude/commands/{name}.md",
        "local": "{project}/.claude/commands/{name}.md",
    },
    commands=(Slash("undo", _UNDO), Slash("snapshots", _SNAPSHOTS)),
    next=("sessions that are open take it up when they are started again",),
)
