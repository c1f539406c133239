"""The language of scripts: one step a line, who does it first.

    person write a.txt          an operation of `tree_ops`
    one begin                   a session: one is Claude Code's, two is Codex's
    one prompt
    one call-write a.txt        a tool that names its file; call-edit a.txt changes the first line
    one call-run                a command; call-background is one that goes on, call-helper one of a subagent
    one ask, allow, deny        the question to the person
    one write a.txt             what the command does; apply is what a named tool does
    one end, fail, interrupt    events that end the call
    one escape, die, vanish     no event ends it: Esc; the agent is killed; it lives, and is never heard again
    one stop, stop-quietly, stop-fail, leave, helper-stop, job-end, look
    takeback save mine, undo …, redo, restore @-2 [PATH], prune 5, run-start, run-end, run-kill
    run write a.txt             what the command of `takeback run` does
    time passes                 so long that clocks tell before from after

A step that makes no sense where it stands is passed over, so any part of a script is a script.
"""

from __future__ import annotations

from typing import NamedTuple


class Step(NamedTuple):
    who: str
    verb: str
    words: tuple[str, ...] = ()

    def __str__(self) -> str:
        return " ".join((self.who, self.verb, *self.words))


Script = tuple[Step, ...]


def parse(text: str) -> Script:
    """A script from its text; empty lines and what follows a # are passed over."""
    steps = []
    for line in text.splitlines():
        if words := line.partition("#")[0].split():
            steps.append(Step(words[0], words[1], tuple(words[2:])))
    return tuple(steps)


def text_of(script: Script) -> str:
    return "".join(f"{step}\n" for step in script)
