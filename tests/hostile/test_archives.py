"""Archives that no honest engine sends: nothing of them gets further than the reader, which says what is wrong."""

from __future__ import annotations

import io
import tarfile
import tracemalloc
from collections.abc import Callable, Iterator

import pytest

from takeback.errors import Integrity
from takeback.sources.container.streaming.archive import Archive, Truncated

Make = Callable[[tarfile.TarFile], None]


def entry(name: str, kind: bytes = tarfile.REGTYPE, target: str = "", **pax: str) -> tarfile.TarInfo:
    made = tarfile.TarInfo(name)
    made.type, made.linkname, made.pax_headers = kind, target, pax
    return made


def archive(*entries: tarfile.TarInfo | tuple[tarfile.TarInfo, bytes]) -> bytes:
    """An archive of a directory ``top`` with these entries in it."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as out:
        out.addfile(entry("top", tarfile.DIRTYPE))
        for each in entries:
            made, data = each if isinstance(each, tuple) else (each, b"")
            made.size = len(data) or made.size
            out.addfile(made, io.BytesIO(data))
    return stream.getvalue()


def read(raw: bytes, piece: int = 4096) -> dict[str, bytes]:
    pieces = (raw[at : at + piece] for at in range(0, len(raw), piece))
    reader = Archive(pieces, "top")
    return {each.path: reader.read(1 << 20) for each in reader}


def raw_header(**fields: bytes) -> bytes:
    """A header with fields as given, and a checksum that is right."""
    places = {"name": (0, 100), "mode": (100, 8), "uid": (108, 8), "size": (124, 12), "mtime": (136, 12)}
    places |= {"type": (156, 1), "target": (157, 100), "magic": (257, 8), "prefix": (345, 155)}
    block = bytearray(512)
    for name, value in {"type": b"0", "magic": b"ustar\x0000", **fields}.items():
        start, length = places[name]
        block[start : start + length] = value.ljust(length, b"\0")[:length]
    block[148:156] = b"%06o\0 " % (sum(block) + 8 * 32)
    return bytes(block)


TOP = raw_header(name=b"top/", type=b"5")
END = bytes(1024)


def extended(*records: bytes) -> bytes:
    data = b"".join(records)
    return raw_header(name=b"x", type=b"x", size=b"%o" % len(data)) + data + bytes(-len(data) % 512)


FILE = entry("top/file")
DIRECTORY = entry("top/inner", tarfile.DIRTYPE)
OUTSIDE = {
    "dots": archive(entry("top/../outside")),
    "dots inside": archive(DIRECTORY, entry("top/inner/../../x")),
    "absolute": archive(entry("/etc/passwd")),
    "another root": archive(entry("other/file")),
    "the root's beginning": archive(entry("topmost")),
    "a dot": archive(entry("top/./file")),
    "two slashes": archive(entry("top//file")),
    "a file with a slash": archive(entry("top/file/")),
    "NUL": TOP + extended(b"19 path=top/a\0bcdef\n") + raw_header(name=b"x") + END,
    "a name too long": archive(entry("top/" + "n" * 256)),
    "a path too long": archive(entry("top/" + "n/" * 2100 + "n")),
    "nothing": TOP + raw_header() + END,
    "no top": raw_header(name=b"top/file") + END,
    "a file as the root twice": archive(entry("top")),
}
IMPOSSIBLE = {
    "twice": archive(FILE, FILE),
    "below a file": archive(FILE, entry("top/file/x")),
    "below a link": archive(entry("top/link", tarfile.SYMTYPE, "/etc"), entry("top/link/passwd")),
    "below nothing": archive(entry("top/missing/x")),
    "a directory over a link": archive(entry("top/l", tarfile.SYMTYPE, "/"), entry("top/l", tarfile.DIRTYPE)),
    "a link without a target": TOP + raw_header(name=b"top/l", type=b"2") + END,
    "an endless target": archive(entry("top/l", tarfile.SYMTYPE, "x" * 5000)),
    "the same as what is outside": archive(entry("top/h", tarfile.LNKTYPE, "/etc/passwd")),
    "the same as what is above": archive(entry("top/h", tarfile.LNKTYPE, "top/../../x")),
    "the same as what comes later": archive(entry("top/h", tarfile.LNKTYPE, "top/file"), FILE),
    "the same as itself": archive(entry("top/h", tarfile.LNKTYPE, "top/h")),
    "the same as a directory": archive(DIRECTORY, entry("top/h", tarfile.LNKTYPE, "top/inner")),
    "sparse": TOP + extended(b"22 GNU.sparse.major=1\n") + raw_header(name=b"top/s") + END,
    "old sparse": TOP + raw_header(name=b"top/s", type=b"S", size=b"1000") + END,
    "an unknown kind": TOP + raw_header(name=b"top/s", type=b"Z") + END,
    "a directory with content": TOP + raw_header(name=b"top/d/", type=b"5", size=b"1000") + bytes(512) + END,
    "an owner": archive(entry("top/a", uid="4294967296")),
    "a negative owner": archive(entry("top/a", gid="-1")),
    "a time": archive(entry("top/a", mtime="soon")),
    "a time past all times": archive(entry("top/a", mtime="9" * 19)),
    "a negative size": TOP + extended(b"11 size=-1\n") + raw_header(name=b"top/a") + END,
    "a size of GNU's": TOP + raw_header(name=b"top/a", size=b"\xff" * 12) + END,
    "no octal": TOP + raw_header(name=b"top/a", size=b"0o17") + END,
    "records without length": TOP + extended(b"path=top/a\n") + raw_header(name=b"x") + END,
    "records cut off": TOP + extended(b"999 path=top/a\n") + raw_header(name=b"x") + END,
    "records of no length": TOP + extended(b"0 path=top/a\n") + raw_header(name=b"x") + END,
    "xattrs without a name": TOP + extended(b"17 SCHILY.xattr.=a\n") + raw_header(name=b"top/a") + END,
    "a wrong checksum": TOP[:10] + b"x" + TOP[11:] + END,
    "other bytes": b"\x1f\x8b" + bytes(range(256)) * 8,
    "no entry at all": END,
    "something behind": TOP + END + b"more",
    "much behind": TOP + END + bytes(2 << 20),
}


@pytest.mark.parametrize("raw", [*OUTSIDE.values(), *IMPOSSIBLE.values()], ids=[*OUTSIDE, *IMPOSSIBLE])
@pytest.mark.parametrize("piece", [1 << 20, 100])
def test_an_archive_that_cannot_be_is_refused(raw: bytes, piece: int) -> None:
    with pytest.raises(Integrity) as caught:
        read(raw, piece)
    assert not isinstance(caught.value, Truncated)


@pytest.mark.parametrize("piece", [1 << 20, 100])
def test_an_archive_that_ends_anywhere_is_known_to_be_cut(piece: int) -> None:
    raw = archive((FILE, b"x" * 700), DIRECTORY, entry("top/inner/" + "long" * 60))
    whole = read(raw, piece)
    assert whole == {"": b"", "file": b"x" * 700, "inner": b"", "inner/" + "long" * 60: b""}
    ends = raw.rindex(b"long") // 512 * 512 + 512
    for cut in [*range(0, ends, 97), *range(512, ends, 512)]:
        with pytest.raises(Truncated):
            read(raw[:cut], piece)


def test_a_header_that_claims_gigabytes_gets_no_memory() -> None:
    claims = [raw_header(name=b"x", type=kind, size=b"77777777777") for kind in (b"x", b"g", b"L", b"K")] + [
        raw_header(name=b"top/a", size=b"77777777777")
    ]
    for claim in claims:
        tracemalloc.start()
        with pytest.raises(Integrity):
            read(TOP + claim + bytes(4096))
        assert tracemalloc.get_traced_memory()[1] < 4 << 20
        tracemalloc.stop()


def test_a_file_that_claims_more_than_comes_is_cut_off() -> None:
    with pytest.raises(Truncated):
        read(TOP + raw_header(name=b"top/a", size=b"2000") + bytes(512))


def test_content_that_nobody_reads_is_passed_over() -> None:
    raw = archive((entry("top/a"), b"a" * 5000), (entry("top/b"), b"b"))
    reader = Archive(iter([raw]), "top")
    assert [each.path for each in reader] == ["", "a", "b"]


def test_an_endless_archive_is_given_up_where_it_goes_wrong() -> None:
    def endless() -> Iterator[bytes]:
        yield TOP
        while True:
            yield raw_header(name=b"top/again")

    with pytest.raises(Integrity, match="twice"):
        list(Archive(endless(), "top"))


def test_links_may_say_anything_since_nobody_follows_them() -> None:
    raw = archive(entry("top/l", tarfile.SYMTYPE, "../../../etc/passwd"), entry("top/m", tarfile.SYMTYPE, "/etc"))
    assert [each.target for each in Archive(iter([raw]), "top")] == [b"", b"../../../etc/passwd", b"/etc"]


def test_long_names_of_gnu_s_are_read() -> None:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.GNU_FORMAT) as out:
        out.addfile(entry("top", tarfile.DIRTYPE))
        out.addfile(entry("top/" + "n" * 200))
        out.addfile(entry("top/link", tarfile.SYMTYPE, "t" * 300))
    found = list(Archive(iter([stream.getvalue()]), "top"))
    assert [(each.path, each.target) for each in found] == [("", b""), ("n" * 200, b""), ("link", b"t" * 300)]
