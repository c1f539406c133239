"""What takeback says as JSON has a word for everything that can be listed."""

from __future__ import annotations

from takeback import shapes
from takeback.model.diff import HIDDEN
from takeback.model.tree import DIRECTORY, FILE, LINK, Entry


def test_every_kind_of_entry_has_a_name() -> None:
    """Also what a container's image has and the container has not."""
    found = [(kind, Entry(kind, 0o644, 0, b"")) for kind in (FILE, LINK, DIRECTORY, HIDDEN)]
    entries = shapes.entries("id", "", found)["entries"]
    assert [each["kind"] for each in entries] == ["file", "link", "directory", "hidden"]
