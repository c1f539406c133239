"""Pages that show what somebody typed and saw, and a reader who types it again.

Of a page's blocks, ``console`` ones show what is typed and printed: after ``$ `` a command, after another word and ``> `` an
answer to a program that asks for it so. ``sh`` ones are typed, too, and what they print is nobody's concern. Any other is a
file, if the words before it end with its name: ``Save it as `agent.py`:``. A block in which a program asks belongs to a
terminal of that program's own.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple, Self

from support.chance import Chance
from support.shell import Shell

HOME = "/home/me"
"""Where whoever wrote the page was at home."""
_BLOCK = re.compile(r"(?P<before>[^\n]*)\n\n```(?P<language>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"`([\w./-]+)`[^`]*:$")
_TYPED = re.compile(r"^(\$|\w+>)(?: (.*))?$")


class Block(NamedTuple):
    language: str
    text: str
    file: str
    """What it is called, if it is to be one."""


class Typed(NamedTuple):
    """One line that is typed, and what the page says that is printed then."""

    prompt: str
    text: str
    shown: list[str]

    @property
    def is_command(self) -> bool:
        return self.prompt == "$"

    def __str__(self) -> str:
        return "".join(f"{line}\n" for line in (f"{self.prompt} {self.text}".rstrip(), *self.shown))


def steps(page: str) -> list[Block]:
    """Everything that is to be done, in its order."""
    found = []
    for match in _BLOCK.finditer(page):
        named = _FILE.search(match["before"]) if match["language"] not in ("console", "sh") else None
        found.append(Block(match["language"], match["text"], named[1] if named is not None else ""))
    return found


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


def typed(page: str) -> list[Typed]:
    """What is typed in all consoles of a page."""
    return [each for block in blocks(page, "console") for each in typed_in(block)]


def typed_in(console: str) -> list[Typed]:
    found: list[Typed] = []
    for line in console.splitlines():
        match = _TYPED.match(line)
        if match is not None:
            found.append(Typed(match[1], match[2] or "", []))
        else:
            found[-1].shown.append(line)
    return found


class Reader:
    """Somebody with a home of their own who types what a page shows, and takes what chance made of it here for what it made
    of it there."""

    def __init__(self, home: Path, directory: Path, **env: str) -> None:
        self.home, self._chance = home, Chance()
        self._directory, self._stack = directory, ExitStack()
        self._shells: dict[str, Shell] = {}
        known = {name: os.environ[name] for name in ("PATH", "LANG", "DOCKER_HOST") if name in os.environ}
        temporary = home / ".tmp"  # where takeback notes, among other things, which containers it has paused
        temporary.mkdir()
        own = {"HOME": str(home), "TMPDIR": str(temporary), "COLUMNS": "120", "TAKEBACK_UPKEEP": "off"}
        self._env = {**known, **own, **env}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def follow(self, page: str) -> Iterator[tuple[Typed, list[str]]]:
        """Do all that a page says; each line that was typed, and what was printed."""
        for block in steps(page):
            if block.file:
                self.write(block.file, block.text)
            elif block.language == "sh":
                for command in block.text.splitlines():
                    self.type(command)
            elif block.language == "console":
                yield from self._console(typed_in(block.text))

    def type(self, command: str, terminal: str = "$", *, fails: bool = False) -> list[str]:
        """Type a command of the page, with the ids that there are here; what was printed, with the page's home."""
        shell = self._shell(terminal)
        printed = self._told(shell.type(self._chance.here(command)))
        assert shell.code == 0 or fails, f"{command} ends with {shell.code}: {printed}"
        return printed

    def compare(self, shown: list[str], printed: list[str]) -> None:
        """Line by line the same, but for chance."""
        self._chance.compare(shown, printed)

    def write(self, name: str, text: str) -> None:
        """A file that the page tells to write, where the reader is."""
        (directory,) = self._shell("$").type("pwd")
        (Path(directory) / name).write_text(text)

    def _console(self, lines: list[Typed]) -> Iterator[tuple[Typed, list[str]]]:
        """A command may only fail if the reader is shown that it did."""
        asks = next((each.prompt for each in lines if not each.is_command), "$")
        for each, after in zip(lines, [*lines[1:], None], strict=True):
            if not each.is_command:
                printed = self._told(self._shell(asks).answer(each.text, f"{asks} "))
            elif after is not None and not after.is_command:
                printed = self._told(self._shell(asks).begin(each.text, f"{asks} "))
            else:
                printed = self.type(each.text, asks, fails=after is not None and after.text == "echo $?")
            yield each, printed

    def _shell(self, terminal: str) -> Shell:
        if terminal not in self._shells:
            self._shells[terminal] = self._stack.enter_context(Shell(self._directory, self._env))
        return self._shells[terminal]

    def _told(self, lines: list[str]) -> list[str]:
        return [line.replace(str(self.home), HOME) for line in lines]


class Colleague(Reader):
    """Somebody who has a project, and what this environment has installed."""

    def __init__(self, home: Path) -> None:
        self.project = home / "project"
        self.project.mkdir()
        (self.project / "notes.md").write_text("# Notes\n")
        super().__init__(home, self.project, PATH=f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}")
