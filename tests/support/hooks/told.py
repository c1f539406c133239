"""Events of Claude Code, recorded in this process as its hook would."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import takeback as tb
from takeback import locate
from takeback.adapters.hooks.agents import AGENTS
from takeback.adapters.hooks.reading import read
from takeback.adapters.hooks.recording import record


class Told:
    """What Claude Code tells about one session in one project."""

    def __init__(self, root: Path, session: str = "session-1") -> None:
        self.root, self.session = root, session

    def __call__(self, name: str, **more: Any) -> None:
        raw = {"session_id": self.session, "cwd": str(self.root), "hook_event_name": name, **more}
        event = read(AGENTS["claude-code"], raw)
        assert event is not None
        record("claude-code", event)

    def write(self, name: str, text: str, key: str) -> None:
        call = {"tool_name": "Write", "tool_input": {"file_path": str(self.root / name)}, "tool_use_id": key}
        self("PreToolUse", **call)
        (self.root / name).write_text(text)
        self("PostToolUse", **call)

    @property
    def line(self) -> tb.Timeline:
        return locate.here(self.root)
