"""takeback watch: snapshots by themselves, for agents and people that have no hooks."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

import click

from takeback.cli import shapes
from takeback.cli.app import Command
from takeback.cli.call import Call
from takeback.cli.people import say
from takeback.errors import TakebackError
from takeback.model.ids import short
from takeback.model.sizes import parse_seconds
from takeback.views.lines import Line
from takeback.views.text import count

if TYPE_CHECKING:
    from takeback.engine.watching import Seen
    from takeback.model.snapshot import Snapshot

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@click.command("watch", cls=Command)
@click.option("--quiet", metavar="TIME", default="2s", help="Save when nothing has changed for so long; 2s.")
@click.option("--at-most", metavar="TIME", default="1m", help="Save this often under constant change; 1m.")
@click.pass_obj
def command(call: Call, quiet: str, at_most: str) -> int:
    """Save whenever the files have been quiet for a while.

    For agents without hooks: what changes between two of its snapshots is a move, and undo takes it back. What is
    ignored causes none. A save that fails is said, and tried again. Ctrl-C ends it, after a last save. With --json each
    line is an object: `event` is watching, saved, failed or blind. Where agents' turns are recorded, too, plain undo
    acts on those: `takeback undo --level manual` acts on what was watched. It needs takeback[watch].

    For example:
      takeback watch
      takeback watch --quiet 10s --at-most 5m
    """
    from takeback.engine.watching import check_times

    times = parse_seconds(quiet), parse_seconds(at_most)
    check_times(*times)
    line = call.line(create=True)
    said = _Said(call)
    stop = threading.Event()
    with _ended_by_signals(stop):
        seen = line.watch(quiet=times[0], at_most=times[1], stop=stop)
        said.watching(line.root, line.name, *times)
        for each in seen:
            said.seen(each)
    return 0


class _Said:
    """What is printed, at once: a failure that comes again and again only once."""

    def __init__(self, call: Call) -> None:
        self._json = call.json
        self._failure = ""

    def watching(self, root: str, timeline: str, quiet: float, at_most: float) -> None:
        if self._json:
            self._print({"event": "watching", "root": root, "timeline": timeline, "quiet": quiet, "at_most": at_most})
        else:
            self._say([("watching ", "quiet"), root, ("; Ctrl-C ends it", "quiet")])

    def seen(self, seen: Seen) -> None:
        if seen.snapshot is not None:
            self._failure = ""
            self._saved(seen.snapshot)
        elif seen.problem is not None:
            self._failed(seen.problem)
        elif self._json:
            self._print({"event": "blind", "why": seen.blind})
        else:
            self._warn(f"cannot be told of changes here ({seen.blind}); looking every --at-most instead")

    def _saved(self, snapshot: Snapshot) -> None:
        if self._json:
            self._print({"event": "saved", **shapes.snapshot(snapshot)})
            return
        at = time.strftime("%H:%M:%S", time.localtime(snapshot.time_ns / 1e9))
        self._say(["saved ", (short(snapshot.id), "id"), f"  {at}  {count(snapshot.changed, 'file')} changed"])

    def _failed(self, problem: TakebackError) -> None:
        if problem.message == self._failure:
            return
        self._failure = problem.message
        if self._json:
            error = {"kind": type(problem).__name__, "message": problem.message, "hints": list(problem.hints)}
            self._print({"event": "failed", "time": shapes.iso(time.time_ns()), "error": error})
        else:
            self._warn(f"{problem.message}; trying again", *problem.hints)

    def _print(self, value: shapes.Shape) -> None:
        shapes.print_json(value)
        sys.stdout.flush()

    def _say(self, line: Line) -> None:
        say(line)
        sys.stdout.flush()

    def _warn(self, message: str, *hints: str) -> None:
        say([f"takeback: {message}"], *([f"hint: {hint}"] for hint in hints), stream=sys.stderr)
        sys.stderr.flush()


@contextmanager
def _ended_by_signals(stop: threading.Event) -> Iterator[None]:
    """The first signal lets the last save be made; the second one ends at once."""

    def end(number: int, frame: FrameType | None) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    before = {number: signal.signal(number, end) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
