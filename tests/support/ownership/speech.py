"""What Claude Code and Codex tell their hooks of the calls in a script: `support.hooks.voices`, with questions to the person, with
durations, and with calls that nothing ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from support.hooks.voices import ClaudeCode, Codex, Raw

NAMED = ("write", "edit")
"""Kinds of calls that name the file that they change."""


@dataclass(eq=False)
class Call:
    """A call of a tool, and all that is known of when it ran."""

    session: str
    number: int
    kind: str
    """``write``, ``edit``, ``command`` or ``background``."""
    path: str = ""
    old: str = ""
    new: str = ""
    asked: str = ""
    """Whether a person was asked, and the answer: ``asked``, ``allowed`` or ``denied``."""
    opened_step: int = 0
    answered_ns: int = 0
    """When the hook let the agent go on."""
    ran_ns: tuple[int, int] = (0, 0)
    """When it began to run, and when it had ended."""
    has_acted: bool = False
    has_changed: bool = False
    """Whether a tool that names its file could change it."""
    lives: bool = False
    """Whether it is `takeback run`, and runs now."""
    end: str = ""
    """``ended``, ``failed`` or ``interrupted``; empty if no event has told of it."""
    closed_step: int = 1 << 62
    heard_ns: int = 0
    """When the hook heard of its end."""
    duration_ms: int | None = None
    alone: bool = True
    """Whether no other session was at work meanwhile."""
    disturbed: bool = False
    """Whether takeback changed something, or was told to, meanwhile."""
    helper: str = ""
    """The subagent that makes it."""
    unsure: bool = False
    """Whether a person may have been asked, though no event says so."""
    again: bool = False
    """Whether it goes on after its end was told: a command in the background."""

    @property
    def text(self) -> str:
        return f"make {self.number}"

    @property
    def id(self) -> str:
        return f"call_{self.session}_{self.number}"

    def proved(self) -> tuple[int, int] | None:
        """When it certainly ran, as far as its events prove it; None if they do not."""
        if self.lives:
            return self.answered_ns, 1 << 62
        if not self.end or self.asked == "denied":
            return None
        if self.duration_ms is not None:
            return max(self.answered_ns, self.heard_ns - self.duration_ms * 1_000_000), self.heard_ns
        return None if self.asked else (self.answered_ns, self.heard_ns)


class Claude(ClaudeCode):
    """Claude Code."""

    has_durations = True

    def calls(self, call: Call) -> list[Raw]:
        return [self._event("PreToolUse", **self._told(call))]

    def asks(self, call: Call) -> list[Raw]:
        told = self._told(call)
        del told["tool_use_id"]
        return [self._event("PermissionRequest", **told)]

    def is_denied(self, call: Call) -> list[Raw]:
        return [self._event("PermissionDenied", **self._told(call), reason="the person said no")]

    def ends(self, call: Call) -> list[Raw]:
        told = self._told(call)
        batch = {"tool_calls": [{**told, "tool_response": "done"}]}
        return [
            self._event("PostToolUse", **told, tool_response={"stdout": ""}, duration_ms=call.duration_ms),
            self._event("PostToolBatch", **batch),
        ]

    def fails(self, call: Call) -> list[Raw]:
        about = {"error": "Exit code 3", "is_interrupt": False, "duration_ms": call.duration_ms}
        return [self._event("PostToolUseFailure", **self._told(call), **about)]

    def is_interrupted(self, call: Call) -> list[Raw]:
        about: dict[str, Any] = {"error": "interrupted", "is_interrupt": True}
        if call.duration_ms is not None:
            about["duration_ms"] = call.duration_ms
        return [self._event("PostToolUseFailure", **self._told(call), **about)]

    def stops(self, at_work: Sequence[Call]) -> list[Raw]:
        tasks = [{"id": call.id, "type": "shell", "status": "running"} for call in at_work]
        return [self._event("Stop", stop_hook_active=False, background_tasks=tasks, session_crons=[])]

    def helper_stops(self, helper: str) -> list[Raw]:
        path = f"{self.home}/agent.jsonl"
        about = {"agent_id": helper, "agent_type": "general-purpose", "agent_transcript_path": path}
        return [self._event("SubagentStop", stop_hook_active=False, **about)]

    def _told(self, call: Call) -> dict[str, Any]:
        path = f"{self.cwd}/{call.path}"
        if call.helper:
            about = {"agent_id": call.helper, "agent_type": "general-purpose"}
            return {**_tool("Bash", call, command=call.text, description="Runs a command"), **about}
        if call.kind == "write":
            return _tool("Write", call, file_path=path, content=call.new)
        if call.kind == "edit":
            return _tool("Edit", call, file_path=path, old_string=call.old, new_string=call.new, replace_all=False)
        if call.kind == "background":
            return _tool("Bash", call, command=call.text, description="Runs a command", run_in_background=True)
        return _tool("Bash", call, command=call.text, description="Runs a command")

    def _event(self, name: str, **more: Any) -> Raw:
        mode = {} if name in ("SessionStart", "SessionEnd", "StopFailure") else {"permission_mode": "default"}
        return super()._event(name, **{**mode, **more})


class Other(Codex):
    """Codex, which tells of no durations."""

    has_durations = False
    mode = "bypassPermissions"

    def helper_stops(self, helper: str) -> list[Raw]:
        return []

    def calls(self, call: Call) -> list[Raw]:
        return [self._event("PreToolUse", **self._told(call))]

    def asks(self, call: Call) -> list[Raw]:
        return [self._event("PermissionRequest", **self._told(call))]

    def is_denied(self, call: Call) -> list[Raw]:
        return []

    def ends(self, call: Call) -> list[Raw]:
        return [self._event("PostToolUse", **self._told(call), tool_response="")]

    def fails(self, call: Call) -> list[Raw]:
        if call.kind in NAMED:  # of a patch that does not fit, Codex tells no end
            return []
        return [self._event("PostToolUse", **self._told(call), tool_response="Exit code: 1")]

    def is_interrupted(self, call: Call) -> list[Raw]:
        return []

    def stops(self, at_work: Sequence[Call]) -> list[Raw]:
        return [self._event("Stop", stop_hook_active=False, last_assistant_message="Done.")]

    def _told(self, call: Call) -> dict[str, Any]:
        if call.kind not in NAMED:
            return {"tool_name": "Bash", "tool_input": {"command": call.text}, "tool_use_id": call.id}
        change = f"*** Add File: {call.path}\n+{call.new}"
        if call.kind == "edit":
            change = f"*** Update File: {call.path}\n@@\n-{call.old}\n+{call.new}"
        patch = f"*** Begin Patch\n{change}\n*** End Patch\n"
        return {"tool_name": "apply_patch", "tool_input": {"command": patch}, "tool_use_id": call.id}

    def _event(self, name: str, **more: Any) -> Raw:
        return super()._event(name, **{"permission_mode": self.mode, **more})


def _tool(name: str, call: Call, **input: Any) -> dict[str, Any]:
    return {"tool_name": name, "tool_input": input, "tool_use_id": call.id}
