"""Gemini CLI: hooks in settings.json, commands as TOML files. Times are milliseconds.

A matcher is a regular expression that may match anywhere in a tool's name. A command's shell part is confirmed by the
person, and knows nothing of the session.
"""

from __future__ import annotations

from takeback.adapters.hooks.agents import AGENTS
from takeback.adapters.install.agent import Agent, On, Slash, all_but

_UNDO = '''\
description = "Take back what the last turn changed"
prompt = """
!{{takeback} undo --yes}

Tell the person in one or two lines what the output above says was taken back. Do nothing else, and run no tool.
"""
'''

_SNAPSHOTS = '''\
description = "Show the latest moves and snapshots of this project"
prompt = """
!{{takeback} log -n 20}

Show the person the output above as it is. Do nothing else, and run no tool.
"""
'''

GEMINI_CLI = Agent(
    name="gemini-cli",
    title="Gemini CLI",
    files=AGENTS["gemini-cli"].files,
    no_scope=" of its own",
    format="jsonhooks",
    reads=frozenset({"comments"}),
    events=(
        On("SessionStart", timeout=30_000),
        On("BeforeAgent", timeout=30_000),
        On("BeforeTool", tools=True, timeout=60_000),
        On("AfterTool", tools=True, timeout=60_000),
        On("Notification", timeout=30_000),
        On("AfterAgent", timeout=60_000),
        On("SessionEnd", timeout=30_000),
    ),
    tools=all_but(AGENTS["gemini-cli"].reads),
    slashes={"user": "{gemini_cli}/commands/{name}.toml", "project": "{project}/.gemini/commands/{name}.toml"},
    commands=(Slash("undo", _UNDO), Slash("snapshots", _SNAPSHOTS)),
    next=("sessions that are open take it up when they are started again",),
)
