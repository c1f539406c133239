"""takeback status, which is also what plain ``takeback`` shows. It writes nothing, not even a store."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import click

from takeback.cli import declaring, shapes
from takeback.cli.app import Command
from takeback.cli.beginning import how_to_begin, what_else
from takeback.cli.call import Call
from takeback.cli.hooked import NO_HOOKS, Hooks, hooks_of
from takeback.cli.people import say
from takeback.cli.picture import move_line
from takeback.engine.naming import options
from takeback.errors import NotFound, TakebackError
from takeback.model.ids import short
from takeback.model.kinds import NAMED
from takeback.views import missed
from takeback.views.lines import Line, Piece, table
from takeback.views.plans import choice_line
from takeback.views.text import age, clip, count

if TYPE_CHECKING:
    from takeback.engine.timeline import Timeline
    from takeback.locate import Place
    from takeback.model.move import Move
    from takeback.model.plan import Choice
    from takeback.store.catalogue.snapshots import SnapshotRow
    from takeback.store.hooked import LastRun
    from takeback.store.notices import Notice

_MOVES = 5
_NEVER = 1 << 62
_LOOKED_AT = 40
"""Moves among which something to undo is looked for, where the files cannot be looked at."""
_BUDGET = 2.0
"""For so many seconds the files are looked at."""


@click.command("status", cls=Command)
@click.pass_obj
def command(call: Call) -> int:
    """Show where you are, what was recorded last, and what to do next.

    The same as `takeback` without a command. Nothing is written. What went wrong in the background since the last time is
    said once.

    For example:
      takeback status
    """
    return status(call)


@dataclass(frozen=True, slots=True)
class _Found:
    place: Place
    exists: bool
    snapshot: SnapshotRow | None
    moves: tuple[Move, ...]
    interrupted_ns: int | None
    nearby: tuple[str, ...] = ()
    """Hints at other timelines that may be meant, if this one is empty."""
    notices: tuple[Notice, ...] = ()
    hooks: Hooks = NO_HOOKS
    pending: tuple[str, ...] = ()
    """Parts that their owners, in other programs, have yet to put in place."""
    missed: Mapping[str, str] = field(default_factory=dict)
    """Parts that the latest snapshot goes without, and why."""
    unsaved: tuple[str, ...] = ()
    """Declared values that no program has saved yet."""
    options: str = ""
    """They have at hand what the latest snapshot holds beside the files."""
    chosen: str = ""
    """How the call chose the timeline, as it was typed."""
    unagreed: tuple[str, ...] = ()
    """Ignore rules that an agent changed and that wait for a person to agree."""
    of_no_directory: bool = False
    """Whether the timeline holds an agent's memory alone, and the directory around the caller says nothing of it."""
    choices: tuple[Choice, ...] | None = None
    """The moves that plain undo can take; None if nobody could look at what has an effect."""
    is_begun: bool = False
    """Whether the person has a move of her own to which all counts that changes from here on."""

    @property
    def next_undo(self) -> Choice | None:
        """The move that plain undo takes without a question."""
        return next((each for each in self.choices or () if not each.needs_level), None)

    @property
    def is_persons_alone(self) -> bool:
        """Whether there is nothing to undo but a person's own move, which plain undo leaves where agents have moved."""
        return bool(self.choices) and self.next_undo is None

    @property
    def hint(self) -> str:
        """The one thing to do next."""
        if self.interrupted_ns is not None:
            return "`takeback save` finishes the interrupted restore first"
        if self.place.is_home and self.snapshot is None:
            return "cd into a project first: takeback works on the directory around you"
        if self.snapshot is None:
            return self.nearby[0] if self.nearby else how_to_begin(self.place.root) + what_else(self.place)
        newest = self._newest
        if newest is not None and newest.verb == "undo" and newest.undone_by is None:
            return f"`{self._typed('redo')}` brings it back" + (
                f"; `{self._typed('undo')}` goes further back" if self._is_more else ""
            )
        if self._is_more:
            return f"`{self._typed('undo')}` takes back the newest move; --dry-run shows how"
        if self.is_persons_alone:
            return f"`{self._typed('undo')} --level manual` takes back your own changes"
        if self.of_no_directory:
            return "`takeback log` shows what was recorded"
        if self.is_begun:
            return f"from here on, `{self._typed('undo')}` takes back what changes"
        return how_to_begin(self.place.root)

    @property
    def _newest(self) -> Move | None:
        """The newest move. One of a person's own in which nothing has happened yet is none."""
        some = (move for move in self.moves if not (move.open and move.level == "manual"))
        return next(some, None)

    @property
    def _is_more(self) -> bool:
        """Whether plain undo would take something."""
        if self.choices is None:
            return any(map(self._can_be_undone, self.moves))
        return self.next_undo is not None

    def _typed(self, verb: str) -> str:
        """A command that acts on this timeline, and on all that it holds."""
        return f"takeback {verb}{self.options and f' {self.options}'}{self.chosen}"

    def _can_be_undone(self, move: Move) -> bool:
        """Whether undo would come to a move: what lies inside a turn goes, or has gone, with it."""
        if move.undone_by is not None or move.verb in ("undo", "redo"):
            return False
        return move.level != "action" or not any(
            each.level in ("turn", "run") and each.opening_seq <= move.opening_seq <= (each.closing_seq or _NEVER)
            for each in self.moves
        )


