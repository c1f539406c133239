"""takeback store: repair, relocate, destroy."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.cli import Cli
from support.stores import noise, pack_files


@pytest.fixture
def saved(cli: Cli) -> str:
    """The id of a snapshot of a small and a large file."""
    cli.write("a.txt", "one\n")
    cli.write("big.bin", noise(2 << 20))
    return str(cli.json("save", "-m", "first")["id"])


def lose_catalogue(cli: Cli) -> None:
    for file in cli.store.glob("catalogue.db*"):
        file.unlink()


def test_alone_it_lists_what_there_is(cli: Cli) -> None:
    out = cli("store").out
    assert all(name in out for name in ("repair", "relocate", "destroy"))
    assert "repair" in cli.json("store")["help"]
    assert not cli.store.exists()


def test_a_sound_store_needs_no_repair(cli: Cli, saved: str) -> None:
    found = cli.json("store", "repair")
    assert (found["findings"], found["lost"], found["applied"], found["snapshots"]) == ([], [], False, 1)
    assert "nothing to repair" in cli("store", "repair", "--apply").out


def test_a_lost_catalogue_is_shown_then_repaired(cli: Cli, saved: str) -> None:
    cli("maintain")
    lose_catalogue(cli)
    assert "store repair" in cli.error("log", code=13)["hints"][0]
    found = cli.json("store", "repair", code=13)
    assert [each["what"] for each in found["findings"]] == ["catalogue.db"] and not found["applied"]
    assert not (cli.store / "catalogue.db").exists()
    assert "--apply" in cli("store", "repair", code=13).out
    assert cli.json("store", "repair", "--apply")["applied"]
    assert [each["id"] for each in cli.json("log")["snapshots"]] == [saved]
    cli.write("a.txt", "two\n")
    cli("restore", "first", "--yes")
    assert cli.read("a.txt") == "one\n"


def test_what_is_lost_is_named_and_exits_3(cli: Cli, saved: str) -> None:
    (pack,) = pack_files(cli.store)
    pack.chmod(0o600)
    data = bytearray(pack.read_bytes())
    data[len(data) // 3] ^= 1
    pack.write_bytes(data)
    (cli.root / "big.bin").unlink()
    assert cli.json("store", "repair", code=13)["lost"][0]["paths"] == ["big.bin"]
    out = cli("store", "repair", "--apply", code=3).out
    assert saved[:8] in out and "big.bin" in out and "aside" in out
    found = cli.json("store", "repair", code=3)
    assert not found["findings"] and [each["snapshot"] for each in found["lost"]] == [saved]
    error = cli.error("restore", "first", "--yes", code=13)
    assert "big.bin" in error["message"] and "PATH" in error["hints"][0]
    cli.write("a.txt", "two\n")
    cli("restore", "first", "a.txt", "--yes")
    assert cli.read("a.txt") == "one\n"


def test_repair_refuses_what_is_no_store(cli: Cli) -> None:
    assert cli.error("store", "repair", code=10)
    assert cli.error("store", "repair", "--store", ".", code=2)


def test_a_moved_project_is_found_again(cli: Cli, saved: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    new = tmp_path / "new" / "project"
    new.parent.mkdir()
    cli.root.rename(new)
    monkeypatch.chdir(new)
    hint = f"was it moved here? takeback store relocate {cli.root} {new}"
    assert cli.json("status")["hint"] == hint
    assert cli.error("show", "first", code=10)["hints"] == [hint]
    assert cli.json("store", "relocate", str(cli.root), ".")["moved"] == [
        {"timeline": "main", "from": str(cli.root), "to": str(new)}
    ]
    assert [each["id"] for each in cli.json("log")["snapshots"]] == [saved]
    assert cli.error("store", "relocate", str(cli.root), ".", code=10)["hints"]
    cli("store", "relocate", ".", str(tmp_path))
    assert "1 timeline moved" in cli("store", "relocate", str(tmp_path), ".").out


def test_a_store_is_destroyed_only_when_told(cli: Cli, saved: str) -> None:
    error = cli.error("store", "destroy", code=2)
    assert "--yes" in error["hints"][0]
    assert cli("store", "destroy", code=2).err
    assert cli.store.exists()
    (cli.store / "mine.txt").write_text("mine")
    found = cli.json("store", "destroy", "--yes")
    assert found["left"] == ["mine.txt"] and found["path"] == str(cli.store) and found["files"] > 3
    assert [path.name for path in cli.store.iterdir()] == ["mine.txt"]
    assert cli.read("a.txt") == "one\n", "no project is touched"
    assert cli.error("store", "destroy", "--yes", code=2)
