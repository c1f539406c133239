"""purge on the command line: it shows, it asks, and it says what is left."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from support.cli import PROGRAM, Cli
from support.stores import noise, residue
from support.terminal import Terminal
from takeback.store.blobstore import open_local

SECRET = "password: " + noise(40, "secret").hex()


@pytest.fixture
def leaked(cli: Cli) -> list[str]:
    """Two snapshots with a secret and one with a copy of it."""
    cli.write("conf/.env", SECRET)
    ids = [cli.json("save")["id"]]
    cli.write("a.txt", "one\n")
    ids.append(cli.json("save")["id"])
    cli.write("notes/copy.txt", SECRET)
    ids.append(cli.json("save")["id"])
    return ids


def left(cli: Cli) -> list[str]:
    return [name for name, data in residue(cli.store) if SECRET.encode() in data]


def test_a_dry_run_names_every_snapshot_and_copy(cli: Cli, leaked: list[str]) -> None:
    planned = cli.json("purge", "conf/.env", "--dry-run")
    root = str(cli.root)
    assert planned == {
        "dry_run": True, "path": "conf/.env", "snapshots": leaked, "left": [], "dropped": [], "gone": False,
        "waiting": 0, "stands": [], "aside": None,
        "removed": [
            {"root": root, "path": "conf/.env", "snapshots": 3}, {"root": root, "path": "notes/copy.txt", "snapshots": 1},
        ],
    }  # fmt: skip
    assert left(cli)
    out = cli("purge", "conf/.env", "--dry-run").out
    assert "would be removed from 3 snapshots" in out and "notes/copy.txt" in out


def test_it_is_gone_and_who_still_has_it_is_told(cli: Cli, leaked: list[str]) -> None:
    done = cli.json("purge", "conf/.env", "--yes")
    assert done["gone"] is True
    assert done["stands"] == [str(cli.root / "conf/.env"), str(cli.root / "notes/copy.txt")]
    assert left(cli) == []
    assert cli.json("verify", "--read-data")["ok"]
    shown = cli("show", "@").out
    assert "conf/.env" in shown and "purged" in shown
    cli("save")
    out = cli("purge", "conf/.env", "--yes").out
    assert "none of it is left" in out and ".takebackignore" in out
    (cli.root / "conf/.env").unlink()
    (cli.root / "notes/copy.txt").unlink()
    cli("save")
    assert left(cli) == []
    cli.error("purge", "conf/.env", "--yes", code=10)


def test_nothing_is_purged_without_a_yes(cli: Cli, leaked: list[str]) -> None:
    error = cli.error("purge", "conf/.env", code=2)
    assert "--yes" in error["hints"][0] and "--dry-run" in error["hints"][0]
    assert left(cli)


def test_what_stays_elsewhere_makes_it_3(cli: Cli) -> None:
    cli.write("dist/env", SECRET)
    cli.write("env", SECRET)
    cli("save")
    out = cli("purge", "dist", "--yes", code=3).out
    assert "stay in:" in out and "--copies" in out and "but for what stays" in out
    cli.write("dist/more", "more bytes than sixteen")
    cli("save")
    assert cli.json("purge", "dist", "--yes", "--keep-copies")["left"]
    cli("save")
    assert cli.json("purge", "dist", "--yes", "--copies")["left"] == []
    assert left(cli) == []


def test_who_reads_meanwhile_makes_it_3_and_maintain_ends_it(cli: Cli, leaked: list[str]) -> None:
    cli("maintain")
    with open_local(cli.store) as store, store.reader():
        out = cli("purge", "conf/.env", "--yes", code=3).out
        assert "not yet gone: 1 pack may still be in use" in out and "takeback maintain" in out
        assert "not all gone yet" in cli("maintain").out
    assert cli.json("maintain")["purging"] is False
    assert left(cli) == []


def test_every_root_only_if_all_are_meant(cli: Cli, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / ".env").write_text("another secret, longer than sixteen bytes")
    cli.write(".env", SECRET)
    cli("save")
    cli("-C", str(other), "save")
    assert len(cli.json("purge", ".env", "--dry-run")["removed"]) == 1
    assert len(cli.json("purge", ".env", "--dry-run", "--all")["removed"]) == 2
    assert cli.json("purge", ".env", "--yes", "--all")["gone"]


@pytest.mark.parametrize("path", [".", "..", "/etc/passwd", ".gitignore"])
def test_what_cannot_be_purged_is_said(cli: Cli, leaked: list[str], path: str) -> None:
    cli.error("purge", path, "--yes", code=2)


def test_on_a_terminal_it_shows_and_asks(cli: Cli, leaked: list[str]) -> None:
    for answer, code in ((b"n\n", 130), (b"y\n", 0)):
        assert left(cli)
        terminal = Terminal([*PROGRAM, "purge", "conf/.env"], cli.root, {})
        terminal.wait_for(b"for good?")
        assert b"This cannot be taken back." in terminal.shown and b"notes/copy.txt" in terminal.shown
        terminal.type(answer)
        assert terminal.end() == code
    assert left(cli) == []


def test_what_a_repair_put_aside_may_hold_the_secret_too(cli: Cli) -> None:
    cli.write(".env", "TOKEN=abcdefghijklmnop\n")
    cli.write("takeback.toml", 'include = [".env"]\n')
    cli("save")
    (cli.store / "store.json").write_text("{}")
    aside = cli.json("store", "repair", "--apply")["aside"]
    out = cli("purge", ".env", "--yes", code=3).out
    assert "not yet gone" in out and os.path.dirname(aside) in out
