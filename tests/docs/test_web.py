"""docs/web.md: all of the API, and what it answers, as the code has it."""

from __future__ import annotations

import re
from pathlib import Path

from takeback.web.answers import OTHERWISE, STATUSES
from takeback.web.api import ROUTES
from takeback.web.bounds import MOST
from takeback.web.serving import PORT

DOCUMENT = (Path(__file__).resolve().parents[2] / "docs" / "web.md").read_text()


def test_every_route_is_documented_and_no_other() -> None:
    told = re.findall(r"^\| `(GET|POST)` \| `([^`]+)` \|", DOCUMENT, re.MULTILINE)
    assert sorted(told) == sorted((method, path.replace(":path", "")) for method, path, _ in ROUTES)


def test_every_status_is_documented() -> None:
    for kind, status in STATUSES.items():
        assert re.search(rf"^\| {status} \| {kind.__name__}\b", DOCUMENT, re.MULTILINE)
    assert f"| {OTHERWISE} | any other" in DOCUMENT


def test_the_numbers_are_those_of_the_code() -> None:
    assert f"{MOST:,} entries" in DOCUMENT
    assert f"without it {PORT}," in DOCUMENT
    assert f"-L {PORT}:127.0.0.1:{PORT}" in DOCUMENT
