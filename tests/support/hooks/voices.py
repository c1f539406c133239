"""How each agent tells what it does: one class an agent, the same steps for all.

The shapes are those of the recorded streams (`tests/adapters/hooks/streams`); docker-agent's are those of its source, and
opencode's what takeback's plugin makes of its events. A step may be several events, or none.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

Raw = dict[str, Any]

_NUMBERS = count(1)


@dataclass(frozen=True)
class Call:
    """A call of a tool: an edit of a file, which it names, or a command, which does not say what it writes."""

    command: str = ""
    path: str = ""
    text: str = ""
    background: bool = False
    id: str = field(default_factory=lambda: f"call_{next(_NUMBERS)}")


class Voice:
    """One session of an agent. ``helper`` names the subagent that speaks."""

    agent = ""
    has_ids = True
    tells_of_questions = True

    def __init__(self, session: str, cwd: str, home: str, helper: str = "") -> None:
        self.session, self.cwd, self.home, self.helper = session, cwd, home, helper
        self.prompted = ""

    def begin(self, source: str = "startup") -> list[Raw]:
        raise NotImplementedError

    def prompt(self, text: str) -> list[Raw]:
        raise NotImplementedError

    def before(self, call: Call) -> list[Raw]:
        raise NotImplementedError

    def after(self, call: Call, failed: bool = False) -> list[Raw]:
        raise NotImplementedError

    def look(self) -> list[Raw]:
        """A tool that cannot write."""
        raise NotImplementedError

    def stop(self, at_work: Sequence[Call] = ()) -> list[Raw]:
        raise NotImplementedError

    def fail(self) -> list[Raw]:
        """The service fails."""
        raise NotImplementedError

    def leave(self) -> list[Raw]:
        raise NotImplementedError

    def hire(self) -> tuple[list[Raw], Voice]:
        """A subagent begins."""
        raise NotImplementedError

    def dismiss(self, helper: Voice) -> list[Raw]:
        raise NotImplementedError

    def _event(self, name: str, **more: Any) -> Raw:
        return {"session_id": self.session, "cwd": self.cwd, "hook_event_name": name, **more}


class ClaudeCode(Voice):
    agent = "claude-code"

    def begin(self, source: str = "startup") -> list[Raw]:
        return [self._event("SessionStart", source=source)]

    def prompt(self, text: str) -> list[Raw]:
        return [self._event("UserPromptSubmit", permission_mode="default", prompt=text)]

    def before(self, call: Call) -> list[Raw]:
        return [self._event("PreToolUse", **self._call(call))]

    def after(self, call: Call, failed: bool = False) -> list[Raw]:
        told = self._call(call)
        if failed:
            return [self._event("PostToolUseFailure", **told, error="Exit code 3", is_interrupt=False)]
        batch = {"tool_calls": [{**told, "tool_response": "done"}]}
        return [self._event("PostToolUse", **told, tool_response={"stdout": ""}), self._event("PostToolBatch", **batch)]

    def look(self) -> list[Raw]:
        told = {"tool_name": "Read", "tool_input": {"file_path": f"{self.cwd}/a.txt"}, "tool_use_id": "read_1"}
        return [self._event("PreToolUse", **told), self._event("PostToolUse", **told, tool_response={})]

    def stop(self, at_work: Sequence[Call] = ()) -> list[Raw]:
        tasks = [{"id": call.id, "type": "shell", "status": "running"} for call in at_work]
        return [self._event("Stop", stop_hook_active=False, background_tasks=tasks, session_crons=[])]

    def fail(self) -> list[Raw]:
        return [self._event("StopFailure", error="unknown")]

    def leave(self) -> list[Raw]:
        return [self._event("SessionEnd", reason="other")]

    def hire(self) -> tuple[list[Raw], Voice]:
        helper = type(self)(self.session, self.cwd, self.home, f"a{next(_NUMBERS)}")
        return [self._event("PreToolUse", **self._hired(helper)), helper._event("SubagentStart")], helper

    def dismiss(self, helper: Voice) -> list[Raw]:
        gone = helper._event("SubagentStop", stop_hook_active=False, agent_transcript_path="/home/u/agent.jsonl")
        return [gone, self._event("PostToolUse", **self._hired(helper), tool_response={})]

    def _hired(self, helper: Voice) -> Raw:
        wish = {"description": "a part", "prompt": "do it", "subagent_type": "general-purpose"}
        return {"tool_name": "Agent", "tool_input": wish, "tool_use_id": f"hire_{helper.helper}"}

    def _call(self, call: Call) -> Raw:
        if call.path:
            return {
                "tool_name": "Write",
                "tool_input": {"file_path": call.path, "content": call.text},
                "tool_use_id": call.id,
            }
        input = {"command": call.command, "description": "Runs a command"}
        if call.background:
            input["run_in_background"] = True  # type: ignore[assignment]
        return {"tool_name": "Bash", "tool_input": input, "tool_use_id": call.id}

    def _event(self, name: str, **more: Any) -> Raw:
        helper = {"agent_id": self.helper, "agent_type": "general-purpose"} if self.helper else {}
        path = f"{self.home}/.claude/projects/-project/{self.session}.jsonl"
        return {**super()._event(name), "transcript_path": path, **helper, **more}


class Codex(ClaudeCode):
    agent = "codex"

    def prompt(self, text: str) -> list[Raw]:
        return [self._event("UserPromptSubmit", prompt=text), self._event("PreModelRequest")]

    def after(self, call: Call, failed: bool = False) -> list[Raw]:
        if failed and call.path:
            return []  # a patch that does not apply
        return [self._event("PostToolUse", **self._call(call), tool_response="")]

    def stop(self, at_work: Sequence[Call] = ()) -> list[Raw]:
        return [self._event("Stop", stop_hook_active=False, last_assistant_message="Done.")]

    def fail(self) -> list[Raw]:
        return []

    def hire(self) -> tuple[list[Raw], Voice]:
        helper = type(self)(self.session, self.cwd, self.home, f"a{next(_NUMBERS)}")
        told = {"tool_name": "spawn_agent", "tool_input": {"message": "do it"}, "tool_use_id": f"hire_{helper.helper}"}
        hired = [self._event("PreToolUse", **told), self._event("PostToolUse", **told, tool_response="{}")]
        return [*hired, helper._event("SubagentStart"), helper._event("UserPromptSubmit", prompt="do it")], helper

    def dismiss(self, helper: Voice) -> list[Raw]:
        return [helper._event("Stop", stop_hook_active=False), helper._event("SubagentStop", stop_hook_active=False)]

    def _call(self, call: Call) -> Raw:
        if not call.path:
            return {"tool_name": "Bash", "tool_input": {"command": call.command}, "tool_use_id": call.id}
        path = os.path.relpath(call.path, self.cwd)
        patch = f"*** Begin Patch\n*** Add File: {path}\n+{call.text}\n*** End Patch\n"
        return {"tool_name": "apply_patch", "tool_input": {"command": patch}, "tool_use_id": call.id}

    def _event(self, name: str, **more: Any) -> Raw:
        raw = super()._event(name, **more)
        raw["transcript_path"] = f"{self.home}/.codex/sessions/2026/11/15/rollout-{self.helper or self.session}.jsonl"
        return {**raw, "turn_id": f"turn of {self.helper or self.session}", "model": "gpt-5.5"}


class GeminiCli(Voice):
    agent = "gemini-cli"
    has_ids = False

    def begin(self, source: str = "startup") -> list[Raw]:
        return [self._event("SessionStart", source=source)]

    def prompt(self, text: str) -> list[Raw]:
        self.prompted = text
        return [self._event("BeforeAgent", prompt=text), self._event("PreCompress", trigger="auto")]

    def before(self, call: Call) -> list[Raw]:
        return [self._event("BeforeTool", **self._call(call))]

    def after(self, call: Call, failed: bool = False) -> list[Raw]:
        response = {"llmContent": "", "returnDisplay": "", **({"error": {"message": "failed"}} if failed else {})}
        return [self._event("AfterTool", **self._call(call), tool_response=response)]

    def look(self) -> list[Raw]:
        told = {"tool_name": "read_file", "tool_input": {"file_path": f"{self.cwd}/a.txt"}}
        return [self._event("BeforeTool", **told), self._event("AfterTool", **told, tool_response={})]

    def stop(self, at_work: Sequence[Call] = ()) -> list[Raw]:
        return [self._event("AfterAgent", prompt=self.prompted, prompt_response="Done.", stop_hook_active=False)]

    def fail(self) -> list[Raw]:
        return []

    def leave(self) -> list[Raw]:
        return [self._event("SessionEnd", reason="exit")]

    def hire(self) -> tuple[list[Raw], Voice]:
        helper = type(self)(self.session, self.cwd, self.home, f"do it {next(_NUMBERS)}")
        return [self._event("BeforeTool", **self._hired(helper))], helper

    def dismiss(self, helper: Voice) -> list[Raw]:
        return [self._event("AfterTool", **self._hired(helper), tool_response={})]

    def _hired(self, helper: Voice) -> Raw:
        return {"tool_name": "invoke_agent", "tool_input": {"agent_name": "generalist", "prompt": helper.helper}}

    def _call(self, call: Call) -> Raw:
        if call.path:
            return {"tool_name": "write_file", "tool_input": {"file_path": call.path, "content": call.text}}
        more = {"is_background": True} if call.background else {}
        return {"tool_name": "run_shell_command", "tool_input": {"command": call.command, **more}}

    def _event(self, name: str, **more: Any) -> Raw:
        path = f"{self.home}/.gemini/tmp/project/chats/session-2026-11-15T13-45-{self.session[:8]}.jsonl"
        stamp = "2026-11-15T13:45:18.834Z"
        return {**super()._event(name), "transcript_path": path, "timestamp": stamp, **more}


class DockerAgent(Voice):
    """Every call of the model is a "turn" of its own; a subagent has a session of its own."""

    agent = "docker-agent"
    tells_of_questions = False

    def begin(self, source: str = "startup") -> list[Raw]:
        return [self._event("session_start", source=source)]

    def prompt(self, text: str) -> list[Raw]:
        self.prompted = text
        return [self._event("user_prompt_submit", prompt=text), self._event("turn_start")]

    def before(self, call: Call) -> list[Raw]:
        return [self._event("pre_tool_use", **self._call(call))]

    def after(self, call: Call, failed: bool = False) -> list[Raw]:
        told = self._event("post_tool_use", **self._call(call), tool_response="failed" if failed else "")
        return [told, self._event("turn_end", reason="continue"), self._event("turn_start")]

    def look(self) -> list[Raw]:
        told = {"tool_name": "mcp_lookup", "tool_input": {"q": "x"}, "tool_use_id": "look", "tool_read_only": True}
        return [self._event("pre_tool_use", **told), self._event("post_tool_use", **told, tool_response="")]

    def stop(self, at_work: Sequence[Call] = ()) -> list[Raw]:
        return [self._event("turn_end", reason="normal")]

    def fail(self) -> list[Raw]:
        return [self._event("turn_end", reason="error")]

    def leave(self) -> list[Raw]:
        return [self._event("session_end", reason="exit")]

    def hire(self) -> tuple[list[Raw], Voice]:
        helper = DockerAgent(f"{self.session}-{next(_NUMBERS)}", self.cwd, self.home, "coder")
        helper.prompted = f"the task of {helper.session}"
        told = {"tool_name": "transfer_task", "tool_input": {"agent": "coder", "task": helper.prompted}}
        return [self._event("pre_tool_use", **told, tool_use_id=helper.session), helper._event("turn_start")], helper

    def dismiss(self, helper: Voice) -> list[Raw]:
        told = {"tool_name": "transfer_task", "tool_input": {"agent": "coder", "task": helper.prompted}}
        return [*helper.stop(), self._event("post_tool_use", **told, tool_use_id=helper.session, tool_response="")]

    def _call(self, call: Call) -> Raw:
        if call.path:
            return {
                "tool_name": "write_file",
                "tool_input": {"path": call.path, "content": call.text},
                "tool_use_id": call.id,
            }
        return {"tool_name": "shell", "tool_input": {"cmd": call.command, "cwd": "."}, "tool_use_id": call.id}

    def _event(self, name: str, **more: Any) -> Raw:
        return {
            **super()._event(name),
            "agent_name": self.helper or "root",
            "last_user_message": self.prompted,
            "tool_read_only": False,
            **more,
        }


class OpenCode(Voice):
    """What the plugin says; a subagent's calls are its parent's there."""

    agent = "opencode"

    def begin(self, source: str = "startup") -> list[Raw]:
        return [self._event("session_created")] if source == "startup" else []

    def prompt(self, text: str) -> list[Raw]:
        return [self._event("prompt", prompt=text)]

    def before(self, call: Call) -> list[Raw]:
        return [self._event("tool_before", **self._call(call))]

    def after(self, call: Call, failed: bool = False) -> list[Raw]:
        return [self._event("tool_after", **self._call(call))]

    def look(self) -> list[Raw]:
        told = {"tool_name": "read", "tool_input": {"filePath": f"{self.cwd}/a.txt"}, "tool_use_id": "read_1"}
        return [self._event("tool_before", **told), self._event("tool_after", **told)]

    def stop(self, at_work: Sequence[Call] = ()) -> list[Raw]:
        return [self._event("idle")]

    def fail(self) -> list[Raw]:
        return [self._event("error"), self._event("idle")]

    def leave(self) -> list[Raw]:
        return []

    def hire(self) -> tuple[list[Raw], Voice]:
        return [], type(self)(self.session, self.cwd, self.home, "task")

    def dismiss(self, helper: Voice) -> list[Raw]:
        return []

    def _call(self, call: Call) -> Raw:
        if call.path:
            return {
                "tool_name": "write",
                "tool_input": {"filePath": call.path, "content": call.text},
                "tool_use_id": call.id,
            }
        return {"tool_name": "bash", "tool_input": {"command": call.command}, "tool_use_id": call.id}

    def _event(self, name: str, **more: Any) -> Raw:
        return {**super()._event(name), "timestamp_ms": 1794750569747, **more}


VOICES = {voice.agent: voice for voice in (ClaudeCode, Codex, GeminiCli, DockerAgent, OpenCode)}
