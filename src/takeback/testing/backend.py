"""What `takeback.store.backend.Backend` promises, as tests."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from takeback.errors import Conflict, NotFound
from takeback.store.backend import Backend


class BackendSuite:
    """Subclass it and override the fixture ``backend`` with an empty backend of your kind."""

    @pytest.fixture
    def backend(self) -> Iterator[Backend]:
        raise NotImplementedError("override the fixture `backend`")

    def test_an_object_comes_back_as_it_was_put(self, backend: Backend) -> None:
        assert backend.put("packs/aa/aabb", [b"one", b"", b"two"]) == 6
        assert backend.get("packs/aa/aabb") == b"onetwo"
        assert backend.size("packs/aa/aabb") == 6

    def test_an_empty_object_is_an_object(self, backend: Backend) -> None:
        assert backend.put("packs/00/00", []) == 0
        assert backend.get("packs/00/00") == b""
        assert list(backend.list("packs/00/")) == ["packs/00/00"]

    def test_a_large_object_comes_back_whole(self, backend: Backend) -> None:
        parts = [os.urandom(1 << 20) for _ in range(12)]
        assert backend.put("packs/ff/large", iter(parts)) == 12 << 20
        assert backend.get("packs/ff/large") == b"".join(parts)
        assert backend.range("packs/ff/large", (5 << 20) - 7, 14) == parts[4][-7:] + parts[5][:7]

    def test_a_name_is_written_only_once(self, backend: Backend) -> None:
        backend.put("packs/aa/a", [b"first"])
        with pytest.raises(Conflict):
            backend.put("packs/aa/a", [b"second"])
        assert backend.get("packs/aa/a") == b"first"

    def test_of_many_who_put_the_same_name_one_succeeds(self, backend: Backend) -> None:
        def put(number: int) -> bytes | None:
            data = bytes([number]) * 10_000
            try:
                backend.put("packs/aa/a", [data])
            except Conflict:
                return None
            return data

        with ThreadPoolExecutor(8) as pool:
            stored = [data for data in pool.map(put, range(8)) if data is not None]
        assert stored == [backend.get("packs/aa/a")]

    def test_an_object_whose_chunks_fail_is_not_there_at_all(self, backend: Backend) -> None:
        def chunks() -> Iterator[bytes]:
            yield b"x" * 100_000
            raise RuntimeError("the source of the chunks failed")

        with pytest.raises(RuntimeError, match="the source of the chunks failed"):
            backend.put("packs/aa/a", chunks())
        with pytest.raises(NotFound):
            backend.get("packs/aa/a")
        assert list(backend.list("packs/")) == []
        backend.put("packs/aa/a", [b"now"])
        assert backend.get("packs/aa/a") == b"now"

    @pytest.mark.parametrize(
        ("offset", "length", "expected"),
        [
            (0, 4, b"0123"),
            (3, 4, b"3456"),
            (8, 10, b"89"),
            (10, 1, b""),
            (99, 1, b""),
            (-3, 2, b"78"),
            (-3, 99, b"789"),
            (-99, 3, b"012"),
            (4, 0, b""),
        ],
    )
    def test_a_range_ends_with_the_object(self, backend: Backend, offset: int, length: int, expected: bytes) -> None:
        backend.put("packs/aa/a", [b"0123456789"])
        assert backend.range("packs/aa/a", offset, length) == expected

    def test_what_is_not_there_is_not_found(self, backend: Backend) -> None:
        backend.put("packs/aa/a", [b"x"])
        for look in (backend.get, backend.size, lambda name: backend.range(name, 0, 1)):
            with pytest.raises(NotFound):
                look("packs/aa/b")

    def test_a_listing_has_the_names_with_the_prefix(self, backend: Backend) -> None:
        for name in ("packs/aa/a1", "packs/aa/a2", "packs/ab/b1"):
            backend.put(name, [b"x"])
        assert sorted(backend.list("packs/aa/")) == ["packs/aa/a1", "packs/aa/a2"]
        assert sorted(backend.list("packs/a")) == ["packs/aa/a1", "packs/aa/a2", "packs/ab/b1"]
        assert list(backend.list("packs/zz")) == []

    def test_a_deleted_object_is_gone_and_deleting_it_again_is_quiet(self, backend: Backend) -> None:
        backend.put("packs/aa/a", [b"x"])
        backend.delete("packs/aa/a")
        backend.delete("packs/aa/a")
        with pytest.raises(NotFound):
            backend.get("packs/aa/a")
        assert list(backend.list("packs/")) == []

    def test_threads_put_and_get_side_by_side(self, backend: Backend) -> None:
        def both(number: int) -> bool:
            name, data = f"packs/{number % 4:02d}/{number}", os.urandom(50_000)
            backend.put(name, [data])
            return backend.get(name) == data

        with ThreadPoolExecutor(8) as pool:
            assert all(pool.map(both, range(32)))
        assert len(list(backend.list("packs/"))) == 32
