from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from support.privileges import as_ordinary_user
from support.processes import at_once, in_child
from support.stores import noise, nothing, problems, save
from takeback.errors import Integrity, InvalidInput, NotFound, TakebackError, Unavailable
from takeback.model.ids import BlobKind
from takeback.store.blobstore import BlobStore, open_local, open_memory


def modes(path: Path) -> dict[str, int]:
    return {
        str(item.relative_to(path)): stat.S_IMODE(item.lstat().st_mode)
        for item in path.rglob("*")
        if not item.is_symlink()
    }


def test_a_store_is_made_on_first_use_and_is_the_same_afterwards(tmp_path: Path) -> None:
    path = tmp_path / "a" / "new" / "store"
    with open_local(path) as store:
        (id,) = save(store, [b"data"])
        first = store.id
        assert store.path == path and not store.readonly
        status = path.stat()
        assert store.identity == (status.st_dev, status.st_ino)
    with open_local(str(path), create=False) as store:
        assert store.id == first
        with store.reader() as reader:
            assert reader.get(id) == b"data"


def test_only_the_owner_can_read_a_store(tmp_path: Path) -> None:
    os.umask(0)
    try:
        with open_local(tmp_path / "store") as store:
            save(store, [noise(1_000_000), b"hot"])
            store.derived.put("key", b"value")
            found = modes(tmp_path / "store")
    finally:
        os.umask(0o022)
    assert stat.S_IMODE((tmp_path / "store").stat().st_mode) == 0o700
    assert len(found) > 8
    assert {name: oct(mode) for name, mode in found.items() if mode & 0o077} == {}


def test_a_store_that_is_not_there_is_not_found_unless_it_may_be_made(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for name in ("none", "empty"):
        with pytest.raises(NotFound, match="there is no store at") as caught:
            open_local(tmp_path / name, create=False)
        assert caught.value.hints
        with pytest.raises(NotFound):
            open_local(tmp_path / name, readonly=True)
    assert not (tmp_path / "none").exists() and list((tmp_path / "empty").iterdir()) == []
    with open_local(tmp_path / "empty") as store:
        assert store.path == tmp_path / "empty"


def test_a_directory_with_other_things_in_it_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "thesis.txt").write_text("three years")
    for create in (True, False):
        with pytest.raises(InvalidInput, match="no takeback store") as caught:
            open_local(tmp_path / "home", create=create)
        assert caught.value.hints
    assert modes(tmp_path / "home") == {"thesis.txt": 0o644}
    assert stat.S_IMODE((tmp_path / "home").stat().st_mode) == 0o755


@pytest.mark.parametrize("below", ["", "/store", "/store/deeper"])
def test_a_file_is_refused(tmp_path: Path, below: str) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(InvalidInput, match="file"):
        open_local(f"{tmp_path}/file{below}")


def test_a_newer_store_is_refused_with_the_way_out(tmp_path: Path) -> None:
    _edit_header(tmp_path, format=99)
    with pytest.raises(Unavailable, match=r"newer takeback \(format 99") as caught:
        open_local(tmp_path / "store")
    assert any("upgrade" in hint for hint in caught.value.hints)


def test_a_newer_catalogue_is_refused(tmp_path: Path) -> None:
    with open_local(tmp_path / "store") as store, store.database.write() as tx:
        tx.execute("PRAGMA user_version = 99")
    with pytest.raises(Unavailable, match=r"newer takeback \(format 99"):
        open_local(tmp_path / "store")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '"x"',
        "{}",
        '{"format": "1"}',
        '{"format": true}',
        '{"format": 1}',
        "\0" * 50,
        "[" * 60000,
    ],
)
def test_a_damaged_header_is_said(tmp_path: Path, text: str) -> None:
    open_local(tmp_path / "store").close()
    (tmp_path / "store" / "store.json").write_text(text)
    with pytest.raises(Integrity, match=r"store\.json is damaged") as caught:
        open_local(tmp_path / "store")
    assert caught.value.hints


@pytest.mark.parametrize("change", [{"id": "../x"}, {"id": 5}, {"chunker_seed": -1}, {"chunker_seed": "0"}])
def test_a_header_with_a_wrong_field_is_said(tmp_path: Path, change: dict[str, object]) -> None:
    _edit_header(tmp_path, **change)
    with pytest.raises(Integrity, match=r"store\.json is damaged"):
        open_local(tmp_path / "store")


def test_an_encrypted_store_is_not_opened_as_if_it_were_not(tmp_path: Path) -> None:
    _edit_header(tmp_path, key={"wrapped": "…"})
    with pytest.raises(Unavailable, match="encrypted"):
        open_local(tmp_path / "store")


def test_a_store_whose_header_is_gone_is_not_made_anew_over_its_packs(tmp_path: Path) -> None:
    with open_local(tmp_path / "store") as store:
        save(store, [noise(1_000_000)])
    before = modes(tmp_path / "store")
    (tmp_path / "store" / "store.json").unlink()
    with pytest.raises(Unavailable, match=r"store\.json is gone"):
        open_local(tmp_path / "store")
    del before["store.json"]
    assert modes(tmp_path / "store") == before


def test_a_store_whose_catalogue_is_gone_is_said(tmp_path: Path) -> None:
    with open_local(tmp_path / "store") as store:
        save(store, [b"data"])
    for name in ("catalogue.db", "catalogue.db-wal", "catalogue.db-shm"):
        (tmp_path / "store" / name).unlink(missing_ok=True)
    with pytest.raises(Integrity, match="lost its catalogue") as caught:
        open_local(tmp_path / "store")
    assert "takeback store repair" in caught.value.hints[0]
    assert not (tmp_path / "store" / "catalogue.db").exists()


