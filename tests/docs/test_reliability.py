"""docs/reliability.md claims what docs/soak.json holds, and nothing else."""

from __future__ import annotations

from soak import page, records
from soak.catalogue import CAMPAIGNS
from soak.records import Record


def test_the_tables_are_what_the_records_say() -> None:
    text = page.FILE.read_text()
    assert text == page.filled(text, records.load()), "`python -m soak --page` writes the tables"


def test_every_campaign_is_in_a_table() -> None:
    assert {each.section for each in CAMPAIGNS} == set(page.sections(page.FILE.read_text()))


def test_records_are_of_campaigns_that_are_there_and_are_full() -> None:
    known = {each.name: each for each in CAMPAIGNS}
    for name, record in records.load().items():
        assert record.runs >= known[name].runs, f"{name} has {record.runs} runs instead of {known[name].runs}"


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