def status(call: Call) -> int:
    found = _look(call)
    found = replace(found, notices=call.notices(found.place, seen=not call.json), hooks=hooks_of(found.place))
    if call.json:
        shapes.print_json(_shape(found))
    else:
        say(*_lines(found))
    return 0


def _look(call: Call) -> _Found:
    from takeback.locate.unagreed import of_rules

    where = call.place()
    try:
        line = call.line()
    except NotFound:
        return _Found(where, False, None, (), None, unsaved=where["states"])
    log = line.log(_LOOKED_AT)
    moves = sorted(log.moves, key=lambda move: move.closed_ns or move.opened_ns, reverse=True)
    if not log.snapshots:
        nearby = tuple(line.nearby())
        return _Found(where, True, None, tuple(moves), line.interrupted(), nearby, unsaved=where["states"])
    found = _Found(where, True, log.snapshots[0], tuple(moves), line.interrupted())
    own = [move for move in moves if move.open and move.level == "manual"]
    if found.interrupted_ns is None and not where.is_home:
        found = replace(found, choices=_choices(line), is_begun=bool(own))
    try:
        latest = line.show("@")
        parts, without = latest.parts, latest.missed
    except TakebackError:
        parts, without = {}, {}  # a harmed snapshot is for verify to tell of
    return replace(
        found,
        missed=without,
        unsaved=tuple(name for name in where["states"] if name not in parts and line.root),
        pending=tuple(name for name, part in parts.items() if part.pending),
        options=options(part for name, part in parts.items() if name not in line.sources),
        chosen=call.chosen,
        unagreed=of_rules(line),
        of_no_directory=not line.root,
    )


def _choices(line: Timeline) -> tuple[Choice, ...] | None:
    """What plain undo can take, as far as files say it: containers and teams are not looked at for this."""
    files = [name for name, source in line.sources.items() if source.kind not in NAMED]
    try:
        return line.undo_choices(looking_at=files, budget=_BUDGET)
    except TakebackError:
        return None  # another process is at work there, or it takes too long


def _ran(hooks: Hooks) -> list[tuple[str, LastRun | None]]:
    return [(agent, hooks.last(agent)) for agent in hooks.agents]


def _hooks(hooks: Hooks) -> Line:
    """For which agents hooks are installed and when they last ran, or that they record nothing."""
    if hooks.off:
        return [(f"off: {hooks.off}", "warn")]
    ran = (f"{agent}, {f'last ran {age(last.time_ns)}' if last else 'not called yet'}" for agent, last in _ran(hooks))
    return ["; ".join(ran)]


