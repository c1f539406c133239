"""The queries of a collection: hot rows that become packs, packs that are condemned, revived or removed.

A pack is removed in two steps. First its blobs are forgotten and its row becomes ``pending`` again, as it was before
its file existed; then the file goes, then the row. So there is a row for as long as there may be a file, whatever
is killed in between, and packs that a dead writer left are removed in the same way.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from takeback.errors import Integrity
from takeback.store.catalogue import counters
from takeback.store.catalogue.blobs import HOT_PACK
from takeback.store.catalogue.database import Transaction
from takeback.store.catalogue.operations import decode
from takeback.store.catalogue.rows import all_checked
from takeback.store.packs.pack import PackEntry

_CONDEMNED_AT = "condemned_at"
_PURGE = "purge"
_FOLD = "fold"
Copy = tuple[int, PackEntry]
"""A blob in the pack of a number."""

DROPPING = ("drop", "prune")
"""Operations that take snapshots out of the history; each names the manifest."""


def hot_frames(tx: Transaction) -> list[int]:
    return [frame for (frame,) in all_checked("hot", tx.execute("SELECT frame FROM hot ORDER BY frame"), (int,))]


def hot_entries(tx: Transaction, frame: int) -> list[PackEntry]:
    rows = tx.execute(
        "SELECT id, kind, frame, start, length FROM blobs WHERE pack = ? AND frame = ? ORDER BY start",
        (HOT_PACK, frame),
    )
    return [PackEntry(*row) for row in all_checked("blobs", rows, (bytes, int, int, int, int))]


def move(tx: Transaction, copies: Iterable[Copy], origins: Sequence[int]) -> None:
    """Point blobs that lie in some packs to their copies in others."""
    marks = ", ".join("?" * len(origins))
    tx.executemany(
        f"UPDATE blobs SET pack = ?, frame = ?, start = ? WHERE id = ? AND pack IN ({marks})",
        ((pack, entry.frame, entry.start, entry.id, *origins) for pack, entry in copies),
    )


def drop_empty_hot(tx: Transaction, frames: Iterable[int]) -> None:
    """Delete those of some hot frames that no blob lies in any more."""
    tx.executemany(
        "DELETE FROM hot WHERE frame = ? AND NOT EXISTS (SELECT 1 FROM blobs WHERE pack = ? AND frame = hot.frame)",
        ((frame, HOT_PACK) for frame in frames),
    )


def condemn(tx: Transaction, packs: Iterable[int]) -> int:
    """Make live packs unknown to all who come from now on; returns the generation that has to end before they go."""
    passed = advance(tx)
    if not tx.execute("SELECT 1 FROM packs WHERE state = 'condemned' LIMIT 1"):
        now = counters.value(tx, "operations")
        counters.put(tx, _CONDEMNED_AT, now)
    tx.executemany(
        "UPDATE packs SET state = 'condemned', generation = ? WHERE id = ? AND state = 'live'",
        ((passed, pack) for pack in packs),
    )
    return passed


def advance(tx: Transaction) -> int:
    """Begin a new generation of leases; returns the one that has passed."""
    return counters.next_value(tx, "generation") - 1


def present_generation(tx: Transaction) -> int:
    return counters.value(tx, "generation")


def revive(tx: Transaction, pack: int) -> None:
    tx.execute("UPDATE packs SET state = 'live' WHERE id = ? AND state = 'condemned'", (pack,))


def forget(tx: Transaction, pack: int) -> bool:
    """Forget the blobs of a condemned pack, so that its file can go; False if it is condemned no longer."""
    rows = tx.execute(
        "UPDATE packs SET state = 'pending', size = 0, raw_size = 0 WHERE id = ? AND state = 'condemned' RETURNING id",
        (pack,),
    )
    if rows:
        tx.execute("DELETE FROM blobs WHERE pack = ?", (pack,))
        tx.execute("DELETE FROM frames WHERE pack = ?", (pack,))
    return bool(rows)


def is_pending(tx: Transaction, pack: int) -> bool:
    return bool(tx.execute("SELECT 1 FROM packs WHERE id = ? AND state = 'pending'", (pack,)))


def any_pending(tx: Transaction) -> bool:
    return bool(tx.execute("SELECT 1 FROM packs WHERE state = 'pending' LIMIT 1"))


def note_swept(tx: Transaction, generation: int) -> None:
    """From now on nothing is committed under a lease of this generation or an older one."""
    tx.execute("UPDATE counters SET value = ? WHERE name = 'swept' AND value < ?", (generation, generation))


def dropped_since(tx: Transaction, generation: int) -> tuple[tuple[str, bytes], ...]:
    """Snapshots, with their manifests, that went after a generation had passed: whoever runs since then may have seen
    them."""
    marks = ", ".join("?" * len(DROPPING))
    rows = tx.execute(
        f"SELECT detail FROM operations WHERE seq > ? AND verb IN ({marks})",
        (counters.value(tx, _CONDEMNED_AT), *DROPPING),
    )
    found = [_dropped(detail) for (detail,) in rows]
    return tuple(
        (each["snapshot"], bytes.fromhex(each["manifest"]))
        for each in found
        if not each.get("purged") and each.get("generation", generation + 1) > generation
    )


def dropped_after(tx: Transaction, time_ns: int) -> tuple[tuple[str, bytes], ...]:
    """Snapshots, with their manifests, that went after a moment and may still come back."""
    marks = ", ".join("?" * len(DROPPING))
    rows = tx.execute(f"SELECT detail FROM operations WHERE time_ns > ? AND verb IN ({marks})", (time_ns, *DROPPING))
    found = [_dropped(detail) for (detail,) in rows]
    return tuple((each["snapshot"], bytes.fromhex(each["manifest"])) for each in found if not each.get("purged"))


def dropped(tx: Transaction, prefix: str) -> list[tuple[int, dict[str, Any]]]:
    """Timelines and details of what was dropped, by the beginning of its id; the last dropped first, each once."""
    marks = ", ".join("?" * len(DROPPING))
    rows = tx.execute(f"SELECT timeline, detail FROM operations WHERE verb IN ({marks}) ORDER BY seq DESC", DROPPING)
    found: dict[str, tuple[int, dict[str, Any]]] = {}
    for timeline, text in all_checked("operations", rows, (int, str)):
        detail = _dropped(text)
        if detail["snapshot"].startswith(prefix):
            found.setdefault(detail["snapshot"], (timeline, detail))
    return list(found.values())


def renew_dropped(tx: Transaction, manifests: Mapping[str, bytes | None]) -> None:
    """What drops and prunes noted of some snapshots, with the manifests that these have now; None: it was purged, so
    that the snapshot cannot come back."""
    marks = ", ".join("?" * len(DROPPING))
    for seq, text in tx.execute(f"SELECT seq, detail FROM operations WHERE verb IN ({marks})", DROPPING):
        detail = _dropped(text)
        if detail["snapshot"] in manifests:
            manifest = manifests[detail["snapshot"]]
            detail |= {"manifest": "", "purged": True} if manifest is None else {"manifest": manifest.hex()}
            tx.execute("UPDATE operations SET detail = ? WHERE seq = ?", (json.dumps(detail), seq))


def begin_purge(tx: Transaction) -> None:
    """From now on every maintenance removes all that nothing needs, down to the last blob, until `end_purge`."""
    counters.next_value(tx, _PURGE)


def unfinished_purge(tx: Transaction) -> int:
    """A number that changes when another purge begins; 0 if none is unfinished."""
    return counters.value(tx, _PURGE)


def end_purge(tx: Transaction, number: int) -> None:
    """Nothing of what was purged is left, unless another purge has begun since ``number`` was asked for."""
    tx.execute("DELETE FROM counters WHERE name = ? AND value = ?", (_PURGE, number))


def newest_history(tx: Transaction) -> bytes | None:
    """The blob that the last fold wrote for repair."""
    rows = tx.execute("SELECT detail FROM operations WHERE verb = ? ORDER BY seq DESC LIMIT 1", (_FOLD,))
    if not rows:
        return None
    try:
        return bytes.fromhex(decode(rows[0][0])["history"])
    except (ValueError, TypeError, KeyError) as error:
        raise Integrity("the note of the last fold names no blob") from error


def note_history(tx: Transaction, blob: bytes, time_ns: int) -> None:
    """Make a blob the newest history; the note of the one before goes."""
    tx.execute("DELETE FROM operations WHERE verb = ?", (_FOLD,))
    tx.execute(
        "INSERT INTO operations (seq, timeline, time_ns, verb, detail) VALUES (?, NULL, ?, ?, ?)",
        (counters.next_value(tx, "operations"), time_ns, _FOLD, json.dumps({"history": blob.hex()})),
    )


_DROPPED_FIELDS: dict[str, tuple[type, ...]] = {
    "snapshot": (str,), "seq": (int,), "manifest": (str,), "parent": (str, type(None)), "labels": (list,),
    "created_ns": (int,), "trigger": (str,), "session": (str,), "changed": (int,), "mixed": (int,), "generation": (int,),
}  # fmt: skip
_ALWAYS = ("snapshot", "seq", "manifest", "parent", "labels")


def _dropped(text: str) -> dict[str, Any]:
    """What is written down about a snapshot that was dropped."""
    detail = decode(text)
    sound = all(name in detail for name in _ALWAYS) and all(
        isinstance(detail[name], types) for name, types in _DROPPED_FIELDS.items() if name in detail
    )
    if not sound or not all(isinstance(label, str) for label in detail["labels"]) or not _is_manifest(detail):
        raise Integrity("the note of a dropped snapshot is not one")
    return detail


def _is_manifest(detail: dict[str, Any]) -> bool:
    text = detail["manifest"]
    return (len(text) == 64 and set(text) <= set("0123456789abcdef")) or (not text and bool(detail.get("purged")))
