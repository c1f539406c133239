"""takeback init: look around, and write a project's file that says what belongs to its snapshots."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

import click

from takeback.cli import drafting, shapes
from takeback.cli.acting import ask, needs_yes
from takeback.cli.app import Command
from takeback.cli.call import Call
from takeback.cli.people import say
from takeback.errors import InvalidInput, Unavailable

if TYPE_CHECKING:
    from takeback.locate import Place
    from takeback.locate.agreed import Agreed


@click.command("init", cls=Command)
@click.option("--dry-run", is_flag=True, help="Show the file; nothing is written.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def command(call: Call, dry_run: bool, yes: bool) -> None:
    """Write a `takeback.toml` for this project, after looking around.

    Containers of docker compose, teams of ClawTeam, agents and ignored .env files are looked for, and each line says why
    it is there. A file that is there already is never changed: what it lacks is shown. What the file names outside of
    the directory is agreed to at once, as with `takeback trust`. Without the file takeback works, too: it is for
    what belongs to a snapshot beside the files here.

    For example:
      takeback init
      takeback init --dry-run
    """
    where = call.place()
    if where.holds_home:
        raise InvalidInput(f"{where.root} holds your home directory, which is no project", hints=["cd into a project"])
    found = _look(where)
    acts = not dry_run and (found.writes or found.agrees)
    if acts and not yes and not call.interactive:
        raise needs_yes(call)
    if not call.json:
        _show(found)
    if acts:
        if not yes:
            ask("Write it?" if found.writes else "Agree?")
        found = _done(found)
    _tell(call, found, dry_run)


class _Found(NamedTuple):
    where: Place
    wanted: list[drafting.Entry]
    """What a file should say."""
    lacks: list[drafting.Entry]
    """What the one that is there does not."""
    agreed: Agreed
    """What would be agreed to."""
    hint: str
    no_containers: str = ""
    """Why those of a compose file are not known."""
    written: bool = False

    @property
    def file(self) -> str:
        """The one that is there, or that would be."""
        from takeback.locate import PROJECT_FILE

        return os.path.join(self.where.root, self.where.file.name or PROJECT_FILE)

    @property
    def writes(self) -> bool:
        return not self.where.file.name

    @property
    def agrees(self) -> bool:
        known = self.where.agreed
        return self.agreed != known if known is not None else bool(self.agreed.sources or self.agreed.policy)


def _look(where: Place) -> _Found:
    from takeback import locate
    from takeback.adapters import install
    from takeback.adapters.install import unkept, used
    from takeback.cli.beginning import how_to_begin
    from takeback.locate.agreeing import proposal
    from takeback.locate.around import look_around
    from takeback.locate.layers import sound_settings

    agents = locate.agents(where.root)
    have = [each.agent for each in install.found(agents) if each.runs]
    titles = [install.AGENTS[name].title for name in dict.fromkeys([*have, *used.used_in_project(agents)])]
    secrets = unkept(where.root, where["include"], where["exclude"]).patterns
    around = look_around(where.root)
    wanted = drafting.entries(where, around, titles, secrets)
    said = {**where.file.settings, **where.file.named}
    lacks = [each for each in wanted if not each.off and each.name not in said] if where.file.name else []
    table = {each.name: each.value for each in wanted if not each.off}
    new = None if where.file.name else sound_settings(locate.PROJECT_FILE, table, [])
    return _Found(where, wanted, lacks, proposal(where, new), how_to_begin(where.root), around.no_containers)


def _show(found: _Found) -> None:
    from takeback.locate.agreeing import in_words

    if found.writes:
        say([(found.file, "head")])
        say(*(["  ", line] for line in drafting.text(found.wanted).splitlines()))
    else:
        say([(found.file, "head"), " is there, and is left as it is"])
        for each in found.lacks:
            say([("it lacks: ", "warn"), each.line, (f"  # {each.why}", "quiet")])
    if found.no_containers:
        say([("containers are not known: ", "warn"), found.no_containers])
    if found.agrees:
        say("", [("with it you agree to", "head")])
        say(*(["  ", each] for each in in_words(found.agreed)))


def _done(found: _Found) -> _Found:
    from takeback.locate import agreed

    if found.writes:
        _write(found.file, drafting.text(found.wanted))
    if found.agrees:
        agreed.write(found.agreed)
    return found._replace(written=found.writes)


def _write(file: str, content: str) -> None:
    """A new file; InvalidInput if there is one by now."""
    try:
        with open(file, "x", encoding="utf-8") as made:
            made.write(content)
    except FileExistsError:
        raise InvalidInput(f"{file} is there already, and is left as it is") from None
    except OSError as error:
        raise Unavailable(f"cannot write {file}: {error.strerror}", hints=["check who owns the directory"]) from error


def _tell(call: Call, found: _Found, dry_run: bool) -> None:
    if call.json:
        shapes.print_json(
            {
                "root": found.where.root,
                "file": found.file,
                "written": found.written,
                "dry_run": dry_run,
                "text": drafting.text(found.wanted),
                "settings": {each.name: each.value for each in found.wanted if not each.off},
                "lacks": {each.name: each.value for each in found.lacks},
                "agrees": {key: dict(each) for key, each in found.agreed.sources.items()},
                "hint": found.hint,
            }
        )
    elif dry_run:
        say([("nothing was written", "quiet")])
    else:
        say([("written", "good") if found.written else ("nothing to write", "quiet")])
        say([("next: ", "good"), found.hint])
