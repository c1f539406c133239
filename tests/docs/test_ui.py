"""docs/ui.md: every key and mark that the terminal face has, as its own help says it."""

from __future__ import annotations

from pathlib import Path

import pytest

from takeback.tui.diff import HELP as IN_A_DIFF
from takeback.tui.help import KEYS, MARKS, Keys
from takeback.tui.previewing import HELP as IN_A_PREVIEW
from takeback.tui.timeline import TimelineScreen

DOCUMENT = (Path(__file__).resolve().parents[2] / "docs" / "ui.md").read_text()
_NAMES = {
    "slash": "/",
    "question_mark": "?",
    "escape": "Esc",
    "tab": "Tab",
    "f5": "F5",
    "delete": "Del",
    "left": "←",
    "right": "→",
}


def test_the_page_lists_what_the_help_lists() -> None:
    for title, keys in KEYS.items():
        rows = DOCUMENT.partition(f"**{title}**\n\n| key | |\n|---|---|\n")[2].partition("\n\n")[0].splitlines()
        assert rows == [f"| `{key}` | {text} |" for key, text in keys]
    assert all(f"| `{mark}` | {text} |" in DOCUMENT for mark, _, text in MARKS)


@pytest.mark.parametrize(("title", "every"), [("In a diff", IN_A_DIFF), ("In a preview", IN_A_PREVIEW)])
def test_the_page_lists_the_keys_of_other_screens(title: str, every: Keys) -> None:
    rows = DOCUMENT.partition(f"**{title}**\n\n| key | |\n|---|---|\n")[2].partition("\n\n")[0].splitlines()
    assert rows == [f"| `{key}` | {text} |" for keys in every.values() for key, text in keys]


def test_every_key_of_the_timeline_is_in_the_help() -> None:
    listed = {key for keys in KEYS.values() for each, _ in keys for key in each.split()}
    listed |= {"?", "shift+tab"}  # what opens the help, and the other way round
    for binding in TimelineScreen.BINDINGS:
        for key in binding.key.split(","):  # type: ignore[union-attr]
            assert _NAMES.get(key, key) in listed, key