def _shape(found: _Found) -> shapes.Shape:
    return {
        "root": "" if found.of_no_directory else found.place.root,
        "found_by": found.place.found_by,
        "is_home": found.place.is_home,
        "store": found.place["store"],
        "store_exists": found.exists,
        "timeline": found.place["timeline"],
        "snapshot": None if found.snapshot is None else shapes.row(found.snapshot),
        "moves": [shapes.move(move) for move in found.moves[:_MOVES]],
        "interrupted": found.interrupted_ns is not None,
        "declared": [declaring.shape(each) for each in found.place.declared],
        "states": {name: name not in found.unsaved for name in found.place["states"]},
        "pending": list(found.pending),
        "missed": dict(found.missed),
        "hooks": {agent: shapes.iso(last.time_ns) if last else None for agent, last in _ran(found.hooks)},
        "hooks_off": found.hooks.off or None,
        "to_agree": [*found.place.to_agree, *found.unagreed],
        "notices": [shapes.notice(each) for each in found.notices],
        "next_undo": None if found.next_undo is None else shapes.choice(found.next_undo),
        "undo_choices": None if found.choices is None else [shapes.choice(each) for each in found.choices],
        "hint": found.hint,
    }


def _undo_lines(found: _Found) -> Iterator[Line]:
    """What plain undo would take, and what it leaves to the person."""
    for choice in found.choices or ():
        taken = choice == found.next_undo
        how: list[Piece] = [] if taken else [("  with --level manual", "quiet")]
        yield [("undo", "quiet"), "      ", *choice_line(choice), *how]


def _lines(found: _Found) -> Iterator[Line | str]:
    place = found.place
    how = {"git": "the top of a git repository", "directory": "this directory", "fork": "a fork's own directory"}.get(
        place.found_by, f"it has a {place.found_by}"
    )
    if found.of_no_directory:
        how = "of no directory: an agent's memory, or a container"
    last: list[Piece] = ["none yet"]
    if found.snapshot is not None:
        row = found.snapshot
        changed = "" if found.of_no_directory else f", {count(row.changed, 'file')} changed"
        last = [(short(row.id), "id"), f" {age(row.time_ns)}, {row.trigger}{changed}"]
        last += [(f" [{clip(label, 20)}]", "label") for label in row.labels[:2]]
    rows: list[Line] = [
        [("root", "quiet"), "none" if found.of_no_directory else place.root],
        [("", ""), (how, "quiet")],
        [("store", "quiet"), f"{place['store']}{'' if found.exists else ' (not made yet)'}"],
        [("timeline", "quiet"), place["timeline"]],
    ]
    beside = [*map(declaring.words, place.declared), *(f"value {each}" for each in place["states"])]
    if beside and not found.of_no_directory:
        rows.append([("beside", "quiet"), "; ".join(beside)])
    if found.hooks.installed or found.hooks.off:
        rows.append([("hooks", "quiet"), *_hooks(found.hooks)])
    yield from table(rows)
    yield [("snapshot", "quiet"), "  ", *last]
    if found.choices:
        yield from _undo_lines(found)
    if found.interrupted_ns is not None:
        yield [("a restore was interrupted ", "bad"), age(found.interrupted_ns), "; the next save or undo finishes it"]
    yield from missed.lines(found.missed)
    for part in (each for each in found.unsaved if each not in found.missed):
        yield [(f"{part} is not saved yet: ", "warn"), "it is up to the program that has it"]
    for part in found.pending:
        yield [("pending: ", "warn"), f"{part} is put in place when the program that has it saves next"]
    for notice in found.notices:
        yield [(f"{notice.where}, {age(notice.time_ns)}: ", "warn"), notice.message]
        for hint in notice.hints:
            yield [("  hint: ", "quiet"), hint]
    if place.is_home and not found.of_no_directory:
        yield [("this is your home directory: ", "warn"), "a snapshot of it may take long and hold secrets"]
    if found.moves:
        yield ""
        yield [("last moves", "head")]
        yield from (["  ", *move_line(move)] for move in found.moves[:_MOVES])
    yield ""
    yield [("next: ", "good"), found.hint]
