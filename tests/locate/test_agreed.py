"""What a person agreed to is kept for each root, outside of it, and believed only if it is whole."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from takeback.errors import Unavailable
from takeback.locate import agreed
from takeback.locate.agreed import Agreed

EXAMPLE = Agreed(
    "/a/project",
    "attempt-1",
    {"container container=sandbox": {"name": "sandbox-attempt-1", "image": True}, "team team=alpha": {}},
    {"keep_last": 5},
)


def the_file(home: Path) -> Path:
    (file,) = (home / ".local/state/takeback/roots").iterdir()
    return file


def test_what_was_agreed_to_is_read_again_for_that_root_only(home: Path) -> None:
    assert agreed.read(EXAMPLE.root) is None
    agreed.write(EXAMPLE)
    assert agreed.read(EXAMPLE.root) == EXAMPLE
    assert agreed.read("/a/project/inner") is None
    agreed.write(EXAMPLE._replace(timeline=None))
    assert agreed.read(EXAMPLE.root) == EXAMPLE._replace(timeline=None)


def test_nobody_else_can_read_it_and_nothing_else_is_left(home: Path) -> None:
    agreed.write(EXAMPLE)
    file = the_file(home)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_what_is_forgotten_is_gone(home: Path) -> None:
    agreed.write(EXAMPLE)
    assert agreed.forget(EXAMPLE.root)
    assert agreed.read(EXAMPLE.root) is None
    assert not agreed.forget(EXAMPLE.root)


def test_a_root_may_have_any_name() -> None:
    strange = EXAMPLE._replace(root="/a/\udcff\n'x")
    agreed.write(strange)
    assert agreed.read(strange.root) == strange


@pytest.mark.parametrize(
    "change",
    [
        {"root": "/another"},
        {"timeline": 5},
        {"timeline": " "},
        {"sources": ["container container=sandbox"]},
        {"sources": {"container container=sandbox": "sandbox"}},
        {"policy": None},
    ],
)
def test_a_record_that_is_not_as_it_was_written_counts_as_none(home: Path, change: dict[str, object]) -> None:
    agreed.write(EXAMPLE)
    file = the_file(home)
    file.write_text(json.dumps({**json.loads(file.read_text()), **change}))
    assert agreed.read(EXAMPLE.root) is None


@pytest.mark.parametrize("text", ["", "{", "[]", "5", "[" * 100_000])
def test_a_torn_record_counts_as_none(home: Path, text: str) -> None:
    agreed.write(EXAMPLE)
    the_file(home).write_text(text)
    assert agreed.read(EXAMPLE.root) is None


def test_a_link_or_a_pipe_in_its_place_is_not_followed(home: Path, tmp_path: Path) -> None:
    agreed.write(EXAMPLE)
    file = the_file(home)
    file.rename(tmp_path / "elsewhere")
    file.symlink_to(tmp_path / "elsewhere")
    assert agreed.read(EXAMPLE.root) is None
    file.unlink()
    os.mkfifo(file)
    assert agreed.read(EXAMPLE.root) is None


def test_where_it_cannot_be_noted_the_error_says_so(home: Path) -> None:
    (home / ".local/state").mkdir(parents=True)
    (home / ".local/state/takeback").write_text("a file")
    with pytest.raises(Unavailable, match="cannot note in .* what was agreed to"):
        agreed.write(EXAMPLE)
