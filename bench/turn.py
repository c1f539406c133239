"""What an agent's turns cost: the first snapshot, a turn that changes nothing, a turn that changes two files.

takeback works in process, its imports counted with the first snapshot; shadow git runs its commands. Both look at the same tree, in turns, after a warm-up.

    python -m bench.turn --files 10000 --rounds 15
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import takeback as tb
from bench.shadow_git import ShadowGit
from bench.tree import generate, size

Step = Callable[[], object]


class Takeback:
    """The hooks' calls, as an agent's process makes them."""

    def __init__(self, directory: Path, project: Path) -> None:
        self.directory = directory
        self.project = project

    def first(self) -> None:
        store = tb.open(str(self.directory))
        self._line = store.timeline("main", sources=[tb.Workspace(self.project)])
        self.turn_start()

    def turn_start(self) -> None:
        self._line.save(trigger="turn_start", session="bench", title="a turn")

    def turn_end(self) -> None:
        self._line.save(trigger="turn_end", session="bench")


def main() -> None:
    options = _options()
    with tempfile.TemporaryDirectory(prefix="takeback-bench-") as name:
        base = Path(name)
        _be_nobody_in_particular(base)
        project = base / "project"
        print(
            f"{options.files} files, {options.rounds} rounds, {os.cpu_count()} CPUs, {platform.platform()}", flush=True
        )
        paths = generate(project, options.files)
        _make_repository(project)
        _run(base, project, paths, options.rounds)


def _run(base: Path, project: Path, paths: list[Path], rounds: int) -> None:
    git, mine = ShadowGit(base / "shadow", project), Takeback(base / "store", project)
    for path in paths:
        path.read_bytes()  # both find the tree in memory
    rows = [("first snapshot", [_time(git.turn_start)], [_time(mine.first)])]
    for title, changes in [("turn without a change", 0), ("turn, 2 files changed", 2)]:
        theirs, ours = _turns(git, mine, paths[:: max(1, len(paths) // 97)], changes, rounds)
        rows.append((title, theirs, ours))
    print(f"\n{'':28}{'shadow git':>14}{'takeback':>14}{'takeback / git':>18}")
    for title, theirs, ours in rows:
        a, b = statistics.median(theirs), statistics.median(ours)
        print(f"{title:28}{a * 1000:>11.1f} ms{b * 1000:>11.1f} ms{b / a:>17.2f}x")
    a, b = size(git.directory), size(mine.directory)
    print(f"{'bytes kept':28}{a / 1e6:>11.1f} MB{b / 1e6:>11.1f} MB{b / a:>17.2f}x")
    print("\nTimes are medians. Only the ratios mean anything on another machine; below 1 takeback is the cheaper one.")


def _turns(
    git: ShadowGit, mine: Takeback, paths: list[Path], changes: int, rounds: int
) -> tuple[list[float], list[float]]:
    """Seconds of each whole turn, start and end together; who goes first changes from round to round."""
    theirs, ours = [0.0] * rounds, [0.0] * rounds
    for round_ in range(rounds):
        parties: list[tuple[list[float], Step, Step]] = [
            (theirs, git.turn_start, git.turn_end),
            (ours, mine.turn_start, mine.turn_end),
        ]
        if round_ % 2:
            parties.reverse()
        for seconds, start, _ in parties:
            seconds[round_] += _time(start)
        for number in range(changes):
            with paths[(round_ * changes + number) % len(paths)].open("a") as stream:
                stream.write(f"# turn {round_}\n")
        for seconds, _, end in parties:
            seconds[round_] += _time(end)
    return theirs, ours


def _time(step: Step) -> float:
    begin = time.perf_counter()
    step()
    return time.perf_counter() - begin


def _make_repository(project: Path) -> None:
    """A project under git with everything committed and packed, as projects are."""
    for command in ["init --quiet", "add --all", "-c gc.auto=0 commit --quiet --message=all", "gc --quiet"]:
        subprocess.run(["git", *command.split()], cwd=project, check=True)


def _be_nobody_in_particular(base: Path) -> None:
    """No setting of the person who runs this plays a part."""
    os.environ.update(HOME=str(base), XDG_CONFIG_HOME=str(base / "config"), GIT_CONFIG_NOSYSTEM="1")
    for role in ("AUTHOR", "COMMITTER"):
        os.environ.update({f"GIT_{role}_NAME": "bench", f"GIT_{role}_EMAIL": "bench@example.org"})


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--files", type=int, default=10_000, help="how many files the tree has (default: 10000)")
    parser.add_argument("--rounds", type=int, default=15, help="how many turns of each kind (default: 15)")
    return parser.parse_args()


if __name__ == "__main__":
    main()
