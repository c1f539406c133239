"""What a snapshot holds: itself, its files, their bytes, and the values of its parts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any
from urllib.parse import quote

from takeback import shapes
from takeback.errors import NotFound
from takeback.model.diff import HIDDEN
from takeback.model.tree import DIRECTORY, FILE, LINK, name_bytes
from takeback.shapes import Shape
from takeback.web import present
from takeback.web.answers import SANDBOX
from takeback.web.asked import Asked
from takeback.web.bounds import MOST, bounded
from takeback.web.shared import Shared
from takeback.web.streams import Stream

_KINDS = {FILE: "file", DIRECTORY: "directory", LINK: "link", HIDDEN: "hidden"}
_LINE = 2000
_COUNTED = 100_000

_BEGINNINGS = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"BM", "image/bmp"),
)


def snapshot(shared: Shared, asked: Asked) -> Shape:
    """A snapshot, and what it changed."""
    lane, line = shared.lane(asked), shared.line(asked)
    found = line.show(asked.path_text("ref"))
    forks = [(each.number, each.name) for each in shared.desk.lanes() if each.fork_of == found.id]
    more = {"lane": lane, "time_ns": str(found.time_ns), "forks": forks}
    return bounded({**shapes.shown(found, line.step(found)), **more})


def files(shared: Shared, asked: Asked) -> Shape:
    """What is in a directory of a snapshot: only itself, not what is further down."""
    line, part, path = shared.line(asked), asked.text("part", "workspace"), asked.text("path").strip("/")
    found = line.show(asked.text("ref", "@"))
    entries = []
    for name, entry in line.files(found, path, part):
        inner = name[len(path) :].lstrip("/") if path else name
        if inner and "/" not in inner:
            kind = _KINDS.get(entry.kind, "other")
            entries.append({"path": name, "name": inner, "kind": kind, "mode": entry.mode, "size": entry.size})
    entries.sort(key=lambda each: (each["kind"] != "directory", each["name"]))
    return bounded({"id": found.id, "part": part, "path": path, "entries": entries})


def raw(shared: Shared, asked: Asked) -> Any:
    """A file's bytes. Only pictures are shown; a browser saves all else, and whatever it is, it can do nothing."""
    part, path = asked.text("part", "workspace"), asked.must("path")
    if asked.has("ref"):
        line = shared.line(asked)
        pieces = line.stream(line.show(asked.text("ref")), path, part)
    else:
        pieces = present.stream(shared.desk, shared.lane(asked), part, path)
    first = next(pieces, b"")
    kind = picture(first)
    name = quote(name_bytes(path.rpartition("/")[2]))
    headers = {
        "content-type": kind or "application/octet-stream",
        "content-disposition": f"{'inline' if kind else 'attachment'}; filename*=UTF-8''{name}",
        "content-security-policy": SANDBOX,
    }
    return Stream(shared, _chained(first, pieces), headers)


def picture(beginning: bytes) -> str | None:
    """The kind of a picture, by how its bytes begin: its name says nothing of what a browser would make of it."""
    if beginning[:4] == b"RIFF" and beginning[8:12] == b"WEBP":
        return "image/webp"
    if beginning[4:12] in (b"ftypavif", b"ftypavis"):
        return "image/avif"
    return next((kind for start, kind in _BEGINNINGS if beginning.startswith(start)), None)


def value(shared: Shared, asked: Asked) -> Shape:
    """A value, such as a memory, as an outline."""
    from takeback.documents import showing

    line, part = shared.line(asked), asked.must("part")
    found = line.show(asked.text("ref", "@"))
    if part not in found.parts:
        raise NotFound(f"this snapshot has no part {part!r}", hints=[f"it has: {', '.join(found.parts)}"])
    lines = showing.lines(line.value(found, part, unknown="record"))
    shown = [text if len(text) <= _LINE else f"{text[:_LINE]}…" for text in islice(lines, MOST)]
    left = sum(1 for _ in islice(lines, _COUNTED))
    return {"id": found.id, "part": part, "lines": shown, "left_out": {"lines": left} if left else {}}


def _chained(first: bytes, pieces: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from pieces


ROUTES = (
    ("GET", "/api/snapshots/{ref:path}", snapshot),
    ("GET", "/api/files", files),
    ("GET", "/api/raw", raw),
    ("GET", "/api/value", value),
)
