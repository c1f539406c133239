"""Slash commands: small files that are takeback's as a whole, beside those that a person has.

A file is ours if it is what install noted, or what it would write with whichever interpreter. Anything else is somebody's
own: it is never overwritten and never removed, and ours takes the name ``takeback-…`` instead.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from takeback.adapters.install import files, record
from takeback.adapters.install.agent import Agent, Slash, program
from takeback.adapters.install.files import File
from takeback.adapters.install.formats.text import Span
from takeback.adapters.install.record import Added
from takeback.locate import Agents

PREFIX = "takeback-"


class Slashes(NamedTuple):
    """Files before, after, and what to note; the commands that there are then; what a person should know."""

    changes: tuple[tuple[File, bytes | None, Added | None], ...]
    names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def plan_slashes(agent: Agent, scope: str, where: Agents, interpreter: str, noted: dict[str, Added]) -> Slashes:
    """Make the agent's slash commands, or bring ours up to date."""
    changes, names, notes = [], [], []
    for slash in agent.commands if scope in agent.slashes else ():
        name, file = _free(agent, scope, where, slash, noted)
        if name is None:
            notes.append(f"/{slash.name} was not added: {file.path} is there already and not takeback's")
            continue
        if name != slash.name:
            notes.append(f"/{slash.name} is taken, so takeback's is /{name}")
        names.append(f"/{name}")
        after = slash.text.replace("{takeback}", program(interpreter)).encode()
        if after != file.data:
            files.check_writable(file)
            before = noted.get(file.target) if file.data is not None else None
            directories = before.directories if before is not None else files.missing_directories(file.target)
            added = Added(agent.name, scope, record.digest(after), (Span(0, len(after)),), (), True, directories)
            changes.append((file, after, added))
    return Slashes(tuple(changes), tuple(names), tuple(notes))


def plan_without_slashes(agent: Agent, scope: str, where: Agents, noted: dict[str, Added]) -> Slashes:
    """Remove the slash commands that are still as takeback wrote them."""
    changes, notes = [], []
    for slash in agent.commands if scope in agent.slashes else ():
        for name in (slash.name, PREFIX + slash.name):
            file = files.read(_path(agent, scope, where, name))
            if file.data is None:
                continue
            if is_ours(file, slash.text, noted):
                changes.append((file, None, None))
            elif file.target in noted:
                notes.append(f"{file.path} stays: it was edited since it was made")
    return Slashes(tuple(changes), (), tuple(notes))


def is_ours(file: File, template: str, noted: dict[str, Added]) -> bool:
    """Whether a file is one that takeback wrote, and nobody edited."""
    if file.data is None:
        return False
    added = noted.get(file.target)
    if added is not None and added.digest == record.digest(file.data):
        return True
    pattern = re.escape(template).replace(re.escape("{takeback}"), r"[^\r\n]+? -P -m takeback")
    return re.fullmatch(pattern.encode(), file.data) is not None


def _names(agent: Agent, slash: Slash) -> tuple[str, ...]:
    prefixed = PREFIX + slash.name
    return (prefixed,) if slash.name in agent.taken else (slash.name, prefixed)


def _free(agent: Agent, scope: str, where: Agents, slash: Slash, noted: dict[str, Added]) -> tuple[str | None, File]:
    """The name that a command can have, and its file; no name if all are taken."""
    names = _names(agent, slash)
    for name in names:
        file = files.read(_path(agent, scope, where, name))
        if file.data is None or is_ours(file, slash.text, noted):
            return name, file
    return None, files.read(_path(agent, scope, where, names[0]))


def _path(agent: Agent, scope: str, where: Agents, name: str) -> str:
    return agent.slashes[scope].format_map({**where._asdict(), "name": name})
