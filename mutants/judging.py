"""Verdict on one mutant: killed by a test, or survived.

A mutant meets the first of its own tests, then the others, and the wider list only if all of these pass. A test kills a mutant if it fails with the
fault twice, the second time alone, and passes without it. So does a run that takes too long twice, if the same tests pass in that time without it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from mutants.catalogue import WIDER
from mutants.checkout import Checkout
from mutants.mutant import Mutant
from mutants.running import Run, run

_LEAST = 120.0
_TIMES = 5
"""A run may take so many times as long as it took without a fault, and `_LEAST` seconds in any case."""
_TRIES = 2
_WIDER = 900.0
"""Seconds that the wider list takes on a slow machine."""


class Verdict(NamedTuple):
    mutant: Mutant
    killed: bool
    by: str
    """The test that killed it, or why it counts as a survivor."""
    seconds: float


def judge(copy: Checkout, mutant: Mutant, clean: Mapping[str, float], *, wider: bool) -> Verdict:
    """Try a mutant; ``clean`` says how long each path of tests takes without a fault."""
    own = sum(clean[test] for test in mutant.tests)
    stages = [(mutant.tests[:1], own), (mutant.tests[1:], own), *([(WIDER, _WIDER)] if wider else [])]
    seconds = 0.0
    found = Verdict(mutant, False, "survived", seconds)
    for tests, usual in stages:
        if tests and not found.killed:
            found = _tried(copy, mutant, tests, max(_LEAST, _TIMES * usual))
            seconds += found.seconds
            if found.killed and tests == WIDER:
                found = found._replace(by=f"{found.by} (not by its own tests)")
    return found._replace(seconds=seconds)


def _tried(copy: Checkout, mutant: Mutant, tests: Sequence[str], limit: float) -> Verdict:
    seconds = 0.0
    why = ""
    for _ in range(_TRIES):
        with copy.mutated(mutant):
            found = run(copy, tests, limit)
        seconds += found.seconds
        if found.passed:
            return Verdict(mutant, False, "survived", seconds)
        culprit = [found.killer.removeprefix("tests/")] if found.killer and "::" in found.killer else tests
        if not _fails_again(copy, mutant, culprit, limit):
            why = f"undecided: {_killer(found, limit)} fails with the fault only now and then"
        elif run(copy, culprit, limit).passed:
            return Verdict(mutant, True, _killer(found, limit), seconds)
        else:
            why = f"undecided: {_killer(found, limit)} also fails without the fault"
    return Verdict(mutant, False, why, seconds)


def _fails_again(copy: Checkout, mutant: Mutant, tests: Sequence[str], limit: float) -> bool:
    """Whether a test fails with the fault whenever it runs, also alone: one that does not may fail without it, too."""
    with copy.mutated(mutant):
        return not run(copy, tests, limit).passed


def _killer(found: Run, limit: float) -> str:
    if found.timed_out:
        return f"time-out after {limit:.0f} s"
    return found.killer or "pytest itself"
