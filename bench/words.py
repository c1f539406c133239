"""What a turn through the hook costs, in a sentence of docs/agents.md that is made from a run.

python -m bench.words
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

HOOK = "a turn through the hook"
"""How the rows begin that are about it."""
ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "agents.md"
_PLACE = re.compile(r"(?<=`python -m bench.words` -->\n).*?(?=<!-- end of cost -->)", re.DOTALL)


def sentences(rows: Sequence[dict[str, Any]]) -> str:
    """The rows of a run in words, in lines that fit the page."""
    found = [row for row in rows if row["work"].startswith(f"{HOOK}, 2 files")]
    if not found:
        return "`make bench` times a turn through the hook beside git, as docker-agent and opencode run it.\n"
    files = found[0]["work"].rpartition(", ")[2]
    beside = ", ".join(f"{_seconds(row['peer_figure'])} as {row['peer'].removesuffix(' git')} runs it" for row in found)
    return (
        f"In the run of `make bench` that README shows, a turn that changed 2 of {files} took {_seconds(found[0]['takeback'])}\n"
        f"through the hook, its start and its end together. The same with git took {beside}.\n"
    )


def latest() -> list[dict[str, Any]]:
    """The rows of the run that README shows."""
    rows: list[dict[str, Any]] = json.loads((ROOT / "bench" / "results" / "latest.json").read_bytes())["rows"]
    return rows


def write() -> None:
    """Put it into the page."""
    page = PAGE.read_text()
    assert _PLACE.search(page), f"{PAGE} has no place for it"
    PAGE.write_text(_PLACE.sub(lambda match: sentences(latest()), page))


def _seconds(number: float) -> str:
    return f"{number:.2f} s"


if __name__ == "__main__":
    write()
