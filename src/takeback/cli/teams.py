"""What is particular to teams among the sources that a command is told of (`takeback.cli.given`)."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem

from takeback.cli.named import offered
from takeback.engine.naming import name_of
from takeback.errors import InvalidInput
from takeback.model.tree import name_bytes
from takeback.views.text import count

if TYPE_CHECKING:
    from takeback.cli.call import Call
    from takeback.model.snapshot import Part
    from takeback.sources.team.source import Team

F = TypeVar("F", bound=Callable[..., Any])

KIND = "team"

_COUNTED = {"members": "member", "tasks": "task", "events": "event", "sessions": "session", "costs": "cost event"}


def option(command: F) -> F:
    """The options, for a command whose parameters are ``teams``, ``with_workspaces`` and ``data_dir``."""
    named = click.option(
        f"--{KIND}",
        "teams",
        multiple=True,
        metavar="[PART=]TEAM",
        shell_complete=_names,
        help="A team of ClawTeam's, too: tasks, mail, costs, sessions, plans. May be given several times.",
    )
    return named(members(place(command)))


def members(command: F) -> F:
    """Whether what belongs to members is meant, too, for a command whose parameter is ``with_workspaces``."""
    return click.option(
        "--with-workspaces",
        is_flag=True,
        help="The worktrees of the team's members, too, and their conversations where they are found.",
    )(command)


def place(command: F) -> F:
    """Where teams are, for a command whose parameter is ``data_dir``."""
    return click.option(
        "--data-dir", metavar="DIR", help="Where ClawTeam keeps its teams, if not where it looks itself."
    )(command)


def force(command: F) -> F:
    """For a command that changes a team."""
    return click.option("--force", is_flag=True, help="Also if members of the team are running.")(command)


def source(call: Call, team: str, part: str, data_dir: str | None, *, force: bool = False, merge: bool = False) -> Team:
    import takeback

    return takeback.Team(team, given_place(call, data_dir), name=part, force=force, merge=merge)


def given_place(call: Call, data_dir: str | None) -> str | None:
    """The directory that was named; None for ClawTeam's own."""
    if data_dir is not None and not data_dir.strip():
        raise InvalidInput("--data-dir needs the name of a directory", hints=["leave it out to use ClawTeam's own"])
    return None if data_dir is None else call.absolute(data_dir)


def check_place(root: str, part: Part) -> None:
    """InvalidInput if a team of the same name, in another directory that is still there, is what the timeline holds."""
    known = part.detail.get("data_dir")
    if isinstance(known, str) and known != root and os.path.isdir(name_bytes(known)):
        raise InvalidInput(
            f"the part {part.name!r} of this timeline is the team in {known}, not the one in {root}",
            hints=[f"--data-dir {shlex.quote(known)}", f"or a part of its own: --team NAME={name_of(part)}"],
        )


def about(part: Part) -> str:
    """What is known of a team's part, in words."""
    facts = [name] if (name := name_of(part)) else []
    counts = part.detail.get("counts")
    known = counts if isinstance(counts, dict) else {}
    facts += [count(number, noun) for key, noun in _COUNTED.items() if type(number := known.get(key)) is int]
    if type(number := known.get("messages")) is int:
        facts.append(f"{count(number, 'message')} waiting")
    if name and known == {}:
        facts.append("nothing of it is there")
    return f": {', '.join(facts)}" if facts else ""


def about_worktree(part: Part) -> str:
    """The same of a member's."""
    team = part.detail.get("team")
    return f": {name_of(part)} of the team {team}" if name_of(part) and isinstance(team, str) else ""


def _names(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    return offered(lambda: _known(context), incomplete)


def names(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Teams, for an argument that is one."""
    return [] if "=" in incomplete else _names(context, parameter, incomplete)


def _known(context: click.Context) -> list[str]:
    """What is in the data directory."""
    from takeback.cli.call import Call
    from takeback.locate.teams import data_directory
    from takeback.sources.team.source import teams

    call = context.find_object(Call) or Call()
    return teams(data_directory(given_place(call, context.params.get("data_dir"))))
