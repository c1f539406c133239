"""takeback run: any command as a run, which can be taken back whole.

The command matters more than its record: where saving fails, that is said, and the command runs all the same.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from takeback.cli import given as beside
from takeback.cli import shapes
from takeback.cli.app import Command, name
from takeback.cli.call import Call
from takeback.cli.child import run_child
from takeback.cli.people import say
from takeback.engine import processes
from takeback.engine.interval import check_interval
from takeback.errors import InvalidInput, TakebackError
from takeback.model.ids import new_id, short
from takeback.model.sizes import parse_seconds
from takeback.views.text import count, visible

if TYPE_CHECKING:
    from takeback.engine.interval import Interval
    from takeback.engine.timeline import Timeline
    from takeback.model.move import Move
    from takeback.model.snapshot import Snapshot


@click.command("run", cls=Command, context_settings={"allow_interspersed_args": False})
@click.option("--every", metavar="TIME", help="Also save every so often meanwhile, such as 5m; the setting `every`.")
@click.option("-m", "--message", "title", metavar="TITLE", help="What it is about; the command itself if not given.")
@click.option("--session", type=name, metavar="S", help="Whose run it is; one of its own if not given.")
@beside.options
@click.argument("words", nargs=-1, required=True, metavar="-- COMMAND...", type=click.UNPROCESSED)
@click.pass_obj
def command(
    call: Call,
    every: str | None,
    title: str | None,
    session: str | None,
    given: beside.Given,
    words: tuple[str, ...],
) -> int:
    """Run a command and record what it changes as one move.

    The command's exit code is passed on: 128 and the signal's number if it was killed, 127 if it was not found.
    Ctrl-C goes to the command, and the run is recorded all the same. Nothing is run if a container or a team
    that is named is not there. With --json the command's stdout goes to stderr.

    For example:
      takeback run -- make format
      takeback run --every 5m -m "fix the tests" -- my-agent --task fix
      takeback run --container sandbox -- my-agent --in sandbox
    """
    if every is not None:
        check_interval(parse_seconds(every))
    if not os.path.isdir(call.here):
        raise InvalidInput(f"cannot run anything in {call.here}: it is no directory", hints=["name one with -C DIR"])
    given.check(call)
    record = _Record(call, title or shlex.join(words), session or f"run-{short(new_id())}", every, given)
    record.open()
    code = run_child(words, call.here, stdout_to_stderr=call.json, finish=record.close)
    record.report(code)
    return code


class _Record:
    """The run as takeback sees it. Whatever goes wrong is kept in ``problems``, never raised."""

    def __init__(self, call: Call, title: str, session: str, every: str | None, given: beside.Given) -> None:
        self._call, self._title, self._session, self._every = call, title, session, every
        self._given = given
        self._line: Timeline | None = None
        self._interval: Interval | None = None
        self._opening: Snapshot | None = None
        self._closing: Snapshot | None = None
        self._move: Move | None = None
        self._problems: list[str] = []

    def open(self) -> None:
        """Open the run, and begin to save every so often if that was asked for."""
        self._guarded("the run could not be recorded", self._start)
        if self._every is None and self._line is not None:
            self._every = self._call.place()["every"]
        if self._opening is not None and self._line is not None and self._every is not None:
            self._interval = self._line.every(self._every)
            self._interval.__enter__()

    def close(self, code: int) -> None:
        if self._interval is not None:
            self._interval.__exit__(None, None, None)
        if self._opening is not None:
            self._guarded("the end of the run could not be recorded", lambda: self._finish(code))

    def report(self, code: int) -> None:
        if self._interval is not None:
            self._problems += [f"a save in between failed: {each.message}" for each in self._interval.problems[:1]]
        without = {**(self._opening.missed if self._opening else {}), **(self._closing.missed if self._closing else {})}
        self._problems += [f"recorded without {name}: {why}" for name, why in without.items()]
        for problem in self._problems:
            print(f"takeback: {visible(problem)}", file=sys.stderr)
        if self._call.json:
            shapes.print_json(
                {
                    "exit_code": code,
                    "session": self._session,
                    "title": self._title,
                    "move": None if self._move is None else shapes.move(self._move),
                    "opening": self._opening.id if self._opening else None,
                    "closing": self._closing.id if self._closing else None,
                    "problems": self._problems,
                }
            )
        elif self._move is not None and sys.stderr.isatty():
            undo = f"takeback undo {short(self._move.id)}{self._given.typed}{self._call.chosen}"
            say([("takeback: ", "quiet"), f"{self._changed()}; `{undo}` takes it back"], stream=sys.stderr)

    def _start(self) -> None:
        self._line = self._call.line(create=True)
        self._given.add(self._call, self._line)
        self._opening = self._line.save(
            trigger="run_start", session=self._session, title=self._title, agent=processes.ancestry()
        )

    def _finish(self, code: int) -> None:
        assert self._line is not None
        context = {"exit_code": code}
        self._closing = self._line.save(trigger="run_end", session=self._session, title=self._title, context=context)
        moves = self._line.log(5, session=self._session).moves
        self._move = next((move for move in moves if move.level == "run" and move.closing == self._closing.id), None)

    def _changed(self) -> str:
        assert self._line is not None and self._opening is not None and self._closing is not None
        diff = self._line.diff(self._opening, self._closing)
        files = [change for change in (*diff.files, *diff.container, *diff.team) if not change.is_directory]
        return f"{count(len(files), 'file')} changed"

    def _guarded(self, what: str, work: Callable[[], None]) -> None:
        try:
            work()
        except TakebackError as error:
            self._problems.append(f"{what}: {error.message}")
        except Exception as error:  # a bug of ours must not cost the command
            self._problems.append(f"{what}: this is a bug in takeback: {type(error).__name__}: {error}")
