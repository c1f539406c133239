"""``python -m soak [--again] [--jobs N] [--seed N] [CAMPAIGN…]``: run every campaign that has no clean record for today's source, or the named ones.

Interrupt it at any time: the next call goes on with the tests that have not passed. A campaign that failed stays failed until the code
changes, or ``--again`` starts it over. ``--list`` lists the campaigns and their records, ``--page`` writes the tables of
docs/reliability.md from docs/soak.json and runs nothing.
"""

from __future__ import annotations

import argparse
import fnmatch
import signal
import sys

from soak import page, records
from soak.catalogue import CAMPAIGNS, Campaign
from soak.runner import Outcome, Runner


def main() -> int:
    options = argparse.ArgumentParser(prog="python -m soak")
    options.add_argument(
        "campaign", nargs="*", help="a name, or a pattern such as 'crash-*'; all that are not recorded by default"
    )
    options.add_argument(
        "--again", action="store_true", help="start over what has ended, also if it has a clean record"
    )
    options.add_argument("--jobs", type=int, default=2, help="campaigns at a time")
    options.add_argument("--seed", type=int, help="use this seed instead of a random one; implies --again")
    options.add_argument("--list", action="store_true", help="list the campaigns and their records")
    options.add_argument("--page", action="store_true", help="write the tables of docs/reliability.md")
    given = options.parse_args()
    known = records.load()
    if given.page:
        page.write(known)
        return 0
    chosen = _chosen(options, given.campaign)
    source = records.source()
    recorded = {name for name, record in known.items() if record.is_clean and record.source == source}
    if given.list:
        for each in chosen:
            print(f"{each.name:<28} {'recorded' if each.name in recorded else 'not recorded':<13} {each.what}")
        return 0
    if changes := records.uncommitted():
        print(
            f"cannot record campaigns: there are changes in no commit:\n{changes}\nCommit them first.", file=sys.stderr
        )
        return 2
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)  # a shell starts what it puts into the background without
    runner = Runner(jobs=max(1, given.jobs), say=lambda line: print(line, flush=True))
    again = given.again or given.seed is not None
    left = [each for each in chosen if again or each.name not in recorded or runner.progress(each).under_way]
    if not left:
        print("Every campaign has a clean record for this source; --again runs it once more.")
        return 0
    for progress in map(runner.progress, left):
        if again and progress.ended:
            progress.forget()

    def ended(outcome: Outcome) -> None:
        if records.code() != runner.code or records.uncommitted():
            print(f"{outcome.campaign.name} is not recorded: the code has changed since the start", file=sys.stderr)
        elif outcome.is_full or outcome.record.failures:
            page.write(records.add(outcome.campaign.name, outcome.record))

    try:
        outcomes = runner.run(left, known, ended, given.seed)
    except KeyboardInterrupt:
        print("Interrupted; the next `make soak` goes on from here.", file=sys.stderr)
        return 130
    bad = [each.campaign.name for each in outcomes if each.trouble or not each.is_full]
    print(
        f"{len(outcomes) - len(bad)} of {len(outcomes)} campaigns clean"
        + (f"; not clean: {', '.join(bad)}" if bad else "")
    )
    return 1 if bad else 0


def _chosen(options: argparse.ArgumentParser, names: list[str]) -> list[Campaign]:
    if not names:
        return list(CAMPAIGNS)
    found = [each for each in CAMPAIGNS if any(fnmatch.fnmatchcase(each.name, name) for name in names)]
    unknown = [name for name in names if not any(fnmatch.fnmatchcase(each.name, name) for each in CAMPAIGNS)]
    if unknown:
        options.error(f"no campaign {unknown[0]!r}; `python -m soak --list` lists them")
    return found


if __name__ == "__main__":
    sys.exit(main())
