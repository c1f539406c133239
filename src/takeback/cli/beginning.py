"""How somebody begins who has recorded nothing yet: with the agent that they seem to work with, if there is one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from takeback.locate import Place

PRESENT = "`takeback save` records the present; `takeback run -- AGENT` a whole run"


def how_to_begin(root: str) -> str:
    """The one thing to do first in a project."""
    from takeback import locate
    from takeback.adapters import install
    from takeback.adapters.install import used

    where = locate.agents(root)
    have = [each.agent for each in install.found(where) if each.runs]
    missing = [name for name in used.used_in_project(where) if name not in have]
    if not have:
        missing += used.used_by_person(where)
    if missing:
        title = install.AGENTS[missing[0]].title
        return f"`takeback install {missing[0]}` makes each turn of {title} a move that can be taken back"
    if have:
        title = install.AGENTS[have[0]].title
        return (
            f"let {title} work here, and `takeback undo` takes back its last turn; `takeback save` records the present"
        )
    return f"{PRESENT}; `takeback install AGENT` each turn of a coding agent"


def what_else(where: Place) -> str:
    """What goes on a hint where more than files could belong to each snapshot, and nothing is declared yet."""
    from takeback.locate.around import has_more

    if where.file.name or not has_more(where.root):
        return ""
    return "; `takeback init` has the containers and teams around here in each snapshot"
