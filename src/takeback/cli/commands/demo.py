"""takeback demo: the main job, played with a scripted agent in a temporary directory, and checked byte for byte."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import click

from takeback.cli import picture, shapes, story
from takeback.cli.app import Command
from takeback.cli.call import Call
from takeback.cli.people import say
from takeback.errors import TakebackError
from takeback.model.diff import Diff
from takeback.views import plans
from takeback.views.lines import Line, table


@click.command("demo", cls=Command)
@click.option("--keep", is_flag=True, help="Keep the directory, to look around in it.")
@click.pass_obj
def command(call: Call, keep: bool) -> int:
    """Watch an agent ruin a project, and takeback take it back.

    It plays in a temporary directory with a store of its own; your files and your store are not touched. Exits with 0
    only if every byte is as it should be afterwards.

    For example:
      takeback demo
    """
    start = time.monotonic()
    base = Path(tempfile.mkdtemp(prefix="takeback-demo-"))
    show = _Show(quiet=call.json)
    try:
        _play(base, show)
    except (TakebackError, AssertionError, OSError, subprocess.SubprocessError) as error:
        show.check(f"the demo could not be finished: {error}", ["it stopped here"])
    finally:
        if not keep:
            shutil.rmtree(base, ignore_errors=True)
    seconds = time.monotonic() - start
    ok = all(not problems for _, problems in show.checks)
    if call.json:
        checks = [{"check": what, "ok": not problems, "problems": problems} for what, problems in show.checks]
        kept = str(base) if keep else None
        shapes.print_json({"ok": ok, "checks": checks, "seconds": round(seconds, 3), "directory": kept})
    else:
        _end(ok, seconds, base if keep else None)
    return 0 if ok else 1


@dataclass
class _Show:
    """What is told to the audience, and what was checked before its eyes."""

    quiet: bool
    checks: list[tuple[str, list[str]]] = field(default_factory=list)

    def act(self, title: str) -> None:
        self.tell("", [(title, "head")])

    def tell(self, *lines: Line | str) -> None:
        if not self.quiet:
            say(*lines)

    def check(self, what: str, problems: list[str]) -> None:
        self.checks.append((what, problems))
        if problems:
            self.tell([("  WRONG  ", "bad"), what], *([f"         {each}"] for each in problems))
        else:
            self.tell([("  ✓ ", "good"), what])


def _play(base: Path, show: _Show) -> None:
    from takeback.engine.store import open_store
    from takeback.sources.workspace.source import Workspace

    root = base / "project"
    story.begin(root)
    with open_store(str(base / "store")) as store:
        line = store.timeline("main", sources=[Workspace(root)])
        show.act("1. An agent works for four turns")
        line.save("start")
        story.four_good_turns(line, root)
        good = story.look(root)
        show.tell(*(["  ", *picture.move_line(move)] for move in reversed(line.log().moves) if move.level == "turn"))

        show.act(f"2. Then it goes wrong: “{story.RUIN}”")
        show.tell("  $ rm greeter.py", "  $ head -c 4096 /dev/zero > data/names.bin   … and litter")
        story.ruin(line, root, lambda what: show.tell([("  ", ""), (what, "name")]))
        ruined = story.look(root)
        show.check("the project is ruined", [] if story.differences(ruined, good) else ["nothing changed"])

        show.act("3. takeback diff: what the bad turn and the person did")
        last = next(row for row in line.log().moves if row.title == story.RUIN)
        show.tell(*_changes(line.diff(last.opening)))

        show.act("4. takeback undo")
        report = line.undo()
        show.tell(*(["  ", *each] for each in plans.report_lines(report)))
        after = story.look(root)
        expected = story.wanted(good)
        edits = ("notes.md", "README.md")
        only = [{path: tree[path] for path in edits if path in tree} for tree in (after, expected)]
        show.check("what the person wrote is still there", story.differences(only[0], only[1]))
        show.check("every other byte is as it was before the bad turn", story.differences(after, expected))
        show.check("no conflicts", [item.path for item in report.conflicts])
        show.check("takeback read it back", [] if report.verified else ["it did not"])

        show.act("5. Changed your mind? takeback redo, and undo again")
        line.redo()
        show.check("redo brings every byte back", story.differences(story.look(root), ruined))
        line.undo()
        show.check("undo takes it away again", story.differences(story.look(root), expected))

        show.act("6. takeback log --graph")
        show.tell(*picture.log_lines(line.log(), graph=True, most=8))
        problems = store.verify(read_data=True).problems
        show.check("the store verifies", [f"{each.what}: {each.detail}" for each in problems])


def _changes(diff: Diff) -> list[Line]:
    style = {"added": "plus", "deleted": "minus"}
    files = [each for each in diff.files if not each.is_directory]
    return [["  ", (f"{each.status:<9}", style.get(each.status, "name")), each.path] for each in files]


def _end(ok: bool, seconds: float, kept: Path | None) -> None:
    if not ok:
        say("", [("the demo failed: something was not taken back as it should be", "bad")])
        return
    say("", [(f"all checks hold, in {seconds:.1f} s", "good")])
    program = _program()
    if kept is not None:
        say(["look around: ", (f"{program} -C {kept}/project --store {kept}/store log", "head")])
    rows: list[Line] = [
        [(f"{program} install AGENT", "head"), "record each turn of your coding agent, such as claude-code"],
        [(f"{program} save", "head"), "record the present"],
        [(f"{program} run -- COMMAND", "head"), "record what a command, or an agent, does"],
        [(f"{program} undo", "head"), "take it back"],
    ]
    say("try it on a project of yours:", *table(rows, gap=4, indent=2))


def _program() -> str:
    """How this very takeback is called from where one is."""
    if shutil.which("takeback") is not None:
        return "takeback"
    beside = os.path.join(os.path.dirname(sys.executable), "takeback")
    return shlex.quote(beside) if os.access(beside, os.X_OK) else f"{shlex.quote(sys.executable)} -m takeback"
