"""``python -m mutants [--workers N] [--no-wider] [MUTANT…]``: plant each fault and show which test finds it.

Exits 1 if fewer than 38 of the 40 are killed, or one of those that were named survives. The tests that the mutants name have to pass without a fault first.
"""

from __future__ import annotations

import argparse
import queue
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack, contextmanager

from mutants.catalogue import MUTANTS, WANTED
from mutants.checkout import Checkout, checkout
from mutants.judging import Verdict, judge
from mutants.mutant import Mutant
from mutants.running import run, stop


def main() -> int:
    options = argparse.ArgumentParser(prog="python -m mutants")
    options.add_argument("--workers", type=int, default=2, help="mutants at a time")
    options.add_argument("--no-wider", action="store_true", help="try each mutant against its own tests only")
    options.add_argument("mutant", nargs="*")
    given = options.parse_args()
    known = {mutant.name: mutant for mutant in MUTANTS}
    unknown = [name for name in given.mutant if name not in known]
    if unknown:
        options.error(f"no mutant {unknown[0]!r}; there are: {', '.join(known)}")
    chosen = [known[name] for name in given.mutant] or list(MUTANTS)
    with ExitStack() as stack:
        copies: queue.SimpleQueue[Checkout] = queue.SimpleQueue()
        for _ in range(min(given.workers, len(chosen))):
            copies.put(stack.enter_context(checkout()))
        verdicts = _check(chosen, copies, given.workers, wider=not given.no_wider)
    _show(verdicts)
    killed = sum(verdict.killed for verdict in verdicts)
    wanted = len(chosen) if given.mutant else WANTED
    print(f"\n{killed} of {len(chosen)} mutants killed; {wanted} are wanted")
    return 0 if killed >= wanted else 1


def _check(
    chosen: Sequence[Mutant], copies: queue.SimpleQueue[Checkout], workers: int, *, wider: bool
) -> list[Verdict]:
    """The verdict on each mutant, in the order of the catalogue."""

    def measure(paths: Sequence[str]) -> dict[str, float]:
        with _taken(copies) as copy:
            copy.check()
            found = run(copy, paths)
        if not found.passed:
            raise SystemExit(f"{found.output}\nthese tests fail without a fault, so no mutant can be judged")
        print(f"{len(found.reports) // 3} tests in {found.seconds:.0f} s pass without a fault", flush=True)
        return {path: found.seconds_below(path) for path in paths}

    def verdict(mutant: Mutant) -> Verdict:
        with _taken(copies) as copy:
            return judge(copy, mutant, clean, wider=wider)

    paths = list(dict.fromkeys(path for mutant in chosen for path in mutant.tests))
    with ThreadPoolExecutor(workers) as pool:
        try:
            shares = (paths[number::workers] for number in range(workers))
            clean = {
                path: seconds for part in pool.map(measure, filter(None, shares)) for path, seconds in part.items()
            }
            verdicts: dict[str, Verdict] = {}
            for judged in as_completed([pool.submit(verdict, mutant) for mutant in chosen]):
                found = judged.result()
                verdicts[found.mutant.name] = found
                print(_line(found), flush=True)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            stop()
            raise
    return [verdicts[mutant.name] for mutant in chosen]


@contextmanager
def _taken(copies: queue.SimpleQueue[Checkout]) -> Iterator[Checkout]:
    copy = copies.get()
    try:
        yield copy
    finally:
        copies.put(copy)


def _show(verdicts: Sequence[Verdict]) -> None:
    print()
    for found in verdicts:
        print(_line(found))
    for found in verdicts:
        if not found.killed:
            print(f"\nsurvivor {found.mutant.name}, {found.mutant.path}: {found.mutant.harm}")


def _line(found: Verdict) -> str:
    word = "killed" if found.killed else "SURVIVED"
    return f"{word:<9} {found.seconds:6.1f} s  {found.mutant.name:<46} {found.by}"


if __name__ == "__main__":
    sys.exit(main())
