"""purge: a path leaves every snapshot, and its bytes leave the store. The one thing that cannot be taken back.

The snapshots that held it keep their ids and get new manifests, in which the path is *not captured*, so that a restore
never touches what stands there. One transaction does that for all of them; from then on nothing refers to the bytes,
and every maintenance removes all that nothing needs, down to the last blob, until they are gone. Killed before that
transaction nothing has happened; killed after it, purge or maintain goes on.

Copies go with it: the bytes are the secret, whatever they are called. A copy of what is in a purged directory, or of a
few bytes that may be equal by chance, is only named, unless its removal is asked for. So do conversations that quote it,
and the words of prompts and tool calls that do; a value that does, such as an agent's memory, becomes *not captured*.
"""

from __future__ import annotations

import os
import shlex
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from functools import partial

from takeback.engine import maintenance
from takeback.engine.conversation import PART as TRANSCRIPT
from takeback.engine.dropping import root_held
from takeback.engine.images import tag_of
from takeback.engine.manifest import encode_manifest, load_snapshot, put_part
from takeback.engine.paths import within_part
from takeback.engine.plandoc import decode_plan
from takeback.engine.traces import RECORDED, SETTINGS, Candidate, Found, PartPath, Traces
from takeback.engine.undrop import dropped_rows
from takeback.errors import Conflict, InvalidInput, NotFound
from takeback.model.ids import BlobKind
from takeback.model.kinds import DOCUMENTS, NAMED
from takeback.model.progress import Watch
from takeback.model.purged import Purged, Trace
from takeback.model.snapshot import Snapshot
from takeback.model.tree import Entry
from takeback.sources.state import content
from takeback.sources.workspace.purging import check_purgeable, is_purgeable, without
from takeback.store import hooked
from takeback.store.blobstore import BlobStore
from takeback.store.catalogue import blobs as blob_rows
from takeback.store.catalogue import collecting, journals, operations, snapshots, timelines
from takeback.store.catalogue import moves as move_rows
from takeback.store.catalogue.database import Transaction
from takeback.store.reader import Reader
from takeback.store.repair.aside import place_aside
from takeback.store.writer import Writer

_SAID = "(what an agent and a person said)"
_RECORDED = "(what was recorded of prompts and tool calls)"
TELLING = 16
"""Fewer bytes may be equal by chance."""
_PATIENCE = 60.0
"""Seconds that another maintenance is waited for."""


def purge(
    blobs: BlobStore,
    path: str,
    roots: Iterable[str] | None,
    copies: bool | None,
    dry_run: bool,
    watch: Watch,
    part: str | None = None,
) -> Purged:
    """Purge a path of some roots, or of all. ``copies`` says whether the same bytes elsewhere go, too; by default those
    of a file do. ``part`` is the part that has the path, if that is no workspace."""
    wanted = None if roots is None else frozenset(roots)
    path = _clean(path if part is None else _in_part(blobs, path, part, wanted), part)
    search = _Search(blobs, Traces(path, lambda root: wanted is None or root in wanted, part), copies, watch)
    if dry_run:
        with blobs.reader() as reader:
            search.look(reader)
        return replace(search.result(), dry_run=True)
    done = search.carry_out()
    search.forget_sessions()
    ended = maintenance.maintain(blobs, watch, patience=_PATIENCE, unneeded=search.images)
    secret = () if done.left else {*search.traces.contents, *search.traces.chunks}
    with blobs.database.read() as tx:
        gone = not collecting.unfinished_purge(tx) and not blob_rows.known(tx, secret, frozenset())
    aside = place_aside(blobs.directory)
    return replace(done, gone=gone and aside is None, waiting=ended.waiting, aside=aside)


class _Moved(Exception):
    """Snapshots came or went while they were looked at."""


