"""docs/reliability.md claims what docs/soak.json holds, and nothing else."""

from __future__ import annotations

import subprocess

from soak import page, records
from soak.catalogue import CAMPAIGNS
from soak.records import Record


def test_the_tables_are_what_the_records_say() -> None:
    text = page.FILE.read_text()
    assert text == page.filled(text, records.load()), "`python -m soak --page` writes the tables"


def test_every_campaign_is_in_a_table() -> None:
    assert sorted({each.section for each in CAMPAIGNS}) == sorted(page.sections(page.FILE.read_text()))


def test_records_are_of_campaigns_that_are_there_and_are_full() -> None:
    known = {each.name: each for each in CAMPAIGNS}
    for name, record in records.load().items():
        assert record.tests > 0, name
        if record.is_clean:
            assert record.runs >= known[name].runs, f"{name} has {record.runs} runs instead of {known[name].runs}"


def test_records_are_of_commits_that_hold_the_source_they_name() -> None:
    for name, record in records.load().items():
        found = git_output("rev-parse", "--verify", "--quiet", f"{record.commit}:{records.SOURCE}")
        assert found in ("", record.source), f"{name}: {record.commit} holds another source"


def git_output(*arguments: str) -> str:
    """What git says of the project's own repository; nothing where that is shallow or none."""
    done = subprocess.run(["git", *arguments], cwd=records.ROOT, capture_output=True, text=True)
    return done.stdout.strip()


def test_what_stands_beside_the_tables_tells_no_runs_of_campaigns() -> None:
    rest = page.without_tables(page.FILE.read_text())
    assert not [each.name for each in CAMPAIGNS if f"`{each.name}`" in rest]


def test_a_campaign_without_a_record_is_said_not_to_have_been_run() -> None:
    campaign = CAMPAIGNS[0]
    row = next(line for line in page.table(campaign.section, {}).splitlines() if f"`{campaign.name}`" in line)
    assert row.endswith("| | | not run yet |")
    record = Record("0123456789abcdef", "tree", "2026-01-02", "machine", 1, 3, 4567, 0, 9)
    row = next(
        line
        for line in page.table(campaign.section, {campaign.name: record}).splitlines()
        if f"`{campaign.name}`" in line
    )
    assert row.endswith("| 4,567 | 0 | 2026-01-02, 0123456789 |")
