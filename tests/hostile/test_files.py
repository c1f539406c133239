"""A store whose directory holds what no store does: links that lead elsewhere, pipes that are waited for, giants."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from support.enemy import REFUSED, Enemy
from takeback.errors import Integrity
from takeback.store.blobstore import open_local

COMMANDS = [
    ("status",),
    ("show", "evil"),
    ("save",),
    ("restore", "evil", "--yes"),
    ("verify", "--read-data"),
    ("maintain",),
]


def packed(tmp_path: Path) -> Enemy:
    """An enemy's store, everything in packs."""
    enemy = Enemy(tmp_path)
    enemy.nothing_special()
    enemy.store.maintain()
    enemy.store.close()
    return enemy


def only_pack(enemy: Enemy) -> Path:
    (found,) = (path for path in (enemy.place / "packs").rglob("*") if path.is_file())
    return found


def a_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def a_link(path: Path) -> None:
    path.unlink()
    path.symlink_to("/etc/passwd")


def endless(path: Path) -> None:
    path.unlink()
    path.symlink_to("/dev/zero")


def a_directory(path: Path) -> None:
    path.unlink()
    path.mkdir()


def a_giant(path: Path) -> None:
    path.chmod(0o600)
    os.truncate(path, 1 << 40)


Change = Callable[[Path], None]


@pytest.mark.parametrize("change", [a_pipe, a_link, endless, a_directory])
@pytest.mark.parametrize("name", ["store.json", "catalogue.db"])
def test_what_is_no_file_is_neither_read_nor_waited_for(tmp_path: Path, name: str, change: Change) -> None:
    enemy = packed(tmp_path)
    for suffix in ("-wal", "-shm") if name == "catalogue.db" else ():
        (enemy.place / f"{name}{suffix}").unlink(missing_ok=True)
    change(enemy.place / name)
    for command, ended in enemy.trial(*COMMANDS).items():
        assert ended.code == REFUSED, (command, ended)


@pytest.mark.parametrize("change", [a_pipe, a_link, endless, a_directory, a_giant])
def test_a_pack_that_is_none_is_refused(tmp_path: Path, change: Change) -> None:
    enemy = packed(tmp_path)
    change(only_pack(enemy))
    found = enemy.trial(*COMMANDS)
    if change is not a_giant:
        assert found["show", "evil"].code == REFUSED
        assert found["restore", "evil", "--yes"].code == REFUSED
        assert found["maintain",].code == REFUSED
    assert found["verify", "--read-data"].code == REFUSED


def test_a_giant_header_is_refused(tmp_path: Path) -> None:
    enemy = packed(tmp_path)
    (enemy.place / "store.json").write_bytes(b" " * (1 << 20) + (enemy.place / "store.json").read_bytes())
    for ended in enemy.trial(*COMMANDS[:2]).values():
        assert ended.code == REFUSED


@pytest.mark.parametrize("name", ["packs", "tmp", "leases", "derived"])
def test_a_directory_of_the_store_that_leads_elsewhere_is_refused(tmp_path: Path, name: str) -> None:
    """Otherwise maintenance would remove what it finds there: `tmp` wholly, packs and leases by name."""
    enemy = packed(tmp_path)
    shutil.rmtree(enemy.place / name)
    (enemy.place / name).symlink_to(enemy.outside)
    (enemy.outside / "1").write_text("not a lease")
    for command, ended in enemy.trial(*COMMANDS).items():
        assert ended.code == REFUSED, (command, ended)


def test_maintenance_removes_no_pack_through_a_link(tmp_path: Path) -> None:
    """A pending row makes the next maintenance remove a pack's file; a link makes it another store's."""
    enemy = packed(tmp_path)
    pack = only_pack(enemy)
    shutil.copytree(pack.parent, enemy.outside / pack.parent.name)
    shutil.rmtree(pack.parent)
    pack.parent.symlink_to(enemy.outside / pack.parent.name)
    enemy.sql("UPDATE packs SET state = 'pending', generation = 0")
    enemy.trial(("maintain",), ("prune", "--keep-last", "1", "--yes"))


@pytest.mark.parametrize("what", [os.mkfifo, os.mkdir], ids=["pipe", "directory"])
@pytest.mark.parametrize("where", ["tmp", "leases", "derived"])
def test_strange_things_in_its_directories_stop_nobody(
    tmp_path: Path, where: str, what: Callable[[Path], None]
) -> None:
    enemy = packed(tmp_path)
    names = [str(number) for number in range(1, 20)] if where == "leases" else os.listdir(enemy.place / where) or ["x"]
    for name in names:
        (enemy.place / where / name).unlink(missing_ok=True)
        what(enemy.place / where / name)
    found = enemy.trial(*COMMANDS)
    assert found["show", "evil"].code == 0
    assert found["save",].code == 0


def test_a_link_in_the_place_of_a_derived_file_is_not_followed(tmp_path: Path) -> None:
    enemy = packed(tmp_path)
    (cache,) = (enemy.place / "derived").iterdir()
    cache.unlink()
    cache.symlink_to("/dev/zero")
    found = enemy.trial(("save",), ("diff", "evil"))
    assert {ended.code for ended in found.values()} == {0}


def test_a_store_that_is_made_again_goes_through_no_link(tmp_path: Path) -> None:
    place = tmp_path / "store"
    place.mkdir()
    (place / "store.json.new").write_text("{}")
    (tmp_path / "elsewhere").mkdir()
    (place / "packs").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Integrity):
        open_local(place)