class _Search:
    """A search and what follows from it."""

    def __init__(self, blobs: BlobStore, traces: Traces, copies: bool | None, watch: Watch) -> None:
        self._blobs, self.traces, self._copies, self._watch = blobs, traces, copies, watch
        self._when = time.strftime("%Y-%m-%d %H:%M:%S")
        self._versions: dict[tuple[str, str, str], dict[Entry, int]] = {}
        self.images: set[str] = set()
        """Images that were made of what held the secret: they hold it as well."""

    def look(self, reader: Reader) -> None:
        with self._blobs.database.read() as tx:
            everything = _candidates(tx)
        self.traces.look(reader, everything, self._watch)

    def carry_out(self) -> Purged:
        """Take the path out of all snapshots in one transaction, with the locks of all roots that it concerns."""
        roots: frozenset[str] = frozenset()
        while True:
            with ExitStack() as stack:
                for root in sorted(roots):
                    stack.enter_context(root_held(root))
                writer = stack.enter_context(self._blobs.writer())
                self.look(writer.reader)
                concerned = frozenset(found.root for found in self._affected())
                if not concerned <= roots:
                    roots = concerned
                    continue
                result = self.result()
                self._check_journals(writer.reader)
                manifests = self._rewrite(writer)
                try:
                    writer.commit(partial(self._record, manifests))
                    return result
                except _Moved:
                    continue

    def result(self) -> Purged:
        affected = self._affected()
        gone: Counter[tuple[str, str, str]] = Counter()
        stay: Counter[tuple[str, str, str]] = Counter()
        for found in self.traces.found.values():
            gone.update(_places(found, self._going(found)))
            stay.update(_places(found, (*self._left(found), *found.pieces)))
            quoting = gone if self._quotes_go else stay
            quoting.update({(found.root, _quoting(part), "") for part in found.quoted})
        if not affected and not self._unfinished():
            raise NotFound(
                f"no snapshot holds {self.traces.path!r}",
                hints=[
                    "`takeback log PATH` shows where a path changed; --all looks into every root of the store",
                    *(() if self.traces.part else ("--part NAME looks into a container or a team",)),
                ],
            )
        return Purged(
            self.traces.path,
            tuple(found.row.id for found in affected if not found.dropped),
            tuple(Trace(root, path, number, part) for (root, path, part), number in sorted(gone.items())),
            tuple(Trace(root, path, number, part) for (root, path, part), number in sorted(stay.items())),
            tuple(found.row.id for found in affected if found.dropped),
        )

    def _left(self, found: Found) -> dict[PartPath, Entry]:
        return {place: entry for place, entry in found.copies.items() if not self._takes(found, place, entry)}

    def _going(self, found: Found) -> dict[PartPath, Entry]:
        return {**found.at_path, **{at: entry for at, entry in found.copies.items() if self._takes(found, at, entry)}}

    def _takes(self, found: Found, place: PartPath, entry: Entry) -> bool:
        """Whether a copy goes, too."""
        part, path = place
        if self._copies is False or not (is_purgeable(path) if part in found.workspaces else path != SETTINGS):
            return False
        return bool(self._copies) or not (self.traces.directory or entry.size < TELLING)

    @property
    def _quotes_go(self) -> bool:
        """Whether what quotes the secret goes, too: as copies do."""
        return self._copies is not False and (bool(self._copies) or not self.traces.directory)

    def _affected(self) -> list[Found]:
        quotes = self._quotes_go
        going = (found for found in self.traces.found.values() if self._going(found) or (quotes and found.quoted))
        return sorted(going, key=lambda found: found.row.seq)

    def _unfinished(self) -> bool:
        with self._blobs.database.read() as tx:
            return bool(collecting.unfinished_purge(tx))

    def _rewrite(self, writer: Writer) -> dict[str, bytes]:
        """New manifests, by snapshot."""
        manifests: dict[str, bytes] = {}
        affected = self._affected()
        for done, found in enumerate(affected):
            self._watch.tick("purge", done, len(affected))
            said = {place: self._version(found.root, *place, entry) for place, entry in self._going(found).items()}
            if found.dropped:
                continue
            snapshot = load_snapshot(writer.reader, found.row)
            parts = dict(snapshot.parts)
            for name in {part for part, _ in said}:
                paths = {path: text for (part, path), text in said.items() if part == name}
                self.images.add(tag_of(parts[name]))
                parts[name] = put_part(writer, without(writer, parts[name], paths))
            snapshot = snapshot._replace(parts=parts)
            if self._quotes_go:
                snapshot = self._unquoted(writer, snapshot, found)
            manifest = encode_manifest(snapshot)
            manifests[found.row.id] = writer.put(manifest, BlobKind.MANIFEST)
        return manifests

    def _unquoted(self, writer: Writer, snapshot: Snapshot, found: Found) -> Snapshot:
        """A snapshot without the conversations, the values and the words that quote the secret."""
        assert self.traces.quotes is not None
        parts = {name: part for name, part in snapshot.parts.items() if name not in found.quoted}
        for name, part in snapshot.parts.items():
            if name in found.quoted and part.kind in DOCUMENTS:
                version = self._version(found.root, name, name, content.entry(part))
                parts[name] = put_part(writer, content.without(writer, part, version))
        context = self.traces.quotes.without(dict(snapshot.context)) if RECORDED in found.quoted else snapshot.context
        return snapshot._replace(parts=parts, context=context)

    def _unquote_moves(self, tx: Transaction) -> None:
        quotes = self.traces.quotes
        for move in move_rows.everywhere(tx) if quotes is not None and self._quotes_go else ():
            said = [move.title, list(move.reported), dict(move.context)]
            if quotes is not None and quotes.in_value(said):
                title, reported, context = quotes.without(said)
                move_rows.update(tx, move._replace(title=title, reported=tuple(reported), context=context))

    def forget_sessions(self) -> None:
        """What hooks remember of prompts is no history, so it goes at once."""
        quotes, directory = self.traces.quotes, self._blobs.directory
        if quotes is not None and directory is not None and self._quotes_go:
            hooked.forget_what(directory, quotes.in_text)

    def _version(self, root: str, part: str, path: str, entry: Entry) -> str:
        """Tells apart what stood at a path at different times, and nothing more about it."""
        known = self._versions.setdefault((root, part, path), {})
        return f"{self._when}, version {known.setdefault(entry, len(known) + 1)}"

    def _record(self, manifests: Mapping[str, bytes], tx: Transaction) -> None:
        """Write it down, if no snapshots came or went since they were looked at."""
        if not self.traces.covers(_candidates(tx)):
            raise _Moved
        affected = self._affected()
        if not affected:
            return
        gone = {found.row.id for found in affected if found.dropped} | self.traces.lost
        for id, manifest in manifests.items():
            snapshots.set_manifest(tx, id, manifest)
        self._unquote_moves(tx)
        collecting.renew_dropped(tx, {**dict.fromkeys(gone), **manifests})
        collecting.begin_purge(tx)
        operations.add(tx, None, time.time_ns(), "purge", path=self.traces.path, snapshots=len(manifests))

    def _check_journals(self, reader: Reader) -> None:
        """A restore that was interrupted could need the bytes to be finished."""
        with self._blobs.database.read() as tx:
            unfinished = journals.every(tx)
        for journal in unfinished:
            effects = decode_plan(reader.get(journal.plan, BlobKind.DOCUMENT)).effects
            documents = maintenance.document_parts(self._blobs, reader, journal)
            ends = [(effect.part in documents, entry) for effect in effects for entry in (effect.before, effect.after)]
            if any(self._is_secret(entry, document) for document, entry in ends if entry is not None):
                raise Conflict(
                    f"nothing was purged: a restore of {journal.root} was interrupted and needs it to be finished",
                    hints=[f"{_finishing(journal.root)} finishes it; then try again"],
                )

    def _is_secret(self, entry: Entry, document: bool) -> bool:
        if not document:
            return entry.id in self.traces.contents
        return self._quotes_go and self.traces.quotes is not None and self.traces.quotes.in_document(entry.id)


