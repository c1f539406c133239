"""The `takeback.toml` that `takeback init` would write: what was found around, a line each, and why it is there.

What would change how much is kept, or keep secrets, is written with a # before it, for its owner to take away.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from takeback.locate import Place
    from takeback.locate.around import Around
    from takeback.locate.declared import Declared

_HEAD = """\
# What belongs to the snapshots of this project. All settings: `takeback config show`.
# Containers and teams count only for those who have agreed to them: `takeback trust`.
"""
_WIDTH = 96


class Entry(NamedTuple):
    """One line of the file."""

    name: str
    value: Any
    why: str
    off: bool = False
    """Whether it only stands there to be switched on."""

    @property
    def line(self) -> str:
        return f"{'# ' if self.off else ''}{self.name} = {toml(self.value)}"


def entries(where: Place, around: Around, agents: Sequence[str], secrets: Sequence[str]) -> list[Entry]:
    """What the file of a place would say; ``agents`` are the titles of those that work here, ``secrets`` patterns of files
    that are ignored and so in no snapshot."""
    files = "everything that git does not ignore" if where.found_by == "git" else "everything here, but for caches"
    found = [Entry("exclude", [], f"Files: {files}. Patterns as in .gitignore leave more out", off=True)]
    if secrets:
        found.append(
            Entry("include", list(secrets), "Ignored, so in no snapshot: take the # away to keep such files", off=True)
        )
    found += _beside(around)
    if agents:
        who = " and ".join(agents)
        why = f"When hooks save, for {who}: at each turn, and around each tool call"
        found.append(Entry("triggers", ["turn", "action"], why))
    found.append(Entry("every", "10m", "Save this often during `takeback run`, too", off=True))
    found.append(Entry("keep_last", 1000, "Let older snapshots of this directory go; by default all stay", off=True))
    return found


def _beside(around: Around) -> Iterator[Entry]:
    if around.containers:
        yield Entry(
            "containers",
            [_value(each) for each in around.containers],
            f"What {around.compose} runs: files, volumes and settings, in the same snapshot as the files here",
        )
    elif around.compose:
        why = f"What {around.compose} runs, once it does: `docker ps` lists the names"
        yield Entry("containers", ["NAME"], why, off=True)
    if around.teams:
        yield Entry(
            "teams",
            [_value(each) for each in around.teams],
            "ClawTeam's team that works here: tasks, mail, costs and sessions"
            + (", and its members' worktrees" if any(each.options for each in around.teams) else ""),
        )
        if around.team_dir:
            yield Entry("team_dir", around.team_dir, "Where that team is")


def _value(each: Declared) -> Any:
    if each.options:
        part = {"part": each.part} if each.part != each.kind else {}
        return {"name": each.name, **part, **each.options}
    return each.name if each.part == each.kind else f"{each.part}={each.name}"


def text(wanted: Sequence[Entry]) -> str:
    """The whole file."""
    return "\n".join([_HEAD, *(f"{_comment(each.why)}\n{each.line}\n" for each in wanted)])


def _comment(why: str) -> str:
    """A comment of as many lines as it needs."""
    import textwrap

    flat = "".join(letter if letter.isprintable() else "?" for letter in f"{why}.")
    return "\n".join(textwrap.wrap(flat, _WIDTH, initial_indent="# ", subsequent_indent="# "))


def toml(value: Any) -> str:
    """A value as TOML writes it: of texts, numbers, switches, lists and tables of these."""
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{key} = {toml(each)}' for key, each in value.items())} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(toml, value))}]"
    return json.dumps(value)  # both write texts, numbers and switches alike
