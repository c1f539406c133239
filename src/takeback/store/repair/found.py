"""Looking at a store that may be damaged: everything that is wrong with it, and a candidate made of what is not."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from takeback.errors import InvalidInput, NotFound
from takeback.model.progress import Watch
from takeback.store import header as headers
from takeback.store.backends.local import LocalBackend
from takeback.store.blobstore import BlobStore
from takeback.store.catalogue.consistency import inconsistencies
from takeback.store.creation import CATALOGUE, DIRECTORIES
from takeback.store.header import Header
from takeback.store.packs.pack import Contents, FrameSpan, PackEntry
from takeback.store.packs.sealing import Sealer
from takeback.store.repair.alone import Alone
from takeback.store.repair.candidate import candidate, hot_entries, hot_frames
from takeback.store.repair.header import find_header
from takeback.store.repair.old import OldCatalogue, old_catalogue
from takeback.store.repair.survey import FoundPack, pack_names, survey


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong."""

    kind: str
    what: str
    detail: str


@dataclass(slots=True)
class Found:
    """What a store holds, and what is wrong with it."""

    directory: str
    header: Header
    header_damage: str
    old: OldCatalogue
    packs: list[FoundPack]
    store: BlobStore
    """The candidate."""
    findings: list[Finding] = field(default_factory=list)

    def strange_blobs(self) -> set[bytes]:
        """Blobs of packs that a sound catalogue does not know: it is of an earlier moment than they are."""
        known = {str(row[1]) for row in self.old.tables.get("packs", [])}
        return {entry.id for pack in self.packs if pack.name not in known for entry in pack.contents.entries}

    @property
    def damaged_packs(self) -> list[FoundPack]:
        return [pack for pack in self.packs if pack.damage]


def check_place(directory: str) -> None:
    """Refuse what is no store, not even a damaged one."""
    if not os.path.isdir(directory):
        raise NotFound(f"there is no store at {directory}", hints=["the first `takeback save` makes one"])
    names = set(os.listdir(directory))
    if not names & {headers.NAME, CATALOGUE, f"{CATALOGUE}.new"} and "packs" not in names:
        raise InvalidInput(f"{directory} is no takeback store", hints=["name the directory that holds store.json"])


@contextmanager
def look(directory: str, held: Alone, writing: bool, watch: Watch) -> Iterator[Found]:
    with old_catalogue(directory, held, writing) as old:
        header, header_damage = find_header(directory, format_known=bool(old.tables.get("counters")))
        listed = _listed(old)
        names = pack_names(directory)
        packs = list(survey(LocalBackend(directory), Sealer(), names, listed, watch))
        found = Found(directory, header, header_damage, old, packs, candidate(directory, header, old.tables, packs))
        try:
            found.findings += _findings(found, listed)
            yield found
        finally:
            found.store.close()


def _listed(old: OldCatalogue) -> dict[str, Contents]:
    """What the catalogue says of each pack."""
    numbers = {int(row[0]): str(row[1]) for row in old.tables.get("packs", [])}
    frames: dict[int, dict[int, FrameSpan]] = {}
    for pack, frame, position, length, raw_length in old.tables.get("frames", []):
        frames.setdefault(pack, {})[frame] = FrameSpan(position, length, raw_length)
    found = {name: Contents([], []) for name in numbers.values()}
    for number, name in numbers.items():
        spans = frames.get(number, {})
        found[name].frames.extend(spans[index] for index in range(len(spans)) if index in spans)
    for id, kind, pack, frame, start, length in old.tables.get("blobs", []):
        if pack in numbers:
            found[numbers[pack]].entries.append(PackEntry(id, kind, frame, start, length))
    return found


def _findings(found: Found, listed: dict[str, Contents]) -> Iterator[Finding]:
    if found.header_damage:
        yield Finding("header", headers.NAME, found.header_damage)
    for name in DIRECTORIES:
        if not os.path.isdir(os.path.join(found.directory, name)):
            yield Finding("directory", f"{name}/", "it is gone")
    for damage in found.old.damage:
        yield Finding("catalogue", CATALOGUE, damage)
    states = {str(row[1]): (str(row[2]), int(row[4])) for row in found.old.tables.get("packs", [])}
    there = {pack.name: pack for pack in found.packs}
    for name, (state, _) in states.items():
        if state != "pending" and name not in there:
            yield Finding("missing pack", f"pack {name}", f"it is gone, with {len(listed[name].entries)} blobs")
    for pack in found.packs:
        if pack.damage:
            lost = f"; {len(pack.harmed)} blobs of it are damaged" if pack.harmed else ""
            yield Finding("damaged pack", f"pack {pack.name}", pack.damage + lost)
        if found.old.sound:
            yield from _disagreements(pack, states.get(pack.name), listed.get(pack.name))
    yield from _hot_findings(found)
    if found.old.sound and found.old.transaction is not None:
        for what, how in inconsistencies(found.old.transaction):
            yield Finding("history", what, how)
        numbers = {int(row[0]) for row in found.old.tables["packs"]}
        stray = sum(1 for row in found.old.tables["blobs"] if row[2] and row[2] not in numbers)
        if stray:
            yield Finding("disagreement", f"{stray} blobs", "they lie in packs that the catalogue does not list")


def _disagreements(pack: FoundPack, state: tuple[str, int] | None, listed: Contents | None) -> Iterator[Finding]:
    what = f"pack {pack.name}"
    if state is None or listed is None:
        yield Finding(
            "unknown pack", what, f"the catalogue does not list it; it holds {len(pack.contents.entries)} blobs"
        )
    elif state[0] != "pending" and not pack.damage:
        known = set(pack.contents.entries)
        wrong = sum(1 for entry in listed.entries if entry not in known)
        if wrong or listed.frames != pack.contents.frames or state[1] != pack.size:
            yield Finding(
                "disagreement", what, f"the catalogue says otherwise than the pack about {wrong or 'its'} blobs"
            )


def _hot_findings(found: Found) -> Iterator[Finding]:
    intact = {row[0]: len(entries) for row, entries in hot_frames(found.old.tables)}
    for frame, entries in hot_entries(found.old.tables).items():
        if lost := len(entries) - intact.get(frame, 0):
            yield Finding(
                "damaged frame", f"hot frame {frame}", f"{lost} of its {len(entries)} blobs are damaged or gone"
            )
