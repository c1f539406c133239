"""What install and uninstall would change: whole files, before and after. Nothing is touched here."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from takeback.adapters.install import files, record
from takeback.adapters.install.agent import Agent, Entry, entries, ours
from takeback.adapters.install.files import File
from takeback.adapters.install.formats import format_named, jsonhooks
from takeback.adapters.install.formats.text import Span
from takeback.adapters.install.owned import (
    Change,
    plan_plugin,
    plan_slashes,
    plan_without_plugin,
    plan_without_slashes,
)
from takeback.adapters.install.record import Added
from takeback.errors import InvalidInput, NotFound, TakebackError
from takeback.locate import Agents


class Installation(NamedTuple):
    """What would be changed, and what a person should know."""

    agent: Agent
    scope: str
    file: str
    """The agent's file that holds, or held, the hooks."""
    state: str
    changes: tuple[Change, ...]
    commands: tuple[str, ...] = ()
    """The slash commands that there are afterwards."""
    notes: tuple[str, ...] = ()


def file_of(agent: Agent, scope: str, where: Agents) -> str:
    """The file that holds an agent's hooks; InvalidInput where the agent has none of that scope."""
    if scope not in agent.files:
        have = " or ".join(f"--{each}" for each in agent.files)
        raise InvalidInput(f"{agent.title} has no {scope} configuration{agent.no_scope}", hints=[f"use {have}"])
    return agent.files[scope].format_map(where._asdict())


def plan_install(agent: Agent, scope: str, where: Agents, interpreter: str, *, file: str | None = None) -> Installation:
    """Add takeback's hooks and slash commands, or bring older ones up to date; no changes if all is there."""
    path = file or file_of(agent, scope, where)
    noted = record.read(where.state)
    if agent.format == "whole":
        changes = plan_plugin(agent, scope, path, interpreter, noted)
    else:
        changes = tuple(_install_hooks(agent, scope, path, interpreter, noted))
    slashes = plan_slashes(agent, scope, where, interpreter, noted)
    notes = (*_unread(agent, path), *_about(agent, scope, path), *slashes.notes)
    return Installation(agent, scope, path, where.state, (*changes, *slashes.changes), slashes.names, notes)


def plan_uninstall(agent: Agent, scope: str, where: Agents, *, file: str | None = None) -> Installation:
    """Remove exactly what is takeback's."""
    path = file or file_of(agent, scope, where)
    noted = record.read(where.state)
    if agent.format == "whole":
        changes = plan_without_plugin(agent, path, noted)
    else:
        changes = tuple(_uninstall_hooks(agent, path, noted))
    slashes = plan_without_slashes(agent, scope, where, noted)
    changes = (*changes, *slashes.changes)
    if not changes:
        raise NotFound(f"takeback is not installed in {path}", hints=["`takeback doctor` shows where it is"])
    return Installation(agent, scope, path, where.state, changes, (), slashes.notes)


def _install_hooks(agent: Agent, scope: str, path: str, interpreter: str, noted: dict[str, Added]) -> Iterator[Change]:
    file = files.read(path)
    form, mine, wanted = format_named(agent.format), ours(agent.name), entries(agent, interpreter)
    with naming(path):
        there = form.find(files.text_of(file), mine) if file.data is not None else []
        if there and form.is_complete(files.text_of(file), mine, wanted):
            return
        files.check_writable(file)
        before = noted.get(file.target) if there else None
        base = _before_us(agent, file, before) if there else file.data
        if base is None:
            new = form.add(form.EMPTY, wanted)
            edited = new._replace(spans=(Span(0, len(new.text.encode())),))
        else:
            edited = form.add(base.decode(), wanted)
    after = edited.text.encode()
    made = (*edited.made, *(before.made if before is not None else ()))
    directories = before.directories if before is not None else files.missing_directories(file.target)
    created = file.data is None or (before is not None and before.created)
    added = Added(agent.name, scope, record.digest(after), edited.spans, made, created, directories)
    _check(agent, file, after, wanted)
    yield Change(file, after, added)


def _about(agent: Agent, scope: str, path: str) -> Iterator[str]:
    """What a person should know about where the hooks are."""
    if scope == "project":
        yield f"{path} names this machine's Python: whoever shares the file must have it in the same place"
    if agent.beside and _has_hooks(os.path.join(os.path.dirname(path), agent.beside)):
        yield f"{agent.beside} beside it has hooks, too: {agent.title} runs both, and says at each start that it would prefer one"


def _has_hooks(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            hooks = tomllib.load(file).get("hooks")
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(hooks, dict) and any(isinstance(groups, list) for groups in hooks.values())


def _unread(agent: Agent, path: str) -> Iterator[str]:
    """What a person wrote that the agent does not understand: it then ignores the whole file, hooks and all."""
    file = files.read(path)
    if file.data is not None and agent.format == "jsonhooks":
        for odd in sorted(jsonhooks.oddities(files.text_of(file)) - agent.reads):
            yield f"{agent.title} does not read a file with {odd}: no hook runs until you take that out of {path}"


def _uninstall_hooks(agent: Agent, path: str, noted: dict[str, Added]) -> Iterator[Change]:
    file = files.read(path)
    if file.data is None:
        return
    with naming(path):
        if not format_named(agent.format).find(files.text_of(file), ours(agent.name)):
            return
        files.check_writable(file)
        after = _before_us(agent, file, noted.get(file.target))
    if after is not None:
        _check(agent, file, after, ())
    yield Change(file, after)


def _before_us(agent: Agent, file: File, added: Added | None) -> bytes | None:
    """The file without anything of ours; None if there was none before, and nothing else is in it."""
    form, data = format_named(agent.format), file.data or b""
    before = record.original(added, data)
    if before is None:
        before = form.strip(data.decode(), ours(agent.name), None if added is None else added.made).text.encode()
    if added is not None and added.created and (not before or form.strip(before.decode(), ours(agent.name), ()).empty):
        return None
    return before


def _check(agent: Agent, file: File, after: bytes, wanted: Sequence[Entry]) -> None:
    """The result must hold what it should of ours, and of everything else exactly what was there."""
    form, mine = format_named(agent.format), ours(agent.name)
    before, now = (file.data or b"").decode(), after.decode()
    right = form.is_complete(now, mine, wanted) if wanted else not form.find(now, mine)
    if not right or form.value_without(before, mine) != form.value_without(now, mine):
        raise TakebackError(
            f"cannot edit {file.path} without changing more than takeback's own entries",
            hints=["nothing was changed; please report this file's form as a bug"],
        )


class naming:  # noqa: N801 - used as a statement
    """What is wrong in a file is said with the file's name, and that it was left alone."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if type(error) is InvalidInput and self._path not in error.message:
            hints = [*error.hints, "correct it, then try again; it was not changed"]
            raise InvalidInput(f"cannot edit {self._path}: {error.message}", hints=hints) from error
