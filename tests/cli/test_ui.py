from __future__ import annotations

import pytest

from support.cli import Cli
from takeback import tui
from takeback.errors import Unavailable


def test_without_a_terminal_nothing_is_shown(cli: Cli) -> None:
    result = cli("ui", code=2)
    assert "there is no terminal" in result.err
    assert "takeback log" in result.err


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tui, "find_spec", lambda name: None)
    with pytest.raises(Unavailable, match="needs Textual") as told:
        tui.check_installed()
    assert told.value.hints == ("pip install 'takeback[ui]'",)
