"""The tables of docs/reliability.md: what each campaign tries, and what its record says."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from soak.catalogue import CAMPAIGNS, Campaign
from soak.records import ROOT, Record

FILE = ROOT / "docs" / "reliability.md"
_TABLE = re.compile(r"(<!-- soak: (?P<section>[a-z-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def filled(text: str, records: Mapping[str, Record]) -> str:
    """The page with each table as the records have it."""
    return _TABLE.sub(lambda match: f"{match[1]}{table(match['section'], records)}{match[3]}", text)


def sections(text: str) -> list[str]:
    """The sections that the page has tables for."""
    return [match["section"] for match in _TABLE.finditer(text)]


def without_tables(text: str) -> str:
    """The page's own words."""
    return _TABLE.sub("", text)


def write(records: Mapping[str, Record], file: Path = FILE) -> None:
    """Replace the file: a reader sees the old one or the new one."""
    spare = file.with_name(f".{file.name}")
    spare.write_text(filled(file.read_text(), records))
    spare.replace(file)


def table(section: str, records: Mapping[str, Record]) -> str:
    """One section's campaigns, a line each."""
    lines = ["| campaign | what it tries | runs | failures | recorded |", "|---|---|---|---|---|"]
    lines += [_line(each, records.get(each.name)) for each in CAMPAIGNS if each.section == section]
    return "\n".join(lines) + "\n"


def _line(campaign: Campaign, record: Record | None) -> str:
    start = f"| `{campaign.name}` | {campaign.what} |"
    if record is None:
        return f"{start} | | not run yet |"
    return f"{start} {record.runs:,} | {record.failures} | {record.date}, {record.commit[:10]} |"
