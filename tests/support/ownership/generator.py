"""Scripts at random, always the same one for a seed."""

from __future__ import annotations

import random
from collections.abc import Iterator

from support.ownership.script import Script, Step

STEPS = 40

_FILES = ("a.txt", "b.txt", "src/c.py", "src/d.py", "src/deep/e.py", "new.txt", "src/new.py", "lib/c.py")
_ODD = (".env", ".env.example", "build/out.o", "work.log", "large.bin", "link", "second", "takeback.md")
_FOLDERS = ("src", "src/deep", "lib", "build")
_PATTERNS = ("*", "src/", "new.txt", "*.py")


class Generator:
    """Writes one script. It knows roughly where each session is, so that most steps make sense."""

    def __init__(self, seed: int) -> None:
        self._dice = random.Random(seed)
        self._phase = {"one": "out", "two": "out"}
        self._call = {"one": "", "two": ""}
        self._job = {"one": False, "two": False}
        self._runs = False
        self._swears = self._dice.random() < 0.15
        """Whether agents of this script write rules."""
        self._crowded = self._dice.random() < 0.4
        """Whether both sessions work in it."""

    def script(self) -> Script:
        steps = [*self._first_turns()] if self._flip(0.5) else []
        while len(steps) < STEPS:
            steps += self._next()
        for _ in range(self._dice.randint(1, 3)):
            steps += self._undoes()
            if self._flip(0.5):
                steps.append(Step("takeback", "redo"))
                if self._flip(0.6):
                    steps += self._undoes()
        return tuple(steps)

    def _first_turns(self) -> Iterator[Step]:
        """Each agent has called a tool before."""
        for who in ("one", "two") if self._crowded else ("one",):
            yield from (Step(who, verb) for verb in ("begin", "prompt"))
            yield Step(who, "call-write", (f"{who}.txt",))
            yield from (Step(who, verb) for verb in ("end", "stop"))
            self._phase[who] = "idle"

    def _flip(self, chance: float) -> bool:
        return self._dice.random() < chance

    def _next(self) -> Iterator[Step]:
        kind = self._dice.random()
        if kind < 0.28:
            yield from self._person()
        elif kind < 0.36:
            yield from self._takeback()
        elif self._runs and kind < 0.45:
            yield Step("run", *self._operation())
        else:
            yield from self._works("two" if self._crowded and self._flip(0.4) else "one")

    # the person

    def _person(self) -> Iterator[Step]:
        if self._flip(0.1):
            yield Step("time", "passes")
        for _ in range(self._dice.choice((1, 1, 2))):
            yield Step("person", *self._operation())
        if self._flip(0.15):
            yield Step("time", "passes")

    def _operation(self) -> tuple[str, tuple[str, ...]]:
        verb = self._dice.choices(
            ("append", "insert", "swap", "write", "cut", "delete", "move", "copy", "link", "mode", "mkdir", "fill"),
            (8, 6, 4, 6, 4, 4, 6, 3, 1, 1, 1, 1),
        )[0]
        if verb in ("move", "copy"):
            return verb, (self._path(folders=verb == "move"), self._path(folders=False))
        if verb == "link":
            return verb, (self._dice.choice(("link", "second")),)
        return verb, (self._path(folders=verb in ("delete", "mkdir")),)

    def _path(self, *, folders: bool) -> str:
        if folders and self._flip(0.3):
            return self._dice.choice((*_FOLDERS, ".git") if self._flip(0.2) else _FOLDERS)
        return self._dice.choice(_ODD if self._flip(0.2) else _FILES)

    # agents

    def _works(self, who: str) -> Iterator[Step]:
        phase = self._phase[who]
        if phase == "out":
            self._phase[who] = "idle"
            yield Step(who, "begin")
        elif phase == "idle":
            if self._job[who] and self._flip(0.4):
                yield Step(who, *self._operation())
            elif self._flip(0.9):
                self._phase[who] = "turn"
                yield Step(who, "prompt")
            else:
                yield from self._calls(who)
        elif phase == "turn":
            yield from self._in_turn(who)
        else:
            yield from self._in_call(who)

    def _in_turn(self, who: str) -> Iterator[Step]:
        kind = self._dice.random()
        if kind < 0.62:
            yield from self._calls(who)
        elif kind < 0.68:
            yield Step(who, self._dice.choice(("look", "helper-stop")))
        elif kind < 0.72 and self._job[who]:
            yield Step(who, *self._operation())
        elif kind < 0.76:
            self._phase[who] = "out"
            self._job[who] = self._job[who] and self._flip(0.5)
            yield Step(who, self._dice.choice(("die", "vanish", "leave")))
        else:
            self._phase[who] = "idle"
            yield Step(who, self._dice.choices(("stop", "stop-quietly", "stop-fail"), (8, 2, 1))[0])

    def _calls(self, who: str) -> Iterator[Step]:
        kind = self._dice.choices(("write", "edit", "run", "background", "helper"), (3, 3, 8, 2, 1))[0]
        self._phase[who], self._call[who] = "call", kind
        words = (self._dice.choice(_FILES),) if kind in ("write", "edit") else ()
        yield Step(who, f"call-{kind}", words)
        if self._flip(0.3):
            yield Step(who, "ask")
            if self._flip(0.5):
                yield from self._person()
            if self._flip(0.15):
                yield Step(who, "deny")
                self._phase[who] = "turn"
        if self._phase[who] == "call" and kind not in ("write", "edit") and self._flip(0.5):
            yield Step("time", "passes")

    def _in_call(self, who: str) -> Iterator[Step]:
        named = self._call[who] in ("write", "edit")
        kind = self._dice.random()
        if named and kind < 0.3:
            yield Step(who, "apply")
        elif not named and kind < 0.6:
            if self._swears and self._flip(0.3):
                rule = ("rules", (self._dice.choice(("exclude", "stop", "hurry")),))
                yield Step(who, *(rule if self._flip(0.3) else ("ignore", (self._dice.choice(_PATTERNS),))))
            elif self._dice.random() < 0.04:
                yield Step(who, "delete", (".git",))
            else:
                yield Step(who, *self._operation())
        elif kind < 0.9:
            self._phase[who] = "turn"
            self._job[who] = self._job[who] or self._call[who] == "background"
            yield Step(who, self._dice.choices(("end", "fail", "interrupt"), (10, 1, 1))[0])
        elif kind < 0.95:
            self._phase[who] = "turn"
            yield Step(who, "escape")
        elif kind < 0.975:
            yield from self._calls(who)  # another one at the same time
        else:
            self._phase[who] = "out"
            yield Step(who, self._dice.choice(("die", "vanish")))

    # takeback

    def _takeback(self) -> Iterator[Step]:
        kind = self._dice.random()
        if kind < 0.3:
            yield Step("takeback", "save", (f"mine-{self._dice.randint(1, 9)}",))
        elif kind < 0.4:
            yield Step("takeback", "prune", (str(self._dice.choice((2, 4, 6))),))
        elif kind < 0.5:
            reference = self._dice.choice(("@-1", "@-2", "@-3", "root"))
            some = (self._dice.choice(_FILES),) if self._flip(0.5) else ()
            yield Step("takeback", "restore", (reference, *some))
        elif kind < 0.65:
            self._runs = not self._runs
            yield Step("takeback", "run-start" if self._runs else self._dice.choice(("run-end", "run-end", "run-kill")))
        else:
            yield from self._undoes()

    def _undoes(self) -> Iterator[Step]:
        words = self._dice.choices(
            (
                (),
                ("--session", self._dice.choice(("one", "two"))),
                ("--shared",),
                ("--keep-mine",),
                ("--path", self._dice.choice(_FILES)),
                ("--since", "root"),
                (f"turn:{self._dice.randint(0, 3)}",),
                ("--level", "manual"),
            ),
            (10, 2, 2, 2, 1, 2, 3, 1),
        )[0]
        yield Step("takeback", "undo", words)
