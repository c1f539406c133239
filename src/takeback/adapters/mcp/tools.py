"""What the tools do: each is a verb of the timeline, with an answer in the shape of the command's ``--json``, cut to what
a model can read (`takeback.adapters.mcp.bounds`).

The root is the one that the server was started in, for as long as it runs. A client may offer roots of its own; they are
not asked for, because they can change at any time and name any directory, and who may restore what is for the person to
say who configured the server. Paths are relative to the root, as answers name them, and never lead outside of it. Each
call opens the store by itself, so calls may come in threads and at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, Literal

from takeback import locate, shapes
from takeback.adapters.mcp.bounds import TEXT_BYTES, bounded, text_of
from takeback.engine.inside import inside
from takeback.engine.pages import page
from takeback.errors import InvalidInput, NotFound

if TYPE_CHECKING:
    from takeback.engine.timeline import Timeline
    from takeback.model.diff import Change, Diff
    from takeback.model.snapshot import Snapshot

BY_MCP = {"by": "mcp"}
"""The context of snapshots that a model asked for."""

_MOST_SNAPSHOTS = 100
_LARGEST = 200_000
"""Larger files are compared as wholes only: line by line takes too long while somebody waits."""

Answer = dict[str, Any]
Reference = Annotated[str, "a snapshot: @ (the latest), @-3, an id or the beginning of one, a label, '10m ago', root"]
Paths = Annotated[list[str] | None, "only these files or directories, relative to the root"]
Move = Annotated[str | None, "a move's id, or the beginning of one, as `log` lists them; the newest if not given"]
Session = Annotated[str | None, "only the moves of this session"]
Since = Annotated[str | None, "take back every agent's move after this snapshot instead"]
Shared = Annotated[bool, "also what several sessions may have changed"]


class Tools:
    """The verbs, on one place. ``refusal`` says why none of them can be used, if so."""

    def __init__(self, place: locate.Place, refusal: InvalidInput | None = None) -> None:
        self._place = place
        self._refusal = refusal

    def log(
        self,
        limit: Annotated[int, "so many snapshots, at most 100"] = 20,
        path: Annotated[str | None, "only snapshots in which something at or below it changed"] = None,
        session: Session = None,
    ) -> Answer:
        """List the newest snapshots of this project, and the moves (turns, runs, saves, undos) between them."""
        if not 1 <= limit <= _MOST_SNAPSHOTS:
            raise InvalidInput(f"{limit} is not a number from 1 to {_MOST_SNAPSHOTS}")
        with self._line() as line:
            log, more = page(line, limit, session, None if path is None else self._inside(path))
            return bounded(shapes.log(log, line, more))

    def show(
        self,
        reference: Reference = "@",
        path: Annotated[str | None, "a file or directory in it, to read; '' for everything"] = None,
        offset: Annotated[int, "where in the file to begin, in bytes"] = 0,
        part: Annotated[str | None, "instead of a path: a part of the kind state"] = None,
    ) -> Answer:
        """Show a snapshot: when and why it was made, what it changed and what it could not capture. With a path: the
        file's text as it was then, or a directory's entries. With a part: the value that it holds, such as a memory."""
        with self._line() as line:
            snapshot = line.show(reference)
            if part is not None:
                return bounded(
                    {"id": snapshot.id, "part": part, "value": _value(line, snapshot, part)}, texts=["value"]
                )
            if path is None:
                return bounded(shapes.shown(snapshot, line.step(snapshot)))
            return _content(line, snapshot, self._inside(path), offset)

    def diff(
        self,
        a: Reference = "@",
        b: Annotated[str | None, "the other snapshot; the present if not given"] = None,
        paths: Paths = None,
        patch: Annotated[bool, "with the lines that differ, as a unified diff"] = True,
    ) -> Answer:
        """Show what differs between two snapshots, or between one and the present."""
        with self._line() as line:
            found = line.diff(a, b, paths=self._all_inside(paths))
            shape = shapes.diff(found)
            if not patch:
                return bounded(shape)
            text, unread = _patch(line, found)
            return bounded({**shape, "patch": text, "patch_lacks": unread}, texts=["patch"])

    def save(self, label: Annotated[str | None, "a name, which can be used as a reference"] = None) -> Answer:
        """Record the present as a snapshot, to which it can be taken back; if nothing changed, none is made."""
        with self._line(create=True) as line:
            before = line.log(1).snapshots
            snapshot = line.save(label, context=BY_MCP)
            new = not before or before[0].id != snapshot.id
            return bounded({**shapes.snapshot(snapshot), "label": label, "new": new})

    def plan(
        self,
        verb: Annotated[Literal["undo", "redo", "restore"], "what to plan"] = "undo",
        reference: Annotated[str | None, "for restore: the snapshot"] = None,
        paths: Annotated[list[str] | None, "for restore: only these"] = None,
        move: Move = None,
        since: Since = None,
        session: Session = None,
        shared: Shared = False,
    ) -> Answer:
        """Show exactly what an undo, redo or restore would change, and what it would leave alone. Nothing is touched."""
        with self._line() as line:
            if verb == "restore":
                if reference is None:
                    raise InvalidInput("a restore needs the reference of a snapshot", hints=["log lists them"])
                return bounded(shapes.plan(line.plan(reference, paths=self._all_inside(paths))))
            if verb == "redo":
                return bounded(shapes.plan(line.plan_redo(move)))
            return bounded(shapes.plan(line.plan_undo(move, since=since, session=session, shared=shared)))

    def undo(self, move: Move = None, since: Since = None, session: Session = None, shared: Shared = False) -> Answer:
        """Take back the newest move, or the one named, and nothing else. The present is saved first; what somebody else
        changed since is kept. Look at `plan` first."""
        return self._acted(lambda line: line.undo(move, since=since, session=session, shared=shared))

    def redo(self, move: Move = None) -> Answer:
        """Take back the newest undo. The present is saved first."""
        return self._acted(lambda line: line.redo(move))

    def restore(self, reference: Reference, paths: Paths = None) -> Answer:
        """Make all files, or some, exactly as in a snapshot. The present is saved first, and undo takes it back. Look at
        `plan` first. A memory that lives in another program is `pending` until that saves next."""
        return self._acted(lambda line: line.restore(reference, paths=self._all_inside(paths)))

    def _acted(self, act: Callable[[Timeline], Any]) -> Answer:
        with self._line() as line:
            return bounded(shapes.report(act(line)))

    @contextmanager
    def _line(self, *, create: bool = False) -> Iterator[Timeline]:
        if self._refusal is not None:
            raise self._refusal
        try:
            store = locate.open(self._place["store"], create=create)
        except NotFound:
            raise NotFound("nothing was recorded here yet", hints=["save makes the first snapshot"]) from None
        with store:
            yield locate.timeline(store, self._place)

    def _inside(self, path: str) -> str:
        return inside(self._place.root, self._place.root, path)

    def _all_inside(self, paths: list[str] | None) -> list[str] | None:
        return [self._inside(path) for path in paths] if paths else None


def _content(line: Timeline, snapshot: Snapshot, path: str, offset: int) -> Answer:
    """A file's text from an offset on, or a directory's entries."""
    if offset < 0:
        raise InvalidInput(f"{offset} is before the beginning of the file")
    try:
        if not path:
            raise InvalidInput("the root is a directory")
        data, more = _piece(line.stream(snapshot, path), offset)
    except InvalidInput:
        found = ((name, entry) for name, entry in line.files(snapshot, path) if name != path)
        return bounded(shapes.entries(snapshot.id, path, found))
    text = text_of(data, whole=not more)
    shape: Answer = {"id": snapshot.id, "path": path}
    shape |= {"encoding": "binary" if text is None else "utf-8", "content": text or ""}
    if more:
        shape["next_offset"] = offset + (len(data) if text is None else len(text.encode()))
    return bounded(shape, texts=["content"])


def _value(line: Timeline, snapshot: Snapshot, part: str) -> str:
    """A value as an outline, as much of it as fits."""
    from takeback.documents.showing import lines

    text = ""
    for each in lines(line.value(snapshot, part, unknown="record")):
        text += f"{each[:TEXT_BYTES]}\n"
        if len(text) > TEXT_BYTES:
            return f"{text[:TEXT_BYTES]}\n… cut here\n"
    return text


def _piece(pieces: Iterator[bytes], offset: int) -> tuple[bytes, bool]:
    """So many bytes from an offset on, and whether there are more; no more is read than that."""
    found, passed = bytearray(), 0
    for piece in pieces:
        found += piece[max(0, offset - passed) :]
        passed += len(piece)
        if len(found) > TEXT_BYTES:
            break
    return bytes(found[:TEXT_BYTES]), len(found) > TEXT_BYTES


def _patch(line: Timeline, diff: Diff) -> tuple[str, list[str]]:
    """A unified diff of as many files as fit, and the paths of those that are not in it."""
    from takeback.engine.patch import patch, sides

    text, unread, full = "", [], False
    for change in diff.files:
        if change.is_directory:
            continue
        if full or _is_large(change):
            unread.append(change.path)
            continue
        text += b"".join(patch(sides(line, diff, change))).decode("utf-8", "backslashreplace")
        full = len(text) > TEXT_BYTES
    return f"{text[:TEXT_BYTES]}\n… cut here\n" if full else text, unread


def _is_large(change: Change) -> bool:
    return any(entry is not None and entry.size > _LARGEST for entry in (change.before, change.after))
