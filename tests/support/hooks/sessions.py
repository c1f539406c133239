"""Agents that work in a directory while their hooks are called, a person beside them, and a model that keeps the books."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from support.agent import World
from support.hooks.model import Model
from support.hooks.voices import Call, Raw, Voice
from takeback.adapters.hooks.agents import AGENTS
from takeback.adapters.hooks.reading import read

Say = Callable[[str, bytes], None]


def as_program(agent: str, data: bytes) -> None:
    """The hook as agents call it."""
    command = [sys.executable, "-P", "-m", "takeback", "hook", agent]
    done = subprocess.run(command, input=data, capture_output=True, cwd="/")
    assert (done.returncode, done.stdout, done.stderr) == (0, AGENTS[agent].reply, b""), done


class Workplace:
    """A project in which everything that is done and told goes through the model."""

    def __init__(self, base: Path, say: Say) -> None:
        self.world = World(base, opened=False)
        self.model = Model()
        self._say = say
        self._prompts: dict[str, str] = {}
        self._numbers = iter(range(1, 1 << 30))

    @property
    def root(self) -> str:
        return str(self.world.root)

    def tell(self, voice: Voice, raws: Sequence[Raw]) -> bool:
        """Call the hook with each; whether any of them is one at which takeback looks at the files."""
        looked = False
        for raw in raws:
            event = read(AGENTS[voice.agent], raw)
            step = event is not None and event.again and event.session in self.model.open
            looked |= event is not None and not step
            if event is not None:
                self.model.heard(event.session, voice.agent)
            self._say(voice.agent, json.dumps(raw).encode())
        if looked:
            self.model.saved(self.world.files())
        return looked

    def write(self, path: str, text: str | None = None) -> str:
        """Write what was never written before."""
        text = text or f"{next(self._numbers)} of {path}\n"
        self.world.write(path, text)
        return text

    # what a session does

    def begin(self, voice: Voice, source: str = "startup") -> None:
        if self.tell(voice, voice.begin(source)):
            self.model.end_turn(voice.session)

    def prompt(self, voice: Voice, text: str) -> None:
        self.tell(voice, voice.prompt(text))
        self._prompts[voice.session] = text
        self.model.begin_turn(voice.session, text)

    def before(self, voice: Voice, call: Call) -> None:
        self.tell(voice, voice.before(call))
        if voice.session not in self.model.open:  # it goes on after it said that it had ended
            self.model.begin_turn(voice.session, self._prompts[voice.session])
        path = os.path.relpath(call.path, self.root) if call.path else ""
        self.model.begin_action(voice.session, call.id, path)

    def after(self, voice: Voice, call: Call, failed: bool = False) -> None:
        if self.tell(voice, voice.after(call, failed)):
            certain = not failed if call.path else voice.tells_of_questions
            self.model.end_action(
                voice.session, call.id, certain=certain or (voice.agent != "claude-code" and bool(call.path))
            )
            if call.background and voice.agent in ("claude-code", "gemini-cli"):
                self.model.begin_action(voice.session, f"{call.id}&")

    def stop(self, voice: Voice, at_work: Sequence[Call] = ()) -> None:
        self.tell(voice, voice.stop(at_work))
        if not (at_work and voice.agent == "claude-code"):
            self.model.end_turn(voice.session)

    def fail(self, voice: Voice) -> None:
        if self.tell(voice, voice.fail()):
            self.model.end_turn(voice.session)

    def leave(self, voice: Voice) -> None:
        if self.tell(voice, voice.leave()):
            self.model.end_turn(voice.session)

    def hire(self, voice: Voice) -> Voice:
        raws, helper = voice.hire()
        looked = self.tell(voice, raws)
        if helper.session != voice.session:
            self._prompts[helper.session] = helper.prompted
            self.model.begin_turn(helper.session, helper.prompted)
        elif looked:
            self.model.begin_action(voice.session, helper.helper)
        return helper

    def dismiss(self, voice: Voice, helper: Voice) -> None:
        if self.tell(voice, voice.dismiss(helper)):
            if helper.session != voice.session:
                self.model.end_turn(helper.session)
            else:
                self.model.end_action(voice.session, helper.helper, certain=voice.tells_of_questions)


class Script:
    """Turns at random, always the same for a seed. Each is a generator that stops wherever others may do something."""

    def __init__(self, place: Workplace, dice: random.Random) -> None:
        self._place, self._dice = place, dice
        self._made: dict[str, list[str]] = {}
        self._old: dict[str, list[str]] = {}
        """What stood before the turn: only that is deleted, so that no turn leads back to where it began."""
        self._turns = 0
        (place.world.base / "elsewhere").mkdir(exist_ok=True)

    def run(self, voices: Sequence[Voice], turns: int) -> None:
        """So many turns in all, the sessions' steps mixed, and a person who edits meanwhile."""
        working = {voice.session: self._session(voice) for voice in voices}
        while self._turns < turns or any(voice.session in self._place.model.open for voice in voices):
            if self._dice.random() < 0.08:
                self._place.write(f"person/{self._dice.randint(0, 4)}")
            # Mostly one after the other, now and then in the middle of each other's turns.
            chosen = voices[0] if self._dice.random() < 0.5 else self._dice.choice(voices)
            busy = [voice for voice in voices if voice.session in self._place.model.open]
            if busy and self._dice.random() < 0.7:
                chosen = busy[0]
            if self._turns >= turns and busy:
                chosen = busy[0]
            next(working[chosen.session])

    def _session(self, voice: Voice) -> Iterator[None]:
        place, dice = self._place, self._dice
        place.begin(voice)
        kinds = [self._works, self._works, self._works, self._only_looks, self._hires, self._at_once, self._is_stopped,
                 self._fails, self._goes_on, self._comes_again, self._moves_about, self._in_background]  # fmt: skip
        left = list(kinds)
        while True:
            self._turns += 1
            if self._turns == 1:  # until an agent has told of a tool, whatever changes in its turns is theirs
                place.prompt(voice, "works 1")
                for _ in self._works(voice):
                    pass
                continue
            kind = left.pop(dice.randrange(len(left)))
            left = left or list(kinds)
            self._old[voice.session] = list(self._made.get(voice.session, []))
            place.prompt(voice, f"{kind.__name__.strip('_')} {self._turns}")
            yield
            yield from kind(voice)
            yield

    # turns

    def _works(self, voice: Voice) -> Iterator[None]:
        for _ in range(self._dice.randint(1, 3)):
            yield from self._acts(voice)
        self._place.stop(voice)

    def _only_looks(self, voice: Voice) -> Iterator[None]:
        self._place.tell(voice, voice.look())
        yield
        self._place.write("person/types meanwhile")
        if self._dice.random() < 0.5:
            idle = Call(command=f"ls # {self._turns}")
            self._place.before(voice, idle)
            self._place.after(voice, idle)
        yield
        self._place.stop(voice)

    def _hires(self, voice: Voice) -> Iterator[None]:
        helper = self._place.hire(voice)
        yield from self._acts(helper)
        yield from self._acts(helper)
        self._place.dismiss(voice, helper)
        yield
        self._place.stop(voice)

    def _at_once(self, voice: Voice) -> Iterator[None]:
        calls = [self._command(voice) for _ in range(3)]
        for call, _ in calls:
            self._place.before(voice, call)
        yield
        for call, path in self._dice.sample(calls, len(calls)):
            self._place.write(path)
            self._place.after(voice, call)
        yield
        self._place.stop(voice)

    def _is_stopped(self, voice: Voice) -> Iterator[None]:
        """By Esc, in the middle of a command or after one: nothing tells that the turn has ended."""
        yield from self._acts(voice)
        if self._dice.random() < 0.5:
            call, path = self._command(voice)
            self._place.before(voice, call)
            self._place.write(path)
        yield
        self._place.prompt(voice, f"instead of {self._turns}")
        yield from self._acts(voice)
        self._place.stop(voice)

    def _fails(self, voice: Voice) -> Iterator[None]:
        yield from self._acts(voice, failed=True)
        self._place.fail(voice)
        yield
        self._place.leave(voice)
        self._place.begin(voice, "resume")
        if voice.session in self._place.model.open:  # nobody told
            self._place.prompt(voice, f"again {self._turns}")
            self._place.stop(voice)

    def _goes_on(self, voice: Voice) -> Iterator[None]:
        yield from self._acts(voice)
        self._place.stop(voice)
        yield from self._acts(voice)
        self._place.stop(voice)

    def _comes_again(self, voice: Voice) -> Iterator[None]:
        yield from self._acts(voice)
        self._place.stop(voice)
        self._place.leave(voice)
        yield
        self._place.begin(voice, "resume")
        self._place.begin(voice, "resume")

    def _moves_about(self, voice: Voice) -> Iterator[None]:
        """Into a directory of the project, and into another project."""
        home = voice.cwd
        voice.cwd = os.path.join(home, "deep")
        os.makedirs(voice.cwd, exist_ok=True)
        yield from self._acts(voice)
        voice.cwd = str(self._place.world.base / "elsewhere")
        yield from self._acts(voice)
        self._place.stop(voice)
        voice.cwd = home

    def _in_background(self, voice: Voice) -> Iterator[None]:
        call, path = self._command(voice, background=True)
        self._place.before(voice, call)
        self._place.after(voice, call)
        yield
        self._place.write(path)
        self._place.stop(voice, [call])
        yield
        if voice.session in self._place.model.open:
            self._place.write(path)
            self._place.prompt(voice, f"meanwhile {self._turns}")
            self._place.stop(voice)

    # what is in them

    def _acts(self, voice: Voice, failed: bool = False) -> Iterator[None]:
        """One call of a tool: it edits, runs, or deletes."""
        old = self._old.get(voice.session, [])
        kind = self._dice.choice(["edit", "edit", "command", "delete"])
        if kind == "edit":
            path = self._path(voice)
            call = Call(path=f"{self._place.root}/{path}", text=f"{next(self._place._numbers)} {path}\n")
            self._place.before(voice, call)
            yield
            self._place.write(path, call.text)
        elif kind == "delete" and old:
            path = old.pop(self._dice.randrange(len(old)))
            self._made[voice.session].remove(path)
            call = Call(command=f"rm {path} # {self._turns}")
            self._place.before(voice, call)
            self._place.world.remove(path)
            yield
        else:
            call, path = self._command(voice)
            self._place.before(voice, call)
            yield
            self._place.write(path)
        yield
        self._place.after(voice, call, failed)
        yield

    def _command(self, voice: Voice, *, background: bool = False) -> tuple[Call, str]:
        path = self._path(voice)
        return Call(command=f"make {path} {next(self._place._numbers)}", background=background), path

    def _path(self, voice: Voice) -> str:
        """A file of the session's own."""
        path = f"{voice.session}/{self._dice.randint(0, 60)}"
        made = self._made.setdefault(voice.session, [])
        if path not in made:
            made.append(path)
        if path in (old := self._old.get(voice.session, [])):
            old.remove(path)
        return path
