"""Files that are takeback's as a whole: slash commands, and the plugin of an agent that has no hooks.

A file is ours if it is what install noted, or what it would write with whichever interpreter. Anything else is somebody's
own: it is never overwritten and never removed, and a slash command of ours takes the name ``takeback-…`` instead.
"""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from takeback.adapters.install import files, record
from takeback.adapters.install.agent import Agent, Slash, program
from takeback.adapters.install.files import File
from takeback.adapters.install.formats.text import Span
from takeback.adapters.install.record import Added
from takeback.errors import InvalidInput
from takeback.locate import Agents

PREFIX = "takeback-"
_HOLE = "{takeback}"
_UNSAFE = '`{}\\"$\r\n'
"""What would end a command, or a string, in one agent's files or another's."""


class Change(NamedTuple):
    """One file that becomes another; ``after`` is None where it goes."""

    file: File
    after: bytes | None
    added: Added | None = None
    """What is to be noted about it; None to forget it."""


class Slashes(NamedTuple):
    """What would change, the commands that there are then, and what a person should know."""

    changes: tuple[Change, ...]
    names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def plan_plugin(agent: Agent, scope: str, path: str, interpreter: str, noted: dict[str, Added]) -> tuple[Change, ...]:
    """Make the agent's plugin, or bring it up to date; none if it is as it should be."""
    file = files.read(path)
    if file.data is not None and not is_ours(file, agent.whole, noted):
        raise InvalidInput(
            f"cannot write {path}: it is there already, and it is not takeback's, or was edited",
            hints=["move it away, then install again; it was not changed"],
        )
    called = json.dumps(program(interpreter), ensure_ascii=False)[1:-1]
    change = _written(agent, scope, file, agent.whole.replace(_HOLE, called).encode(), noted)
    return () if change is None else (change,)


def plan_without_plugin(agent: Agent, path: str, noted: dict[str, Added]) -> tuple[Change, ...]:
    file = files.read(path)
    return (Change(file, None),) if is_ours(file, agent.whole, noted) else ()


def plan_slashes(agent: Agent, scope: str, where: Agents, interpreter: str, noted: dict[str, Added]) -> Slashes:
    """Make the agent's slash commands, or bring ours up to date."""
    if agent.commands and any(each in interpreter for each in _UNSAFE):
        return Slashes((), (), (f"no slash commands were added: {interpreter!r} cannot be written into one",))
    changes, names, notes = [], [], []
    for slash in agent.commands if scope in agent.slashes else ():
        name, file = _free(agent, scope, where, slash, noted)
        if name is None:
            notes.append(f"/{slash.name} was not added: {file.path} is there already and not takeback's")
            continue
        if name != slash.name:
            notes.append(f"/{slash.name} is taken, so takeback's is /{name}")
        names.append(f"/{name}")
        after = slash.text.replace(_HOLE, program(interpreter)).encode()
        change = _written(agent, scope, file, after, noted)
        if change is not None:
            changes.append(change)
    return Slashes(tuple(changes), tuple(names), tuple(notes))


def plan_without_slashes(agent: Agent, scope: str, where: Agents, noted: dict[str, Added]) -> Slashes:
    """Remove the slash commands that are still as takeback wrote them."""
    changes, notes = [], []
    for slash in agent.commands if scope in agent.slashes else ():
        for name in (slash.name, PREFIX + slash.name):
            file = files.read(_path(agent, scope, where, name))
            if is_ours(file, slash.text, noted):
                changes.append(Change(file, None))
            elif file.data is not None and file.target in noted:
                notes.append(f"{file.path} stays: it was edited since it was made")
    return Slashes(tuple(changes), (), tuple(notes))


def is_ours(file: File, template: str, noted: dict[str, Added]) -> bool:
    """Whether a file is one that takeback wrote, and nobody edited."""
    if file.data is None:
        return False
    added = noted.get(file.target)
    if added is not None and added.digest == record.digest(file.data):
        return True
    pattern = re.escape(template).replace(re.escape(_HOLE), r"[^\r\n]+? -P -m takeback")
    return re.fullmatch(pattern.encode(), file.data) is not None


def _written(agent: Agent, scope: str, file: File, after: bytes, noted: dict[str, Added]) -> Change | None:
    if after == file.data:
        return None
    files.check_writable(file)
    before = noted.get(file.target) if file.data is not None else None
    directories = before.directories if before is not None else files.missing_directories(file.target)
    added = Added(agent.name, scope, record.digest(after), (Span(0, len(after)),), (), True, directories)
    return Change(file, after, added)


def _free(agent: Agent, scope: str, where: Agents, slash: Slash, noted: dict[str, Added]) -> tuple[str | None, File]:
    """The name that a command can have, and its file; no name if all are taken."""
    prefixed = PREFIX + slash.name
    names = (prefixed,) if slash.name in agent.taken else (slash.name, prefixed)
    for name in names:
        file = files.read(_path(agent, scope, where, name))
        if file.data is None or is_ours(file, slash.text, noted):
            return name, file
    return None, files.read(_path(agent, scope, where, names[0]))


def _path(agent: Agent, scope: str, where: Agents, name: str) -> str:
    return agent.slashes[scope].format_map({**where._asdict(), "name": name})
