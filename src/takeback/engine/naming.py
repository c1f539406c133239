"""How a person names, on the command line, what a command looks at only if it is told to: a container, a team, its members.

Such a part says in its detail, under the name of its kind, what it is of; and the option has that name, too. The worktrees of
all members of a team go together.
"""

from __future__ import annotations

from collections.abc import Iterable

from takeback.model.kinds import NAMED
from takeback.model.snapshot import Part


def name_of(part: Part) -> str:
    """What a part is of: a container's name, a team's; empty if that is not known, or is nothing to be typed."""
    name = part.detail.get(part.kind) if part.kind in NAMED else None
    return name if isinstance(name, str) and name.isprintable() else ""


def naming(part: Part) -> str:
    """The option that has the source of a part at hand; empty if there is none."""
    if not (name := name_of(part)):
        return ""
    if part.kind == "worktree":
        return "--with-workspaces"
    import shlex

    said = name if part.name == part.kind else f"{part.name}={name}"
    return f"--{part.kind} {shlex.quote(said)}"


def options(parts: Iterable[Part], among: Iterable[Part] = ()) -> str:
    """All the options that have the sources of some parts at hand, each once. What belongs to members needs their team,
    which is looked for among others."""
    wanted = list(parts)
    of_members = {part.detail.get("team") for part in wanted if part.kind == "worktree"}
    teams = (part for part in among if part.kind == "team" and name_of(part) in of_members)
    return " ".join(dict.fromkeys(option for part in (*teams, *wanted) if (option := naming(part))))


def called(part: Part) -> str:
    """``the container sandbox``."""
    if part.kind == "worktree" and name_of(part):
        return f"{name_of(part)}'s worktree"
    return f"the {part.kind} {name}" if (name := name_of(part)) else f"a {part.kind} as {part.name}"


def not_at_hand(part: Part) -> str:
    """Why nothing is done to a part."""
    return f"its {part.kind} is not at hand here, so it stays as it is"
