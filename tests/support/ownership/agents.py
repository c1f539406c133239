"""What agents do in a script: sessions whose hooks are called, their calls, and `takeback run`."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from support.agent import World
from support.hooks.voices import Raw
from support.ownership import agent_process, tree_ops
from support.ownership.agent_process import Process
from support.ownership.deed import Broken
from support.ownership.ledger import Ledger
from support.ownership.speech import NAMED, Call, Claude, Other
from support.trees import Link, Spec, make_tree
from takeback.adapters.hooks.agents import AGENTS

MOST_CALLS = 2
LOOKS = (
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "Stop",
    "StopFailure",
    "SessionEnd",
    "Interrupt",
)
"""Events at which takeback looks at the files."""

_TEXTS = ("a.txt", "b.txt", "src/c.py", "src/d.py", "src/deep/e.py")


def first_tree() -> dict[str, Spec]:
    """What stands there before anybody works: texts, a link, a repository, and what is in no snapshot."""
    return {
        **{path: "".join(f"person-base-{path}-{number:02}-{'x' * 20}\n" for number in range(12)) for path in _TEXTS},
        "link": Link("person-base-link-leads-somewhere"),
        ".gitignore": ".env\nbuild/\n*.log\n",
        ".env": f"person-base-env-{'s' * 30}\n",
        ".env.example": f"person-base-env-example-{'e' * 30}\n",
        "build/out.o": f"person-base-build-{'o' * 30}\n",
        "large.bin": f"person-base-large-{'l' * 30}\n" + "-" * tree_ops.LIMIT + "\n",
        ".git/HEAD": "ref: refs/heads/main\n",
        ".git/config": "[core]\n\trepositoryformatversion = 0\n",
        ".git/objects/info/packs": "\n",
        ".git/refs/heads/.keep": "",
    }


@dataclass(eq=False)
class Session:
    """One session of an agent."""

    name: str
    voice: Any
    process: Process | None = None
    begun: bool = False
    turns: int = 0
    prompted: bool = False
    open: list[Call] = field(default_factory=list)
    """Calls that have begun, and have not been told to have ended."""
    lost: list[Call] = field(default_factory=list)
    """Calls of which no end will be told."""
    jobs: list[Call] = field(default_factory=list)
    """Commands that go on in the background."""

    @property
    def busy(self) -> list[Call]:
        return [*self.open, *self.lost, *self.jobs]


class Agents:
    """Two sessions, and a command of `takeback run`, in one directory."""

    def __init__(self, base: Path, home: Path, *, forked: bool) -> None:
        self._base, self._forked = base, forked
        self.world = World(base, opened=False)
        make_tree(self.world.root, first_tree())
        self.ledger = Ledger(self.world.root)
        self.ledger.begin()
        self.calls: list[Call] = []
        self.events = 0
        """How many events were told."""
        self.hushed = False
        """Whether an agent has written rules that may stop the recording."""
        self.hides = False
        """Whether one has written any rules: then the person is told, too."""
        self._sessions = {
            "one": Session("one", Claude("one", str(self.world.root), str(home))),
            "two": Session("two", Other("two", str(self.world.root), str(home))),
        }
        self._run: tuple[Process, int, Call] | None = None
        self._runs = 0

    def may_ask(self, name: str) -> None:
        """A session's agent asks a person before it does something."""
        self._sessions[name].voice.mode = "default"

    def act(self, name: str, verb: str, words: Sequence[str]) -> None:
        """A session does something, or the command of `takeback run`."""
        if name != "run":
            self._agent(self._sessions[name], verb, words)
        elif self._run is not None:
            self._do(self._run[2], verb, words)

    def disturb(self) -> None:
        """Takeback does something, whatever is at work."""
        for call in self.under_way():
            call.disturbed = True
        for session in self._sessions.values():
            self._forget_jobs(session, told=False)

    def under_way(self) -> list[Call]:
        """All calls that may be at work."""
        busy = [call for session in self._sessions.values() for call in session.busy]
        return [*busy, self._run[2]] if self._run is not None else busy

    def close(self) -> None:
        self.run_ends(killed=True)
        for session in self._sessions.values():
            if session.process is not None:
                session.process.close()

    def _agent(self, session: Session, verb: str, words: Sequence[str]) -> None:
        if verb in tree_ops.OPERATIONS:
            call = next((each for each in reversed(session.open) if each.kind not in NAMED), None)
            call = call or (session.jobs[-1] if session.jobs else None)
            if call is not None and call.asked != "denied":
                self._do(call, verb, words)
            return
        if verb == "job-end":
            del session.jobs[:1]
            return
        if verb == "begin":
            self._begin(session)
        elif session.process is None:
            return
        elif verb == "prompt":
            self._prompt(session)
        elif verb == "look":
            self._tell(session, session.voice.look())
        elif verb.startswith("call-"):
            self._calls(session, verb.removeprefix("call-"), words[0] if words else "")
        elif verb in ("stop", "stop-quietly") and not session.open:
            self._tell(session, session.voice.stops(session.jobs if verb == "stop" else []))
            session.lost.clear()
            if verb == "stop-quietly":
                self._forget_jobs(session)
        elif verb == "stop-fail":
            self._tell(session, session.voice.fail())
            self._no_more(session)
        elif verb == "helper-stop":
            self._helper_stops(session)
        elif verb == "leave":
            self._tell(session, session.voice.leave())
            self._no_more(session)
            self._gone(session)
        elif verb in ("die", "vanish"):
            session.lost += session.open
            session.open.clear()
            if verb == "die":
                session.process.kill()
                session.process = None
                self._no_more(session)
            self._gone(session)
        elif session.open:
            self._with_call(session, session.open[-1], verb)

    def _begin(self, session: Session) -> None:
        if session.process is not None:
            return
        session.process = agent_process.agent()
        self._tell(session, session.voice.begin("resume" if session.begun else "startup"))
        session.begun = True
        self._no_more(session)

    def _prompt(self, session: Session) -> None:
        session.turns += 1
        session.prompted = True
        session.lost += session.open
        session.open.clear()
        self._forget_jobs(session, told=False)
        self._tell(session, session.voice.prompt(f"turn {session.turns} of {session.name}"))
        session.lost.clear()

    def _calls(self, session: Session, kind: str, path: str) -> None:
        if not session.prompted or len(session.open) == MOST_CALLS:
            return
        if kind == "background" and session.name == "two":
            kind = "run"
        kind = "command" if kind == "run" else kind
        helper = f"helper-{session.turns}" if kind == "helper" and session.name == "one" else ""
        kind = "command" if kind == "helper" else kind
        call = Call(session.name, len(self.calls), kind, path, opened_step=self.ledger.step + 1, helper=helper)
        call.unsure = session.name == "two" and session.voice.mode == "default" and kind not in NAMED
        if kind in NAMED:
            call.new = self.ledger.new_line(session.name, call)
            if kind == "edit":
                target = self.world.root / path
                old = target.read_text().splitlines() if target.is_file() and not target.is_symlink() else []
                if not old or len(old[0]) < 10:
                    return
                call.old = old[0]
        self.calls.append(call)
        self._tell(session, session.voice.calls(call))
        call.answered_ns = time.time_ns()
        call.ran_ns = (0 if kind in NAMED else call.answered_ns, 0)
        session.open.append(call)
        self._meet(call)

    def _helper_stops(self, session: Session) -> None:
        """A subagent has ended, and with it the calls of which it told no end."""
        helpers = {call.helper for call in (*session.open, *session.lost) if call.helper}
        for helper in sorted(helpers):
            self._tell(session, session.voice.helper_stops(helper))
        for calls in (session.open, session.lost):
            for call in [call for call in calls if call.helper]:
                calls.remove(call)
                call.closed_step = self.ledger.step

    def _with_call(self, session: Session, call: Call, verb: str) -> None:
        """What happens to the call that was begun last."""
        if verb == "ask" and not call.asked and not call.has_acted:
            call.asked = "asked"
            call.ran_ns = (0, 0)
            self._tell(session, session.voice.asks(call))
        elif verb == "allow" and call.asked == "asked":
            call.asked = "allowed"
            call.ran_ns = (0 if call.kind in NAMED else time.time_ns(), 0)
        elif verb == "deny" and call.asked == "asked":
            call.asked = "denied"
            session.open.remove(call)
            self._tell(session, session.voice.is_denied(call))
            call.closed_step = self.ledger.step
        elif verb == "apply" and call.kind in NAMED:
            self._apply(call)
        elif verb == "escape" or (verb == "interrupt" and not session.voice.is_interrupted(call)):
            session.lost += session.open
            session.open.clear()
            if verb == "interrupt":  # Codex tells of the turn
                self._tell(session, [session.voice._event("Interrupt")])
                session.lost.clear()
        elif verb in ("end", "fail", "interrupt"):
            self._ends(session, call, verb)

    def _ends(self, session: Session, call: Call, verb: str) -> None:
        if verb == "end" and call.kind in NAMED:
            self._apply(call)
            verb = "end" if call.has_changed else "fail"
        if verb == "fail" and not session.voice.fails(call):  # the agent tells nothing of it
            session.open.remove(call)
            session.lost.append(call)
            return
        now = time.time_ns()
        begun = call.ran_ns[0] or now
        call.ran_ns = (begun, now)
        has_duration = session.voice.has_durations and (verb != "interrupt" or call.number % 2 == 0)
        call.duration_ms = (now - begun) // 1_000_000 if has_duration else None
        session.open.remove(call)
        how = {"end": session.voice.ends, "fail": session.voice.fails, "interrupt": session.voice.is_interrupted}
        call.end = {"end": "ended", "fail": "failed", "interrupt": "interrupted"}[verb]
        call.heard_ns = self._tell(session, how[verb](call)) or now
        call.closed_step = self.ledger.step
        if call.kind == "background" and verb == "end":
            call.again = True
            call.closed_step = 1 << 62
            session.jobs.append(call)

    def _apply(self, call: Call) -> None:
        """What a tool that names a file does to it."""
        if call.has_acted or call.asked == "denied":
            return
        call.has_acted = True
        call.asked = "allowed" if call.asked else ""
        began = time.time_ns()
        call.ran_ns = (began, began)
        root = self.world.root
        if call.kind == "write":
            call.has_changed = tree_ops.write(root, call.path, call.new)
        else:
            call.has_changed = tree_ops.replace(root, call.path, "", call.old, call.new)
        self.ledger.note(call.session, call, began)

    def _do(self, call: Call, verb: str, words: Sequence[str]) -> None:
        """What a command does."""
        call.asked = "allowed" if call.asked == "asked" else call.asked
        call.ran_ns = (call.ran_ns[0] or time.time_ns(), 0)
        call.has_acted = True
        self.hushed = self.hushed or verb == "rules"
        self.hides = self.hides or verb in ("rules", "ignore")
        self.ledger.act(call.session, call, verb, words)

    def _meet(self, call: Call) -> None:
        """Sessions that are at work at the same time know it."""
        others = [each for session in self._sessions.values() if session.name != call.session for each in session.busy]
        if self._run is not None and self._run[2] is not call:
            others.append(self._run[2])
        for other in others:
            call.alone = other.alone = False

    def _no_more(self, session: Session) -> None:
        """Whatever was under way has ended, and no event told of it."""
        for call in (*session.open, *session.lost):
            call.closed_step = min(call.closed_step, self.ledger.step)
        session.open.clear()
        session.lost.clear()
        self._forget_jobs(session)

    def _forget_jobs(self, session: Session, *, told: bool = True) -> None:
        """No event tells that commands in the background are still at work: from the last one on, or from the next one on."""
        for job in session.jobs:
            job.closed_step = min(job.closed_step, self.ledger.step - told)

    def _gone(self, session: Session) -> None:
        self._forget_jobs(session)
        if session.process is not None:
            session.process.close()
            session.process = None
        session.prompted = False

    def _tell(self, session: Session, raws: Sequence[Raw]) -> int:
        """Call the hook with each; when the first one began."""
        assert session.process is not None
        first = 0
        for raw in raws:
            self.events += 1
            data = json.dumps(raw).encode()
            began, outcome = session.process.tell(session.voice.agent, data, forked=self._forked)
            first = first or began
            expected = (0, AGENTS[session.voice.agent].reply)
            if (outcome.exit_code, outcome.reply) != expected:
                raise Broken("hooks", f"{raw['hook_event_name']} was answered with {outcome}")
            if raw["hook_event_name"] in LOOKS:
                self.ledger.looked()
        return first

    # `takeback run`

    def run_starts(self) -> None:
        if self._run is not None:
            return
        self._runs += 1
        name = f"run-{self._runs}"
        fifo = self._base / name
        os.mkfifo(fifo)
        call = Call(name, len(self.calls), "command", opened_step=self.ledger.step + 1)
        words = ("run", "--session", name, "-m", f"work of {name}", "--", "cat", str(fifo))
        process = agent_process.command(words, self.world.root)
        pipe = _opened(fifo)
        self.ledger.looked()
        call.answered_ns, call.lives = time.time_ns(), True
        self.calls.append(call)
        self.events += 1
        self._run = (process, pipe, call)
        self._meet(call)

    def run_ends(self, *, killed: bool) -> None:
        if self._run is None:
            return
        process, pipe, call = self._run
        self._run = None
        self.events += 1
        call.heard_ns, call.lives = time.time_ns(), False
        if killed:
            process.kill()
            os.close(pipe)
            return
        call.end = "ended"
        os.close(pipe)
        process.wait()
        self.ledger.looked()
        call.closed_step = self.ledger.step


def _opened(fifo: Path) -> int:
    """A pipe, once somebody reads from it."""
    end = time.monotonic() + agent_process.PATIENCE
    while True:
        try:
            return os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            assert time.monotonic() < end, "the command did not start"
            time.sleep(0.001)
