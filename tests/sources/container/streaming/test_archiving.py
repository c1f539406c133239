from __future__ import annotations

import io
import tarfile
from collections.abc import Iterator

import pytest
from blake3 import blake3
from hypothesis import given
from hypothesis import strategies as st

from takeback.errors import Integrity
from takeback.model.progress import Watch
from takeback.model.tree import name_text
from takeback.sources.container.found import Found
from takeback.sources.container.hashing import Hashing
from takeback.sources.container.streaming.archive import Archive
from takeback.sources.container.streaming.archiving import archive_of
from takeback.sources.container.streaming.collecting import Collected

BLOBS = {
    blake3(data).digest(): data
    for data in (b"", b"some\n", b"x" * 512, b"large" * 400_000, b"../target", b"\xff" * 150)
}
IDS = {data: id for id, data in BLOBS.items()}


def content(id: bytes) -> Iterator[bytes]:
    data = BLOBS[id]
    for at in range(0, len(data), 70_000):
        yield data[at : at + 70_000]


def file(path: str, data: bytes = b"some\n", **more: object) -> Found:
    return Found(path, "f", size=len(data), id=IDS[data], **{"mode": 0o644, **more})  # type: ignore[arg-type]


def link(path: str, target: bytes) -> Found:
    return Found(path, "l", 0o777, size=len(target), id=IDS[target])


TOP = Found("", "d", 0o755)


def read_back(found: list[Found], root: str = "place") -> list[Found]:
    collected = Collected("filesystem", Hashing(), Watch())
    collected.add(Archive(archive_of(found, content, root), root))
    return list(collected.linked())


def test_what_is_written_is_read_as_it_was() -> None:
    found = [
        TOP._replace(mode=0o1777, uid=5, gid=7, mtime=1_600_000_000),
        Found("b", "b", 0o660, device=(7, 300)),
        Found("c", "c", 0o600, 1, 2, 3, device=(1, 3)),
        Found("d", "d", 0o2750, xattrs={"user.a": b"b"}),
        file("d/capable", xattrs={"security.capability": bytes(range(20)), "user.any": b"=\n\0\xff"}),
        Found("d/" + "deep" * 60, "d", 0o755),
        file("d/" + "deep" * 60 + "/" + "n" * 255),
        file("empty", b"", mtime=-5),
        file("exactly a block", b"x" * 512, uid=3_000_000, gid=4_294_967_295),
        file("large", b"large" * 400_000, mode=0o4755, mtime=1 << 40),
        link("link", b"../target"),
        link("long link", b"\xff" * 150),
        Found("p", "p", 0o622),
        file(name_text(b"strange \xff\n -\xe4")),
        file("ümlaut"),
    ]
    assert read_back(found) == found


def test_names_of_one_file_are_written_once_and_known_again() -> None:
    found = [
        TOP,
        Found("a", "d", 0o755),
        file("a/z", b"large" * 400_000, link="a-b", mode=0o4711),
        file("a-b", b"large" * 400_000, link="a-b", mode=0o4711),
        file("other"),
    ]
    raw = b"".join(archive_of(found, content, "place"))
    assert len(raw) < 3_000_000
    assert read_back(found) == sorted(found, key=lambda each: each.path.split("/"))


def test_a_name_of_what_is_there_already_is_a_link_to_it() -> None:
    raw = b"".join(archive_of([file("new", link="first")], content, "place", ["first"]))
    with tarfile.open(fileobj=io.BytesIO(raw)) as read:
        (only,) = read.getmembers()
    assert (only.type, only.name, only.linkname) == (tarfile.LNKTYPE, "place/new", "place/first")


def test_hidden_things_are_written_as_an_overlay_keeps_them() -> None:
    raw = b"".join(archive_of([TOP, Found("d", "d", 0o755, opaque=True), Found("w", "w")], content, "p"))
    with tarfile.open(fileobj=io.BytesIO(raw)) as read:
        _, directory, gone = read.getmembers()
    assert directory.pax_headers == {"SCHILY.xattr.trusted.overlay.opaque": "y"}
    assert (gone.type, gone.devmajor, gone.devminor, gone.mode) == (tarfile.CHRTYPE, 0, 0, 0)


@pytest.mark.parametrize("size", [4, 6])
def test_content_that_is_not_as_long_as_it_should_be_is_an_error(size: int) -> None:
    with pytest.raises(Integrity, match="/f is not the"):
        list(archive_of([TOP, file("f")._replace(size=size)], content, "place"))


names = st.binary(min_size=1, max_size=40).filter(lambda raw: not {0, 47} & set(raw) and raw not in (b".", b".."))


@given(
    raw=st.lists(
        st.tuples(names, st.integers(0, 0o7777), st.integers(0, (1 << 32) - 1), st.integers(-(1 << 40), 1 << 40))
    ),
    values=st.dictionaries(st.from_regex(r"user\.[a-zé]{1,9}", fullmatch=True), st.binary(max_size=200), max_size=3),
)
def test_any_name_owner_time_and_attribute_survives(
    raw: list[tuple[bytes, int, int, int]], values: dict[str, bytes]
) -> None:
    entries = {name_text(name): (mode, owner, time) for name, mode, owner, time in raw}
    found = [TOP, *(file(name, mode=m, uid=o, gid=o, mtime=t, xattrs=values) for name, (m, o, t) in entries.items())]
    assert sorted(read_back(found)) == sorted(found)
