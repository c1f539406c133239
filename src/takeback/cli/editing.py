"""How install and uninstall are carried out: show what would change in the agent's files, ask, do it, say so."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from takeback.cli import shapes
from takeback.cli.acting import agrees, ask, needs_yes
from takeback.cli.call import Call
from takeback.cli.people import say
from takeback.views.lines import Line

if TYPE_CHECKING:
    from takeback.adapters.install import Change, Installation
    from takeback.locate import Agents


_MOST_NAMES = 5


def agents_here(call: Call) -> Agents:
    """Where the agents' configurations are, for the project that the command is called in."""
    from takeback import locate

    return locate.agents(call.place().root)


def scope_of(user: bool, project: bool, local: bool) -> str:
    """The scope that was asked for: the user's own by default."""
    from takeback.errors import InvalidInput

    chosen = [name for name, given in (("user", user), ("project", project), ("local", local)) if given]
    if len(chosen) > 1:
        raise InvalidInput(f"--{chosen[0]} and --{chosen[1]} are two places", hints=["give one of them"])
    return chosen[0] if chosen else "user"


def with_env(call: Call, plan: Installation, keep: bool | None, *, silent: bool) -> Installation:
    """The plan with ignored .env-like files kept, if that is wanted; a note about them where nobody can be asked."""
    from takeback import locate
    from takeback.adapters.install import plan_keep, unkept

    where = call.place()
    if keep is False:
        return plan
    found = unkept(where.root, where["include"], where["exclude"])
    if not found.paths:
        return plan
    names = ", ".join(found.paths[:_MOST_NAMES]) + (", …" if len(found.paths) > _MOST_NAMES else "")
    if keep is None and call.interactive and not silent and plan.changes:
        say(f"ignored, so no snapshot holds them: {names}")
        keep = agrees("Keep files like these in snapshots, so that they can be taken back, too?")
    elif keep is None:
        note = f"{names}: ignored, so in no snapshot; `takeback install {plan.agent.name} --keep-env` keeps such files"
        return plan._replace(notes=(*plan.notes, note))
    if not keep:
        return plan
    notes = plan.notes
    if where.settings["include"].origin not in (locate.user_file(), "default"):
        notes = (
            *notes,
            f"{where.settings['include'].origin} sets `include` here, so add {', '.join(found.patterns)} there",
        )
    return plan._replace(changes=(*plan.changes, *plan_keep(locate.user_file(), found.patterns)), notes=notes)


def carry_out(call: Call, plan: Installation, *, dry_run: bool, yes: bool) -> bool:
    """Show, ask and do, as the options and the terminal say; whether it was done."""
    from takeback.adapters.install import apply

    if plan.changes and not (dry_run or yes) and not call.interactive:
        raise needs_yes(call)
    if not call.json:
        for change in plan.changes:
            say(*diff_lines(change))
    if dry_run or not plan.changes:
        return False
    if not yes:
        ask("Do it?")
    apply(plan)
    return True


def shape(plan: Installation, done: bool, dry_run: bool) -> shapes.Shape:
    """The keys that install and uninstall share."""
    return {
        "dry_run": dry_run,
        "agent": plan.agent.name,
        "scope": plan.scope,
        "file": plan.file,
        "changed": [{"path": change.file.path, "action": action(change)} for change in plan.changes],
        "done": done,
        "commands": list(plan.commands),
        "notes": list(plan.notes),
    }


def action(change: Change) -> str:
    if change.file.data is None:
        return "create"
    return "remove" if change.after is None else "edit"


def diff_lines(change: Change) -> Iterator[Line]:
    """One file's change as a unified diff."""
    old, new = _lines(change.file.data), _lines(change.after)
    before = "/dev/null" if change.file.data is None else change.file.path
    after = "/dev/null" if change.after is None else change.file.path
    for text in difflib.unified_diff(old, new, before, after, lineterm=""):
        style = (
            "head" if text.startswith(("---", "+++")) else {"@": "name", "+": "plus", "-": "minus"}.get(text[:1], "")
        )
        yield [(text.removesuffix("\r"), style)]


def say_notes(notes: Sequence[str], word: str = "note") -> None:
    for note in notes:
        say([(f"{word}: ", "warn"), note])


def tidy(path: str) -> str:
    """A path as people write it, with ``~`` for their home."""
    home = os.path.expanduser("~")
    return "~" + path.removeprefix(home) if path.startswith(home + os.sep) else path


def _lines(data: bytes | None) -> list[str]:
    lines = (data or b"").decode("utf-8", "replace").removeprefix("\ufeff").split("\n")
    return lines[:-1] if lines[-1] == "" else lines
