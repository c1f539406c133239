"""docs/soak.json: per campaign, what its last run to the end was."""

from __future__ import annotations

import fcntl
import json
import os
import platform
import subprocess
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "docs" / "soak.json"
SOURCE = "src/takeback"
CODE = (SOURCE, "tests", "soak", "pyproject.toml")
"""What the result of a test depends on."""


@dataclass(frozen=True)
class Record:
    """One campaign, run to its end."""

    commit: str
    source: str
    """The id of the tree src/takeback in that commit. A record counts for every commit with the same tree."""
    date: str
    machine: str
    seed: int
    tests: int
    runs: int
    failures: int
    seconds: int

    @property
    def is_clean(self) -> bool:
        return self.failures == 0


def load(file: Path = FILE) -> dict[str, Record]:
    """The record of each campaign, by name."""
    if not file.exists():
        return {}
    return {name: Record(**fields) for name, fields in json.loads(file.read_text())["campaigns"].items()}


def save(records: Mapping[str, Record], file: Path = FILE) -> None:
    """Replace the file: a reader sees the old one or the new one."""
    campaigns = {name: asdict(record) for name, record in sorted(records.items())}
    spare = file.with_name(f".{file.name}")
    spare.write_text(json.dumps({"campaigns": campaigns}, indent=1) + "\n")
    spare.replace(file)


def add(name: str, record: Record, file: Path = FILE) -> dict[str, Record]:
    """Add a record to those that are in the file now, which another process may have changed; all of them."""
    with file.with_name(f".{file.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        known = {**load(file), name: record}
        save(known, file)
    return known


def commit() -> str:
    return _git("rev-parse", "HEAD")


def source() -> str:
    """The id of the committed tree src/takeback."""
    return _git("rev-parse", f"HEAD:{SOURCE}")


def code() -> str:
    """The ids of all committed trees that the result of a test depends on."""
    return " ".join(_git("rev-parse", *(f"HEAD:{path}" for path in CODE)).split())


def uncommitted() -> str:
    """Changes of this code that are in no commit, as git lists them."""
    return _git("status", "--porcelain", "--", *CODE)


def machine() -> str:
    """What the campaigns ran on."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / (1 << 30)
    return (
        f"{os.cpu_count()} cores, {memory:.0f} GiB, {platform.system()} {platform.release().split('-')[0]}, "
        f"Python {platform.python_version()}"
    )


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()
