"""Filesystems of a test's own: small ones that are soon full, and ones that can only be read."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest


@contextlib.contextmanager
def mounted(place: Path, *arguments: str) -> Iterator[None]:
    place.mkdir(parents=True, exist_ok=True)
    if subprocess.run(["mount", *arguments, str(place)], capture_output=True).returncode:
        pytest.skip("this user cannot mount filesystems")
    try:
        yield
    finally:
        subprocess.run(["umount", str(place)], check=True)
