"""`Timeline`: the verbs of one timeline. Each is a few lines here and a module of its own beside this one.

What takes back or changes history is loaded when it is first called: no save needs it, and loading it takes as long as one.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Unpack

from takeback.engine import asked, journal
from takeback.engine import save as saving
from takeback.engine.alone import may_be_disturbed, until_alone, until_undisturbed
from takeback.engine.line import Line
from takeback.engine.scope import Scope
from takeback.errors import InvalidInput
from takeback.model.progress import Listener, Progress, Watch
from takeback.model.sizes import parse_seconds
from takeback.model.snapshot import Snapshot
from takeback.model.tree import Entry
from takeback.store.catalogue import moves, timelines

if TYPE_CHECKING:
    import threading

    from takeback.engine import history
    from takeback.engine import restore as restoring
    from takeback.engine.aio import AsyncTimeline
    from takeback.engine.asked import Place, StrPath
    from takeback.engine.interval import Interval
    from takeback.engine.references import Reference
    from takeback.engine.save import Proof
    from takeback.engine.watching import Seen
    from takeback.model.diff import Change, Diff
    from takeback.model.plan import Choice, Plan, Report
    from takeback.model.purged import Purged
    from takeback.model.rule_change import RuleChange
    from takeback.sources.protocol import Source


class Timeline:
    """A named, append-only line of snapshots of one root. Get one from `Store.timeline` or `takeback.here`."""

    def __init__(
        self, line: Line, *, listener: Listener | None = None, after_save: Callable[[str], None] | None = None
    ) -> None:
        self._line = line
        self._listener = listener
        self._after_save = after_save
        if listener is not None:
            line.waiting = lambda who: listener(Progress("wait", 0, text=who))
        budgets = [getattr(source, "time_budget", None) for source in line.sources.values()]
        self._budget = min((budget for budget in budgets if budget is not None), default=None)

    def __repr__(self) -> str:
        return f"<Timeline {self.name!r} of {self.root!r}>"

    @property
    def name(self) -> str:
        return self._line.name

    @property
    def root(self) -> str:
        return self._line.root

    @property
    def sources(self) -> Mapping[str, Source]:
        """What is captured here, by part."""
        return MappingProxyType(self._line.sources)

    @property
    def head(self) -> str | None:
        """The latest snapshot's id; None before the first save. Where it has not moved, nothing has."""
        head = self._line.head()
        return None if head is None else head.id

    @property
    def patience(self) -> float:
        """Seconds for which a verb waits, if another process saves or restores the same: 10, unless it is set."""
        return self._line.patience

    @patience.setter
    def patience(self, seconds: float) -> None:
        self._line.patience = seconds

    def add(self, source: Source) -> None:
        """From now on capture, and put back, this too; InvalidInput if there is another source of its name."""
        self._line.add(source)

    def nearby(self) -> list[str]:
        """Hints at other timelines that somebody who finds nothing here may have meant."""
        with self._line.blobs.database.read() as tx:
            return self._line.nearby(tx)

    def save(
        self,
        label: str | None = None,
        *,
        trigger: str = "manual",
        session: str = "",
        title: str = "",
        context: Mapping[str, Any] | None = None,
        paths: Iterable[str] = (),
        key: str = "",
        always: bool = False,
        **proof: Unpack[Proof],
    ) -> Snapshot:
        """Record the present; if nothing changed, the latest snapshot again, with the label added.

        ``trigger`` says what it is for and opens or closes moves; ``session``, ``title`` and ``key`` say whose move,
        what it is about, and which of several parallel actions; ``paths`` are what a tool says that it writes. With
        ``always`` there is a snapshot of its own even if nothing changed.

        Who saves for another program, as hooks do, says what the event proves (`takeback.engine.save.Proof`).
        """
        once = partial(
            self._save_once,
            label,
            trigger=trigger,
            session=session,
            title=title,
            context=context,
            paths=asked.several(paths) or (),
            key=key,
            always=always,
            **proof,
        )
        return until_alone(self._line, once)

    def _save_once(self, label: str | None = None, *, trigger: str = "manual", **said: Any) -> Snapshot:
        """Save, or `takeback.engine.record.MovedOn`."""
        snapshot = saving.save(self._line, label, trigger=trigger, watch=self._watch(self._budget), **said)
        if self._after_save is not None:
            self._after_save(trigger)
        return snapshot

    def log(self, limit: int | None = None, *, session: str | None = None, path: str | None = None) -> history.Log:
        """Snapshots and moves, newest first; those of a session, or those in which a path changed."""
        from takeback.engine import history

        return history.log(self._line, limit, session, path)

    def session(self, beginning: str) -> str:
        """The whole name of the session that begins so; InvalidInput if there are several."""
        from takeback.engine import references

        with self._line.blobs.database.read() as tx:
            return references.resolve_session(tx, self._line, beginning)

    def show(self, reference: Reference, *, session: str | None = None) -> Snapshot:
        from takeback.engine import history

        return history.show(self._line, reference, session)

    def read(self, reference: Reference, path: str, part: str = "workspace") -> bytes:
        """A file's bytes as a snapshot has them. In a container's part, the path is that of the part (``filesystem/…``), or
        absolute, as in the container."""
        from takeback.engine import history

        return history.read(self._line, reference, path, part)

    def stream(self, reference: Reference, path: str, part: str = "workspace") -> Iterator[bytes]:
        """The same, piece by piece."""
        from takeback.engine import history

        return history.stream(self._line, reference, path, part)

    def content(self, path: str, entry: Entry) -> bytes:
        """A file's bytes by what a diff, or `files`, says of it: nothing has to be looked up, as `read` must."""
        from takeback.engine import history

        return history.content(self._line, path, entry)

    def files(self, reference: Reference, path: str = "", part: str = "workspace") -> Iterator[tuple[str, Entry]]:
        """Everything that a snapshot holds at and below a path, directories too, by path."""
        from takeback.engine import history

        return history.files(self._line, reference, path, part)

    def interrupted(self) -> int | None:
        """When a restore of this root began that was killed, in nanoseconds; the next save or restore finishes it."""
        from takeback.engine import history

        return history.interrupted(self._line)

    def diff(self, a: Reference = "@", b: Reference | None = None, *, paths: Iterable[str] | None = None) -> Diff:
        """What differs between two snapshots; ``b`` defaults to the present."""
        wanted = None if paths is None else [path.rstrip("/") or path for path in asked.several(paths) or ()]
        from takeback.engine import history

        return history.diff(self._line, a, b, wanted, self._watch())

    def changes(self, reference: Reference) -> tuple[Change, ...]:
        """The files that differ in a snapshot from the one before it; none in the first one, which holds everything."""
        found = self.step(reference)
        return found.files if found is not None else ()

    def step(self, reference: Reference) -> Diff | None:
        """All that differs in a snapshot from the one before it, if there is one."""
        from takeback.engine import history

        return history.changes(self._line, reference)

    def value(
        self, reference: Reference, part: str, types: Iterable[type] = (), *, unknown: history.Unknown = "refuse"
    ) -> Any:
        """A value as a snapshot has it, made anew; instances of classes that are not known only if they are among
        ``types``. With ``unknown="record"`` the others come as `takeback.documents.Record`, to be looked at."""
        from takeback.engine import history

        return history.value(self._line, reference, part, types, unknown)

    def sync(self) -> Report | None:
        """Put in place what other processes have asked for of the objects here (`takeback restore` of a value, or
        undo), as every save does first; None if there is nothing."""
        from takeback.engine import pending

        return until_alone(self._line, lambda: pending.sync(self._line, self._watch()))

    def plan(
        self,
        reference: Reference,
        *,
        only: Iterable[str] | None = None,
        paths: restoring.Paths = None,
        to: Place | Mapping[str, Place] | None = None,
        title: str = "",
    ) -> Plan:
        """What `restore` would do; nothing is touched. A plan for another place is only to be looked at. ``paths`` are
        those that are wanted, or, by part, those of each: parts that are not named there come back whole."""
        from takeback.engine import restore as restoring

        if to is not None:
            return restoring.plan_to(self._line, reference, asked.places(to, only), asked.flat(paths))
        return restoring.plan_restore(
            self._line, reference, asked.several(only), asked.wanted(paths), self._watch(), title
        )

    def plan_undo(
        self,
        move: str | None = None,
        *,
        since: Reference | None = None,
        level: str | None = None,
        session: str | None = None,
        shared: bool = False,
        only: Iterable[str] | None = None,
        paths: Mapping[str, Iterable[str]] | None = None,
        keep: Mapping[str, Iterable[str]] | None = None,
        accept: Iterable[str] = (),
    ) -> Plan:
        """What `undo` would do; nothing is touched. ``paths`` names, by part, what of it is to be taken back; the rest of the
        move stays, and can be taken back later. What ``keep`` names is left as it is. Paths of which it is undecided whose
        changes they are, are taken back if they are in ``accept``, or all of them if they are to be ``shared``."""
        from takeback.engine import undo as undoing
        from takeback.engine.candidates import Wish

        return undoing.plan_undo(
            self._line,
            Wish(
                move,
                since,
                level,
                session,
                shared,
                asked.several(only),
                asked.by_part(paths),
                asked.by_part(keep) or {},
                asked.several(accept) or (),
            ),
            self._watch(),
        )

    def undo_choices(
        self,
        *,
        shared: bool = False,
        only: Iterable[str] | None = None,
        paths: Mapping[str, Iterable[str]] | None = None,
        keep: Mapping[str, Iterable[str]] | None = None,
        looking_at: Iterable[str] | None = None,
        budget: float | None = None,
    ) -> tuple[Choice, ...]:
        """The moves that plain undo can take now, empty if none has an effect; nothing is touched. Undo takes the first
        without a question, unless it is a person's own (level ``manual``) where agents have moved: that is only taken
        with ``level="manual"``.

        ``looking_at`` names the sources that are looked at, and a move that changed others counts as one that has an
        effect. OutOfTime if looking takes longer than the ``budget`` in seconds; Locked at once if another process works
        there."""
        from takeback.engine import undo as undoing
        from takeback.engine.candidates import Wish

        wish = Wish(shared=shared, only=asked.several(only), paths=asked.by_part(paths), keep=asked.by_part(keep) or {})
        line = self._line if looking_at is None else self._line.looking_only_at(asked.several(looking_at) or ())
        return undoing.undo_choices(line, wish, self._watch(budget))

    def plan_redo(self, move: str | None = None) -> Plan:
        """What `redo` would do; nothing is touched."""
        from takeback.engine import undo as undoing

        return undoing.plan_redo(self._line, move, self._watch())

    def apply(self, plan: Plan) -> Report:
        """Do exactly what was planned; Conflict if the world moved since."""
        from takeback.engine import apply as applying

        return until_alone(self._line, lambda: applying.apply(self._line, plan, self._watch()))

    def restore(
        self,
        reference: Reference,
        *,
        only: Iterable[str] | None = None,
        paths: restoring.Paths = None,
        to: Place | Mapping[str, Place] | None = None,
        title: str = "",
    ) -> Report:
        """Make parts or paths exactly as in a snapshot; ``to`` puts them somewhere else instead: files into another, empty
        directory, a container under another name. The log calls it by the snapshot's name, unless it is given a
        ``title``."""
        from takeback.engine import restore as restoring

        if to is None:
            again = not self.root or may_be_disturbed(self._line)
            target = self.show(reference) if again else reference  # each try may add to what `@-2` counts
            wanted = asked.several(only), asked.wanted(paths)

            def once() -> Report:
                return restoring.restore(self._line, target, *wanted, self._watch(), title)

            return until_undisturbed(self._line, lambda: until_alone(self._line, once))
        return restoring.restore_to(self._line, reference, asked.places(to, only), asked.flat(paths))

    def undo(
        self,
        move: str | None = None,
        *,
        since: Reference | None = None,
        level: str | None = None,
        session: str | None = None,
        shared: bool = False,
        only: Iterable[str] | None = None,
        paths: Mapping[str, Iterable[str]] | None = None,
        keep: Mapping[str, Iterable[str]] | None = None,
        accept: Iterable[str] = (),
    ) -> Report:
        """Take back the newest move, a named one, or every agent move since a snapshot; nothing else changes.

        Paths that cannot be taken back without losing somebody's work are in the report's ``conflicts``; Conflict is
        raised only if nothing at all could be done. ``only`` names the parts that are meant: the conversation, which
        comes back as a new session, is put back if ``transcript`` is among them. ``paths``, ``keep`` and ``accept`` are as in
        `plan_undo`. What may be somebody else's is in the report's ``undecided``, and is left unless it was absent.
        """
        from takeback.engine import undo as undoing
        from takeback.engine.candidates import Wish

        if since is not None and not self.root:
            since = self.show(since, session=session)
        wish = Wish(
            move,
            since,
            level,
            session,
            shared,
            asked.several(only),
            asked.by_part(paths),
            asked.by_part(keep) or {},
            asked.several(accept) or (),
        )
        return until_alone(self._line, lambda: undoing.undo(self._line, wish, self._watch()))

    def redo(self, move: str | None = None) -> Report:
        """Take back the newest undo, or the one that took back ``move``."""
        from takeback.engine import undo as undoing

        return until_alone(self._line, lambda: undoing.redo(self._line, move, self._watch()))

    def fork(
        self,
        reference: Reference,
        name: str,
        to: StrPath | Mapping[str, Place],
        *,
        without: Iterable[str] = (),
        called: Mapping[str, Place] | None = None,
    ) -> Timeline:
        """Begin another timeline at a snapshot, in other places; this one is left alone.

        ``to`` is a new directory for the files, beside which all else that the snapshot holds and that is at hand gets a
        place of its own, but for those parts that ``called`` has a place for; or it says where each part goes. ``without``
        names parts to leave out.
        """
        from takeback.engine import fork as forking

        where = asked.places(to) if isinstance(to, Mapping) else os.fspath(to)
        chosen = asked.places(called or {})
        return self._beside(forking.fork(self._line, reference, name, where, asked.several(without) or (), chosen))

    def forks(
        self, reference: Reference, name: str, number: int, to: StrPath, *, without: Iterable[str] = ()
    ) -> list[Timeline]:
        """Begin several at once, called ``name-1`` and so on, each in a directory of its own name in ``to``: all or none."""
        from takeback.engine import fork as forking

        made = forking.forks(self._line, reference, name, number, os.fspath(to), asked.several(without) or ())
        return [self._beside(other) for other in made]

    def kin(self) -> list[str]:
        """What forks, and others with the same beginning, can be called from here, nearest first."""
        from takeback.engine import family

        with self._line.blobs.database.read() as tx:
            return family.Family(tx, self._line).names()

    def plan_promote(self, fork: str | Timeline, *, only: Iterable[str] | None = None) -> Plan:
        """What `promote` would do; nothing is touched here, but the fork is saved."""
        from takeback.engine import promote as promoting

        return promoting.plan_promote(self._line, _named(fork), asked.several(only), self._watch())

    def promote(self, fork: str | Timeline, *, only: Iterable[str] | None = None) -> Report:
        """Do here what a fork has changed since it began, as one move that undo takes back; the fork is saved first, and
        left alone otherwise.

        What was changed here meanwhile is merged, or in the report's ``conflicts``. ``fork`` is its name, its timeline, or
        a reference to one of its snapshots, such as ``attempt-1@-2``.
        """
        from takeback.engine import promote as promoting

        wanted = asked.several(only)
        return until_alone(self._line, lambda: promoting.promote(self._line, _named(fork), wanted, self._watch()))

    def _beside(self, other: Line) -> Timeline:
        return Timeline(other, listener=self._listener, after_save=self._after_save)

    def label(self, reference: Reference, name: str) -> None:
        from takeback.engine import marks

        marks.label(self._line, reference, name)

    def unlabel(self, reference: Reference, name: str) -> None:
        from takeback.engine import marks

        marks.unlabel(self._line, reference, name)

    def pin(self, reference: Reference) -> None:
        """Keep a snapshot whatever retention says."""
        from takeback.engine import marks

        marks.pin(self._line, reference)

    def unpin(self, reference: Reference) -> None:
        from takeback.engine import marks

        marks.unpin(self._line, reference)

    def drop(self, reference: Reference) -> str:
        """Remove one snapshot from the timeline; its id."""
        from takeback.engine import marks

        return marks.drop(self._line, reference)

    def purge(self, path: str, *, part: str | None = None, copies: bool | None = None, dry_run: bool = False) -> Purged:
        """Remove a path from every snapshot of this root, and its bytes from the store. This cannot be taken back.

        It is a path of the workspace, or of the container that ``part`` names: as `files` lists it there, or absolute as
        in the container.

        The same bytes at other paths, in any timeline of the store, go with a file. What is in a directory, and files of
        a few bytes, may well be elsewhere for other reasons: those copies are in ``left``, and go with ``copies=True``.
        With ``copies=False`` all of them stay. In the snapshots the path becomes *not captured*.
        """
        from takeback.engine.purge import purge

        if not dry_run:
            journal.settle(self._line)
        return purge(self._line.blobs, path, [self.root], copies, dry_run, self._watch(), part)

    @property
    def agents_at_work(self) -> bool:
        """Whether an agent's move is open, so that what changes now may be its doing."""
        return self._line.agents_at_work()

    @property
    def is_agents_own(self) -> bool:
        """Whether this process runs in an open call of an agent's, and not for a person."""
        from takeback.engine import stretches

        with self._line.blobs.database.read() as tx:
            row = timelines.find(tx, self.root, self.name)
            return row is not None and bool(stretches.acting(moves.open_moves(tx, row.number)))

    def unagreed(self, snapshot: Snapshot | None = None) -> tuple[RuleChange, ...]:
        """Ignore rules that an agent changed and that hide nothing until a person agrees, as of a snapshot, by default the
        latest one."""
        from takeback.engine.unagreed import unagreed

        return unagreed(self._line, snapshot)

    def run(self, title: str = "", *, session: str = "") -> Scope:
        """A block of code as a run."""
        return Scope(self.save, "run_start", "run_end", title, session, (), "")

    def turn(self, title: str = "", *, session: str = "") -> Scope:
        """A block of code as a turn."""
        return Scope(self.save, "turn_start", "turn_end", title, session, (), "")

    def action(self, title: str = "", *, session: str = "", paths: Iterable[str] = (), key: str = "") -> Scope:
        """A block of code as one action inside a turn."""
        return Scope(self.save, "before_action", "after_action", title, session, asked.several(paths) or (), key)

    def every(self, interval: str | float) -> Interval:
        """Snapshots every so often while the block runs."""
        from takeback.engine.interval import Interval

        return Interval(parse_seconds(interval), lambda: self.save(trigger="interval"))

    def watch(self, *, quiet: str | float = "2s", at_most: str | float = "1m", stop: threading.Event) -> Iterator[Seen]:
        """A snapshot now, whenever the workspace has been quiet, at the latest every so often, and when ``stop`` is set;
        tells of each. It needs takeback[watch]."""
        from takeback.engine import watching

        seconds = parse_seconds(quiet), parse_seconds(at_most)
        watching.check_times(*seconds)
        watchers = [source.watcher for source in self._line.sources.values() if hasattr(source, "watcher")]
        if not watchers:
            raise InvalidInput(f"the timeline {self.name!r} has no source that can be watched")
        head = self._line.head()
        return watching.watch(
            watchers[0](), lambda: self.save(context=watching.BY_WATCH), head and head.id, *seconds, stop
        )

    @property
    def aio(self) -> AsyncTimeline:
        """The same verbs for async callers."""
        from takeback.engine.aio import AsyncTimeline

        return AsyncTimeline(self)

    def _watch(self, budget: float | None = None) -> Watch:
        return Watch(budget, self._listener)


def _named(fork: str | Timeline) -> str | Line:
    return fork._line if isinstance(fork, Timeline) else fork