@pytest.mark.parametrize("content", [b"", b"this is no database at all" * 500])
def test_a_catalogue_that_is_none_is_said(tmp_path: Path, content: bytes) -> None:
    with open_local(tmp_path / "store") as store:
        save(store, [b"data"])
    for name in ("catalogue.db-wal", "catalogue.db-shm"):
        (tmp_path / "store" / name).unlink(missing_ok=True)
    (tmp_path / "store" / "catalogue.db").write_bytes(content)
    with pytest.raises(Integrity):
        open_local(tmp_path / "store")


def test_eight_processes_may_make_the_same_store_at_once(tmp_path: Path) -> None:
    def make(number: int) -> tuple[str, bytes]:
        with open_local(tmp_path / "store") as store:
            return store.id, save(store, [b"%d" % number])[0]

    made = at_once([lambda number=number: make(number) for number in range(8)])  # type: ignore[misc]
    assert len({id for id, _ in made}) == 1
    with open_local(tmp_path / "store", create=False) as store, store.reader() as reader:
        assert [reader.get(blob) for _, blob in made] == [b"%d" % number for number in range(8)]


def test_a_store_opened_for_reading_refuses_to_be_written(tmp_path: Path) -> None:
    with open_local(tmp_path / "store") as store:
        (id,) = save(store, [b"data"])
        store.derived.put("key", b"value")
    with open_local(tmp_path / "store", readonly=True) as store:
        _check_readonly(store, id)
        store.derived.put("key", b"other")
        assert store.derived.get("key") == b"value"
        assert problems(store) == []


@pytest.mark.parametrize("wal", [True, False], ids=["with a WAL", "without a WAL"])
def test_a_store_that_may_not_be_written_can_be_read(tmp_path: Path, wal: bool) -> None:
    with open_local(tmp_path / "store") as store:
        ids = save(store, [b"data", noise(1_000_000)])
        if not wal:
            store.database._connection().execute("PRAGMA wal_checkpoint(TRUNCATE)")  # type: ignore[attr-defined]
    if not wal:
        for name in ("catalogue.db-wal", "catalogue.db-shm"):
            (tmp_path / "store" / name).unlink()
    else:
        assert (tmp_path / "store" / "catalogue.db-wal").stat().st_size > 0
    for item in [*(tmp_path / "store").rglob("*"), tmp_path / "store"]:
        item.chmod(0o555 if item.is_dir() else 0o444)

    def read() -> list[bytes]:
        with open_local(tmp_path / "store") as store:
            _check_readonly(store, ids[0])
            with store.reader() as reader:
                return [reader.get(id) for id in ids]

    assert as_ordinary_user(read) == [b"data", noise(1_000_000)]


def test_a_store_that_may_not_be_read_says_so(tmp_path: Path) -> None:
    open_local(tmp_path / "store").close()
    (tmp_path / "store").chmod(0)
    with pytest.raises(Unavailable, match="cannot be read") as caught:
        as_ordinary_user(lambda: open_local(tmp_path / "store"))
    assert caught.value.hints


def test_a_store_where_none_may_be_made_says_so(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(Unavailable, match=r"making a store at .* failed") as caught:
        as_ordinary_user(lambda: open_local(tmp_path / "store"))
    assert caught.value.hints


def test_a_store_in_memory_is_its_own(tmp_path: Path) -> None:
    with open_memory() as first, open_memory() as second:
        save(first, [b"data"])
        assert first.id != second.id and first.path is None and first.identity is None
        with second.reader() as reader, pytest.raises(Integrity):
            reader.get(first.blob_id(b"data"))


def test_a_closed_store_says_that_it_is_closed(tmp_path: Path) -> None:
    for store in (open_local(tmp_path / "store"), open_memory()):
        store.close()
        with pytest.raises(InvalidInput, match="closed"):
            store.reader()
        with pytest.raises(InvalidInput, match="closed"):
            store.writer()


def test_a_path_may_hold_any_characters(tmp_path: Path) -> None:
    odd = tmp_path / "a?b#c%20 d'é"
    with open_local(odd) as store:
        (id,) = save(store, [b"data"])
    with open_local(odd, readonly=True) as store, store.reader() as reader:
        assert reader.get(id) == b"data"


def test_importing_the_store_is_light() -> None:
    code = "import sys, takeback.store.blobstore; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout.split()
    heavy = {"click", "rich", "asyncio", "tempfile", "secrets", "hmac", "logging", "zstandard", "pyfastcdc", "json"}
    assert heavy & set(loaded) == set()


def test_every_error_of_opening_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for path in (tmp_path / "file", tmp_path):
        with pytest.raises(TakebackError) as caught:
            open_local(path)
        assert caught.value.hints and not re.search(r"Errno|Traceback", str(caught.value))


def _check_readonly(store: BlobStore, id: bytes) -> None:
    assert store.readonly
    with store.reader() as reader:
        assert reader.get(id) == b"data"
    with pytest.raises(Unavailable, match="read-only") as caught:
        store.writer()
    assert caught.value.hints
    with pytest.raises(Unavailable, match="read-only"):
        store.database.write()


def _edit_header(tmp_path: Path, **change: object) -> None:
    open_local(tmp_path / "store").close()
    file = tmp_path / "store" / "store.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | change))


def test_a_writer_used_after_a_fork_belongs_to_the_parent(tmp_path: Path) -> None:
    with open_local(tmp_path / "store") as store, store.writer() as writer:
        id = writer.put(noise(3_000_000), BlobKind.DATA)
        assert in_child(writer.close) == (0, None)
        writer.commit(nothing)
        with store.reader() as reader:
            assert reader.get(id) == noise(3_000_000)
