"""takeback trust: agree to what a project's file names outside of its own directory, and to what an agent changed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from takeback.cli import shapes
from takeback.cli.acting import ask, needs_yes
from takeback.cli.app import Command
from takeback.cli.call import Call
from takeback.cli.people import say
from takeback.errors import InvalidInput, NotFound

if TYPE_CHECKING:
    from takeback.engine.timeline import Timeline
    from takeback.locate import Place
    from takeback.locate.agreed import Agreed
    from takeback.model.rule_change import RuleChange


@click.command("trust", cls=Command)
@click.option("--forget", is_flag=True, help="Take the agreement back: nothing outside of the directory is looked at.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def command(call: Call, forget: bool, yes: bool) -> None:
    """Agree to the containers and teams that a project's file names, and to what an agent changed in what is recorded.

    A `takeback.toml` may have come with a repository that somebody else wrote, or an agent may have changed it. So the
    containers and teams that it names, and how long it wants history to be kept, count only once you have seen
    them here and agreed. What you agreed to holds, whatever is in the file later, until you come back here.

    The same holds for what an agent changes by which less is recorded: settings such as `exclude` or `snapshots`, and ignore
    rules in `.gitignore`, `.takebackignore` or `.git/info/exclude`. What you change yourself counts at once.

    For example:
      takeback trust
      takeback trust --forget
    """
    where = call.place()
    line = _line(call, where)
    if line is not None and (line.is_agents_own or (line.agents_at_work and not call.interactive)):
        raise InvalidInput(
            "nothing was changed: an agent is at work here, and cannot agree for you",
            hints=["run `takeback trust` at a terminal, or when the agent has ended its turn"],
        )
    if not call.json:
        for warning in where.warnings:
            say([("warning: ", "warn"), warning])
    if forget:
        _forget(call, where)
    else:
        _agree(call, _found(where, line), yes)


class _Found(NamedTuple):
    """What there is to agree to."""

    where: Place
    wanted: Agreed
    """What the project's file names."""
    known: Agreed
    settings: dict[str, Any]
    """What an agent changed in the settings, as the file says it; None for what it does not say any more."""
    rules: tuple[RuleChange, ...]
    """Ignore rules that an agent changed."""

    @property
    def root(self) -> str:
        """A directory that becomes a root of its own; empty if none does."""
        return self.where.passed

    @property
    def is_new(self) -> bool:
        return self.wanted != self.known or bool(self.settings or self.rules or self.root)


def _line(call: Call, where: Place) -> Timeline | None:
    from takeback import locate

    try:
        return locate.timeline(call.open(where), where)
    except NotFound:
        return None


def _found(where: Place, line: Timeline | None) -> _Found:
    from takeback.locate.agreed import Agreed
    from takeback.locate.agreeing import changed_settings, proposal

    known = where.agreed or Agreed(where.root)
    return _Found(where, proposal(where), known, changed_settings(where), line.unagreed() if line is not None else ())


def _agree(call: Call, found: _Found, yes: bool) -> None:
    from takeback.locate.agreeing import agree, in_words

    where = found.where
    if not found.is_new:
        if call.json:
            shapes.print_json(_shape(found, changed=False))
        else:
            say(*([each] for each in in_words(found.wanted)))
            known = found.wanted.sources or found.wanted.policy
            say([("you have agreed to that already" if known else _nothing(where), "quiet")])
        return
    if not yes and not call.interactive:
        raise needs_yes(call, "; `takeback config show` shows what the file names")
    if not call.json:
        _show(found)
    if not yes:
        ask("Agree?")
    agree(where, found.wanted, found.rules)
    if call.json:
        shapes.print_json(_shape(found, changed=True))
    else:
        say([("agreed", "good"), "; `takeback trust --forget` takes it back" if found.wanted != found.known else ""])


def _show(found: _Found) -> None:
    from takeback.locate.agreeing import in_words

    where = found.where
    if found.wanted != found.known:
        say([("in ", "quiet"), where.root, (f", {where.file.name or 'the record'} names", "quiet")])
        say(*(["  ", each] for each in in_words(found.wanted)))
        for each in in_words(found.known):
            if each not in set(in_words(found.wanted)):
                say([("  no more: ", "warn"), each])
    if found.settings or found.rules:
        say([("in ", "quiet"), where.root, (", an agent changed what is recorded", "quiet")])
        say(*(["  ", each] for each in _changes(found)))
    if found.root:
        say([found.root, (" becomes a root of its own, with a history of its own", "quiet")])


def _changes(found: _Found) -> Iterator[str]:
    from takeback.locate.drift import shown

    file = found.where.file.name or "takeback.toml, which is gone,"
    for name, value in found.settings.items():
        yield (
            f"{file} says {name} = {shown(value, name)}"
            if value is not None
            else f"{file} says nothing of {name} any more"
        )
    for change in found.rules:
        yield f"{change.path} hides more: {', '.join(change.lines)}"


def _nothing(where: Place) -> str:
    return f"{where.file.name or 'no file here'} names nothing that needs your agreement"


def _forget(call: Call, where: Place) -> None:
    from takeback.locate import agreed

    known = where.agreed
    empty = agreed.Agreed(where.root, known.timeline if known is not None else None)
    if known is not None and known.timeline is not None:
        agreed.write(empty._replace(sources={key: {} for key in known.sources}))  # it stays a fork
    else:
        agreed.forget(where.root)
    if call.json:
        shapes.print_json(_shape(_Found(where, empty, empty, {}, ()), changed=known is not None))
    else:
        say(["forgotten: nothing outside of ", where.root, " is looked at" if known else " was looked at"])


def _shape(found: _Found, *, changed: bool) -> shapes.Shape:
    sources = [
        {"kind": key.partition(" ")[0], "part": key.partition(" ")[2].partition("=")[0], **here}
        for key, here in found.wanted.sources.items()
        if here
    ]
    return {
        "root": found.wanted.root,
        "changed": changed,
        "sources": sources,
        "policy": dict(found.wanted.policy),
        "settings": found.settings,
        "rules": [{"path": each.path, "lines": list(each.lines)} for each in found.rules],
        "new_root": os.fspath(found.root) or None,
    }
