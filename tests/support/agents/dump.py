"""A hook on every event that an agent has, which keeps what the agent tells it: how streams are recorded.

As a program (`python dump.py FILE [REPLY]`) it is that hook: one line in FILE for each call, with the time, with the processes
that it descends from, and with what the session's file held at that moment.
"""

from __future__ import annotations

import fcntl
import json
import os
import shlex
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

CLAUDE_CODE = """
    PreToolUse PostToolUse PostToolUseFailure PostToolBatch Notification UserPromptSubmit UserPromptExpansion SessionStart
    SessionEnd Stop StopFailure SubagentStart SubagentStop PreCompact PostCompact PermissionRequest PermissionDenied Setup
    TeammateIdle TaskCreated TaskCompleted Elicitation ElicitationResult ConfigChange InstructionsLoaded CwdChanged
    FileChanged
    """.split()
CODEX = """
    PreToolUse PostToolUse PermissionRequest UserPromptSubmit SessionStart SessionEnd Stop SubagentStart SubagentStop
    PreCompact PostCompact PreModelRequest Interrupt
    """.split()
GEMINI_CLI = """
    BeforeTool AfterTool BeforeAgent AfterAgent SessionStart SessionEnd PreCompress Notification
    """.split()


def command(into: Path, reply: str = "") -> str:
    return shlex.join([sys.executable, __file__, str(into), *([reply] if reply else [])])


def on_claude_code(home: Path, into: Path) -> None:
    _add(home / ".claude" / "settings.json", {"hooks": _hooks(CLAUDE_CODE, command(into), 30)})


def on_codex(home: Path, into: Path) -> None:
    _add(home / ".codex" / "hooks.json", {"hooks": _hooks(CODEX, command(into), 30)})


def on_gemini_cli(home: Path, into: Path) -> None:
    _add(home / ".gemini" / "settings.json", {"hooks": _hooks(GEMINI_CLI, command(into, "{}"), 30_000)})


def on_opencode(home: Path, into: Path) -> None:
    plugin = home / ".config" / "opencode" / "plugin" / "dump.js"
    plugin.parent.mkdir(parents=True, exist_ok=True)
    plugin.write_text(_PLUGIN.replace("FILE", json.dumps(str(into))))


ON: dict[str, Callable[[Path, Path], None]] = {
    "claude-code": on_claude_code,
    "codex": on_codex,
    "gemini-cli": on_gemini_cli,
    "opencode": on_opencode,
}


def calls(events: Path) -> set[str]:
    """Which hooks were called; opencode's stream of events, which holds everything, aside."""
    told = (json.loads(json.loads(line)["stdin"]) for line in events.read_text().splitlines())
    return {event.get("hook_event_name") or event["hook"] for event in told} - {"event", "plugin"}


_PLUGIN = """\
import { appendFileSync } from "node:fs"
const keep = (hook, more) =>
  appendFileSync(FILE, JSON.stringify({ time_ns: Date.now() * 1e6, stdin: JSON.stringify({ hook, ...more }) }) + "\\n")
export const Dump = async ({ directory, worktree }) => {
  keep("plugin", { directory, worktree })
  return {
    event: async ({ event }) => {
      if (!/^(message\\.part|session\\.diff|file\\.watcher|plugin|catalog|models|reference|integration)/.test(event.type)) {
        keep("event", { event })
      }
    },
    "chat.message": async (input, output) => keep("chat.message", { input, output }),
    "tool.execute.before": async (input, output) => keep("tool.execute.before", { input, output }),
    "tool.execute.after": async (input, output) => keep("tool.execute.after", { input, output }),
    "command.execute.before": async (input, output) => keep("command.execute.before", { input, output }),
  }
}
"""


def _hooks(events: list[str], call: str, timeout: int) -> dict[str, object]:
    hook = {"type": "command", "command": call, "timeout": timeout}
    return {event: [{"matcher": "*", "hooks": [hook]}] for event in events}


def _add(path: Path, settings: dict[str, object]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    there = json.loads(path.read_bytes()) if path.exists() else {}
    path.write_text(json.dumps({**there, **settings}, indent=2))


def parents() -> list[tuple[int, str]]:
    """Process ids and names of this process's ancestors, nearest first; Linux only."""
    found = []
    pid = os.getppid()
    while pid > 1:
        try:
            stat = Path(f"/proc/{pid}/stat").read_text()
        except OSError:
            break
        name, _, rest = stat.partition("(")[2].rpartition(")")
        found.append((pid, name))
        pid = int(rest.split()[1])
    return found


def main(into: str, reply: str = "") -> None:
    raw = sys.stdin.read()
    record: dict[str, Any] = {"time_ns": time.time_ns(), "stdin": raw, "parents": parents()}
    path = json.loads(raw).get("transcript_path")
    if path:
        record["transcript"] = Path(path).read_text().splitlines() if Path(path).exists() else None
    with open(into, "a") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        stream.write(json.dumps(record) + "\n")
    sys.stdout.write(reply)


if __name__ == "__main__":
    main(*sys.argv[1:])
