"""Run campaigns, each in a pytest process of its own, some at a time, longest first."""

from __future__ import annotations

import datetime
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path

from soak import recorder, records
from soak.catalogue import Campaign
from soak.progress import DIRECTORY, Progress
from soak.records import ROOT, Record
from support.campaigns import CAMPAIGN, SEED

PATIENCE = 8
"""A campaign that takes so many times as long as the catalogue says has hung."""
INTERRUPTED, NO_TESTS_LEFT = 2, 5
TICK = 30
"""Seconds between two lines that say how far the campaigns are."""


@dataclass(frozen=True)
class Outcome:
    """One campaign, run to its end or not."""

    campaign: Campaign
    record: Record
    trouble: Sequence[str]
    """What failed, test by test; or why it did not come to its end."""
    ended: bool

    @property
    def is_full(self) -> bool:
        return self.ended and self.record.runs >= self.campaign.runs


class Runner:
    """Runs campaigns two at a time and keeps what is known about each."""

    def __init__(self, state: Path = ROOT / DIRECTORY, *, jobs: int = 2, say: Callable[[str], None] = print) -> None:
        self.code, self._commit, self._source = records.code(), records.commit(), records.source()
        """The code that the campaigns are run with."""
        self._state, self._jobs, self._say = state / self._source, jobs, say
        self._processes: set[subprocess.Popen[bytes]] = set()
        self._guard = threading.Lock()
        self._stopped = False

    def progress(self, campaign: Campaign) -> Progress:
        return Progress(self._state / f"{campaign.name}.jsonl")

    def run(
        self,
        campaigns: Sequence[Campaign],
        known: Mapping[str, Record],
        ended: Callable[[Outcome], None],
        seed: int | None = None,
    ) -> list[Outcome]:
        """Run all of them; ``ended`` is called in this thread, for one at a time. Ctrl-C stops everything; another run goes on."""
        times = {each.name: float(expected(each, known)) for each in campaigns}
        waiting = sorted(campaigns, key=lambda each: -times[each.name])
        self._say(f"{len(waiting)} campaigns, {self._jobs} at a time: {_time(_span(times.values(), self._jobs))}")
        outcomes: list[Outcome] = []
        with ThreadPoolExecutor(self._jobs) as pool:
            going: dict[Future[Outcome], _Going] = {}

            def left() -> str:
                """The time that what has not ended will take."""
                rest = [each.left(times[each.campaign.name]) for each in going.values()]
                return f"{_time(_span([*rest, *(times[each.name] for each in waiting)], self._jobs))} left"

            try:
                while waiting or going:
                    while waiting and len(going) < self._jobs:
                        campaign = waiting.pop(0)
                        started = _Going(campaign, self.progress(campaign), time.monotonic())
                        going[pool.submit(self._one, campaign, seed)] = started
                    done, _ = wait(going, timeout=TICK, return_when=FIRST_COMPLETED)
                    for future in done:
                        del going[future]
                        outcomes.append(future.result())
                        self._tell(outcomes[-1], len(outcomes), len(campaigns), left())
                        ended(outcomes[-1])
                    if not done:
                        self._say(f"{'; '.join(map(str, going.values()))}; {left()}")
            except BaseException:
                self._stop()
                raise
        return outcomes

    def _one(self, campaign: Campaign, seed: int | None) -> Outcome:
        progress = self.progress(campaign)
        chosen = progress.begin(self.code, seed)
        log = self._state / f"{campaign.name}.log"
        command = [sys.executable, "-m", "pytest", "-p", "soak.recorder", "-p", "no:cacheprovider", "-q"]
        command += [f"--hypothesis-seed={chosen}", *campaign.tests]
        environment = {
            **{name: value for name, value in os.environ.items() if name != "PYTEST_ADDOPTS"},
            CAMPAIGN: campaign.name,
            SEED: str(chosen),
            recorder.VARIABLE: str(progress.file),
            "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests")]),
        }
        with log.open("wb") as output:
            code = self._wait(command, environment, output.fileno(), PATIENCE * campaign.seconds + 600)
        ended = code in (0, 1, NO_TESTS_LEFT) and progress.ended
        death = f"pytest ended with {code}:\n{log.read_text(errors='replace')[-3000:]}"
        if not ended and code not in (INTERRUPTED, recorder.BUSY) and not self._stopped:
            progress.blame(death)
        results, failed = progress.results(), progress.failed()
        trouble = [f"{result.test}\n{result.trouble}" for result in failed.values()]
        if not ended:
            trouble.append(death)
        record = Record(
            commit=self._commit,
            source=self._source,
            date=datetime.datetime.now(datetime.UTC).date().isoformat(),
            machine=records.machine(),
            seed=chosen,
            tests=len(results),
            runs=sum(result.runs for result in results.values()),
            failures=len(failed),
            seconds=round(sum(result.seconds for result in results.values())),
        )
        if ended and not failed:
            progress.forget()
        return Outcome(campaign, record, trouble, ended)

    def _wait(self, command: list[str], environment: dict[str, str], output: int, limit: float) -> int | None:
        """Its exit code; none if it hung."""
        with self._guard:
            if self._stopped:
                return None
            process = subprocess.Popen(
                command,
                cwd=ROOT,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                process_group=0,  # a Ctrl-C in the terminal reaches it once, through `_stop`
            )
            self._processes.add(process)
        try:
            return process.wait(limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return None
        finally:
            with self._guard:
                self._processes.discard(process)

    def _stop(self) -> None:
        with self._guard:
            self._stopped = True
            for process in self._processes:
                process.send_signal(signal.SIGINT)  # pytest then tears its fixtures down

    def _tell(self, outcome: Outcome, number: int, total: int, left: str) -> None:
        record, state = outcome.record, "clean"
        if outcome.trouble:
            state = f"{record.failures} FAILED" if outcome.ended else "DID NOT END"
        elif not outcome.is_full:
            state = f"INCOMPLETE: fewer than {outcome.campaign.runs:,} runs"
        self._say(
            f"[{number}/{total}] {outcome.campaign.name}: {record.runs:,} runs in {_time(record.seconds)}, {state}; {left}"
        )
        for trouble in outcome.trouble:
            self._say(trouble)


@dataclass(frozen=True)
class _Going:
    """A campaign that runs now."""

    campaign: Campaign
    progress: Progress
    since: float

    def left(self, expected: float) -> float:
        return max(0.0, expected - (time.monotonic() - self.since))

    def __str__(self) -> str:
        failed = len(self.progress.failed())
        return f"{self.campaign.name}: {len(self.progress.results())} of {len(self.progress.collected())} tests" + (
            f", {failed} FAILED" if failed else ""
        )


def expected(campaign: Campaign, known: Mapping[str, Record]) -> int:
    """The seconds that a campaign will take: what it took last, else what the catalogue says."""
    return known[campaign.name].seconds if campaign.name in known else campaign.seconds


def _span(seconds: Iterable[float], jobs: int) -> float:
    """How long these take, some at a time: no less than the longest."""
    times = list(seconds)
    return max([sum(times) / jobs, *times], default=0.0)


def _time(seconds: float) -> str:
    minutes = round(seconds / 60)
    if minutes < 1:
        return f"{seconds:.0f} s"
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02} min"
