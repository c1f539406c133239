"""Time takeback against its peers and print the ratios; about ten minutes, or two with --quick.

python -m bench [--quick | --full] [--only WORD]
"""

from __future__ import annotations

import argparse
import compileall
import os
import shutil
import sys
import tempfile
from pathlib import Path

import takeback as tb
from bench import scale as scales
from bench import words
from bench.peers import borg, container, restic
from bench.picture import picture
from bench.results import document
from bench.rows import LeftOut, Row
from bench.scale import Scale
from bench.table import table
from bench.work import (
    agent_steps,
    containers,
    faces,
    first_capture,
    history,
    length,
    project,
    restore,
    sessions,
    teams,
    together,
    turns,
    undo,
)

HERE = Path(__file__).parent


def main() -> None:
    options = _options()
    scale = scales.QUICK if options.quick else scales.FULL if options.full else scales.DEFAULT
    load = os.getloadavg()[0]
    left_out: list[LeftOut] = []
    for name, there in [("restic", restic.is_there()), ("borg", borg.is_there())]:
        if not there:
            left_out.append(LeftOut(f"everything against {name}", f"{name} is not installed here"))
    if container.address() is None:
        left_out.append(
            LeftOut("everything against docker commit", "no engine was started: `make bench` does, as root")
        )
    with tempfile.TemporaryDirectory(prefix="takeback-bench-") as name:
        base = Path(name)
        _be_nobody_in_particular(base)
        _be_installed()
        rows = _measure(base, scale, set(options.only))
    print("\n" + table(rows, left_out))
    if load > (os.cpu_count() or 1) / 2:
        print(f"The machine was busy with other work before this run began (load {load:.1f}): expect noise.")
    if options.quick or options.only:
        _write(HERE / "results" / "tmp", HERE / "results" / "tmp", rows, left_out, scale, load)
    else:
        _write(HERE / "results", HERE.parent / "docs", rows, left_out, scale, load)
        words.write()


def _write(data: Path, pictures: Path, rows: list[Row], left_out: list[LeftOut], scale: Scale, load: float) -> None:
    """A hint is kept apart from what README shows."""
    data.mkdir(parents=True, exist_ok=True)
    (data / "latest.json").write_text(document(rows, left_out, scale, load))
    (pictures / "bench.svg").write_text(picture(rows))


def _measure(base: Path, scale: Scale, only: set[str]) -> list[Row]:
    rows: list[Row] = []
    for files, captures, target in [
        (scale.small, scale.small_captures, 0.9),
        (scale.large, scale.large_captures, 1.1),
    ]:
        place = base / str(files)
        if only and not only & {"first", "turn", *(("undo", "restore") if files == scale.large else ())}:
            continue
        _say(f"making a project of {files:,} files")
        tree = project.make(place / "project", files)
        project.warm(tree)
        _say("first captures")
        found, kept = first_capture.measure(place, tree, captures)
        rows += found
        _say("turns")
        rows += turns.measure(tree, kept, scale.turns, target)
        if files == scale.small:
            rows += turns.measure_hooks(tree, kept, scale.turns)
        if files == scale.large:
            _say("undo")
            rows += undo.measure(tree, kept, scale.undos)
            _say("restore")
            rows += restore.measure(place, tree, kept, scale.restores)
        kept.takeback.close()
        shutil.rmtree(place)
    if not only or "history" in only:
        _say(f"bytes after {scale.history:,} turns")
        tree = project.make(base / "history" / "project", scale.history_files)
        rows += history.measure(base / "history", tree, scale)
    if not only or "length" in only:
        _say(f"a history of {scale.snapshots:,} snapshots")
        rows += length.measure(base / "length", scale.snapshots)
    if not only or "faces" in only:
        _say(f"the first screen of {scale.faces:,} snapshots")
        rows += faces.measure(base / "faces", scale.faces)
    if not only or "session" in only:
        _say(f"a session of {scale.messages:,} messages")
        rows += sessions.measure(scale.messages, scale.rollbacks)
    if not only or "agent" in only:
        for steps in scale.agent_steps:
            _say(f"{steps} steps of an agent")
            rows += agent_steps.measure(base / "agent", steps)
    if container.address() is not None and (not only or "container" in only):
        _say(f"a container with {scale.container_files} MiB")
        rows += containers.measure(base / "container", scale.container_files, scale.container_snapshots)
    if not only or "team" in only:
        _say(f"a team with {scale.team_tasks:,} tasks")
        rows += teams.measure(base / "team", scale.team_tasks, scale.team_snapshots)
    if container.address() is not None and (not only or "together" in only):
        _say("files, a container, memory and a team in one snapshot")
        place = base / "together"
        rows += together.measure(place, scale.small, scale.together_tasks, scale.messages, scale.together_mebibytes, 11)
    return rows


def _be_nobody_in_particular(base: Path) -> None:
    """No setting of the person who runs this plays a part."""
    os.environ.update(HOME=str(base), XDG_CONFIG_HOME=str(base / "config"), GIT_CONFIG_NOSYSTEM="1")
    for role in ("AUTHOR", "COMMITTER"):
        os.environ.update({f"GIT_{role}_NAME": "bench", f"GIT_{role}_EMAIL": "bench@example.org"})


def _be_installed() -> None:
    """The command starts from bytecode, as wherever pip has installed it; the peers are compiled programs too."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    compileall.compile_dir(Path(tb.__file__).parent, quiet=1)


def _say(what: str) -> None:
    print(f"… {what}", file=sys.stderr, flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__.splitlines()[0] if __doc__ else None)
    size = parser.add_mutually_exclusive_group()
    size.add_argument(
        "--quick", action="store_true", help="smaller trees and fewer rounds: two minutes, and only a hint"
    )
    size.add_argument("--full", action="store_true", help="more rounds and 100,000 snapshots: an hour or so")
    choices = "first turn undo restore history length faces session agent container team together".split()
    parser.add_argument(
        "--only", nargs="+", choices=choices, default=[], help="only these; kept apart, as with --quick"
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