def _finishing(root: str) -> str:
    return f"`takeback -C {shlex.quote(root)} save`" if root.startswith("/") else "the next save of it"


def _quoting(part: str) -> str:
    """What quotes a secret, for people."""
    return _RECORDED if part == RECORDED else _SAID if part == TRANSCRIPT else f"(the value {part!r})"


def _candidates(tx: Transaction) -> Iterator[Candidate]:
    """Every snapshot, and the dropped ones that may still come back."""
    roots = {line.number: line.root for line in timelines.every(tx)}
    present = snapshots.everywhere(tx)
    for row in present:
        yield Candidate(row, roots.get(row.timeline, ""), False)
    for row in dropped_rows(tx, {row.id for row in present}):
        yield Candidate(row, roots.get(row.timeline, ""), True)


def _places(found: Found, places: Iterable[PartPath]) -> set[tuple[str, str, str]]:
    return {(found.root, path, "" if part in found.workspaces else part) for part, path in places}


def _in_part(blobs: BlobStore, path: str, part: str, roots: frozenset[str] | None) -> str:
    """An absolute path in a container, or of a team, as the newest snapshot of that part has it."""
    if not os.path.isabs(path):
        return path
    with blobs.reader() as reader:
        with blobs.database.read() as tx:
            present = [each for each in _candidates(tx) if not each.dropped and (roots is None or each.root in roots)]
        for each in sorted(present, key=lambda each: each.row.seq, reverse=True):
            held = load_snapshot(reader, each.row).parts.get(part)
            if held is not None and held.kind in NAMED:
                return within_part(reader, held, os.path.normpath(path))
    raise NotFound(f"no snapshot holds a container or a team as {part!r}", hints=["`takeback show @` lists the parts"])


def _clean(path: str, part: str | None) -> str:
    normal = os.path.normpath(path)
    if normal == "." or os.path.isabs(normal) or normal.split(os.sep)[0] == os.pardir:
        raise InvalidInput(
            f"{path!r} cannot be purged: name a file or a directory inside the root",
            hints=["`takeback drop` and `takeback prune` remove whole snapshots"],
        )
    if part is None:
        check_purgeable(normal)
    elif normal == SETTINGS:
        raise InvalidInput(
            f"the settings of {part!r} cannot be purged: without them no container can be made again",
            hints=["`takeback drop` removes whole snapshots"],
        )
    return normal
