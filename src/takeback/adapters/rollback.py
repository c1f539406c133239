"""`StateRollbackManager`: snapshots of a session and the way back to them, with the names of the class of dm20-protocol.

A session is any object: a pydantic model, a dataclass, an instance of a plain class. All of it comes back, with its types,
in place, and wholly or not at all. Snapshots share what they have in common, and lie on a timeline as all others do: in
memory, or in a store, where the next process and the `takeback` command find them.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import partial
from typing import Any

from takeback.documents.holes import Allowed
from takeback.documents.shapes import shape_of, take_apart
from takeback.engine.save import check_label
from takeback.engine.store import MEMORY, Store
from takeback.errors import InvalidInput, NotFound, TakebackError
from takeback.locate import open as open_store
from takeback.model.snapshot import Snapshot
from takeback.sources.state.source import State

__all__ = ["RollbackError", "StateRollbackManager", "StateSnapshot"]

PART = "session"
CONTEXT = "rollback"
"""Where a snapshot's context says that it was asked for here, and what is listed of it."""
_MOST_TURNS = 1 << 63


class RollbackError(TakebackError):
    """A rollback that could not be: the session is as it was. ``details`` say which snapshots there are, or what failed."""

    def __init__(self, message: str, details: Mapping[str, Any] | None = None, *, hints: Iterable[str] = ()) -> None:
        super().__init__(message, hints=hints)
        self.details = dict(details or {})


class _Data:
    """A session's data, read whenever it is asked for: it takes no memory, and whoever changes it changes no history."""

    def __get__(self, snapshot: StateSnapshot | None, owner: type) -> dict[str, Any]:
        if snapshot is None:
            raise AttributeError("session_data has no default")
        data: dict[str, Any] | Callable[[], dict[str, Any]] = vars(snapshot)["session_data"]
        return data() if callable(data) else data

    def __set__(self, snapshot: StateSnapshot, data: dict[str, Any] | Callable[[], dict[str, Any]]) -> None:
        vars(snapshot)["session_data"] = data


@dataclasses.dataclass(repr=False, eq=False)
class StateSnapshot:
    """A session at a point in time."""

    snapshot_id: str
    label: str
    timestamp: datetime
    """In local time, without a zone."""
    session_data: _Data = _Data()
    """Each time a new dictionary: a model's ``model_dump(mode="json")``, a dataclass's ``asdict``, else the attributes."""
    turn_count: int  # type: ignore[misc]  # the one above has no default, which mypy cannot see

    def __repr__(self) -> str:
        when = self.timestamp.isoformat(" ", "seconds")
        return f"<StateSnapshot {self.snapshot_id[:8]} {self.label!r} of turn {self.turn_count}, {when}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StateSnapshot) and self.snapshot_id == other.snapshot_id

    def __hash__(self) -> int:
        return hash(self.snapshot_id)

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}


class StateRollbackManager:
    """Keeps the latest ``max_snapshots`` snapshots of a session, and rolls it back to them.

    Beside the two arguments that it always had: ``store`` is a store, or a place for one; ``timeline`` the name under which
    the snapshots lie there, by default that of the session's ``session_id``. ``holes`` and ``types`` are `takeback.State`'s.
    """

    def __init__(
        self,
        session: Any,
        max_snapshots: int = 10,
        *,
        store: Store | str | os.PathLike[str] | None = None,
        timeline: str | None = None,
        holes: Allowed = False,
        types: Iterable[type] = (),
    ) -> None:
        if not isinstance(max_snapshots, int):
            raise InvalidInput(f"max_snapshots is a whole number, not {max_snapshots!r:.60}")
        self.max_snapshots = max_snapshots
        self.snapshots: list[StateSnapshot] = []
        """Oldest first."""
        self._store = store if isinstance(store, Store) else open_store(MEMORY if store is None else store)
        self._opened = None if self._store is store else self._store
        self._name = timeline or _timeline_of(session)
        self._holes = holes
        self._types = tuple(types)
        self._dropped = 0
        """Snapshots whose memory has not been given back yet."""
        self._at: str | None = None
        """The snapshot that a series of `rollback_last` has come to."""
        self.session = session
        self._held = {snapshot.id: snapshot for snapshot in self._stored()}
        self.snapshots += map(self._listed, self._held.values())

    @property
    def session(self) -> Any:
        """The object that is captured and rolled back; another one can take its place."""
        return self._state.object

    @session.setter
    def session(self, session: Any) -> None:
        self._state = State(PART, session, holes=self._holes, types=self._types)
        self._line = self._store.timeline(self._name, sources=[self._state])
        self._at = None

    def create_snapshot(self, label: str = "auto") -> StateSnapshot:
        """A snapshot of the session as it is now, also if nothing changed; the oldest one goes if there are too many."""
        said = {"label": label, "turn_count": _turn_count(self.session)}
        snapshot = self._line.save(_usable(label), title=label, context={CONTEXT: said}, always=True)
        listed = self._listed(snapshot)
        self._held[snapshot.id] = snapshot
        self._at = None
        self.snapshots.append(listed)
        self.clear_old_snapshots()
        return listed

    def rollback_to(self, snapshot_id: str) -> bool:
        """Make the session what it was; True, or a `RollbackError` and the session is as it was before the call."""
        found = next((each for each in self.snapshots if each.snapshot_id == snapshot_id), None)
        if found is None:
            available = [each.snapshot_id for each in self.snapshots]
            raise RollbackError(f"Snapshot {snapshot_id} not found", {"available_snapshots": available})
        self._at = None
        try:
            self._line.restore(self._held[found.snapshot_id])
        except Exception as error:  # what a session is made of may raise anything
            said, hints = (error.message, error.hints) if isinstance(error, TakebackError) else (str(error), ())
            raise RollbackError(
                f"Failed to restore snapshot {snapshot_id}: {said}",
                {"snapshot": snapshot_id, "error": str(error)},
                hints=hints,
            ) from error
        self._tidy()
        return True

    def rollback_last(self, steps: int = 1) -> bool:
        """Roll back to the newest snapshot, or with ``steps=2`` to the one before it, and so on.

        Called again while the session still is what the last call made of it, it goes on from there: a series of calls
        walks back one snapshot after the other. Once the session has changed, a snapshot was made or `rollback_to` was
        called, the first step is to the newest one again.
        """
        ids = [each.snapshot_id for each in self.snapshots]
        if not ids:
            raise RollbackError("No snapshots available for rollback", {"snapshot_count": 0})
        if steps < 1:
            raise RollbackError(f"rollback_last cannot go {steps} steps", {"snapshot_count": len(ids)})
        begin = ids.index(self._at) if self._at in ids and self._is_as_in(self._at) else len(ids)
        if steps > begin:
            left = f"only {begin} of {len(ids)}" if begin < len(ids) else f"only {begin}"
            raise RollbackError(
                f"No snapshots available for rollback by {steps}: there are {left} to go back to",
                {"snapshot_count": len(ids)},
            )
        target = ids[begin - steps]
        self.rollback_to(target)
        self._at = target
        return True

    def clear_old_snapshots(self) -> None:
        """Let the oldest snapshots go where there are more than ``max_snapshots``, with all that only they hold."""
        excess = len(self.snapshots) - self.max_snapshots
        if excess > 0:
            self.snapshots = self.snapshots[excess:]
        self._tidy()

    def list_snapshots(self) -> list[dict[str, Any]]:
        """What is known of each snapshot, oldest first."""
        return [
            {
                "snapshot_id": each.snapshot_id,
                "label": each.label,
                "timestamp": each.timestamp.isoformat(),
                "turn_count": each.turn_count,
            }
            for each in self.snapshots
        ]

    def get_snapshot_count(self) -> int:
        return len(self.snapshots)

    def close(self) -> None:
        """Close the store, if it was opened here: one in memory is gone then."""
        if self._opened is not None:
            self._opened.close()

    def _stored(self) -> list[Snapshot]:
        """The snapshots that were asked for here or by an earlier manager, oldest first."""
        rows = reversed(self._line.log().snapshots)
        found = [self._line.show(row.id) for row in rows if row.trigger == "manual"]
        return [each for each in found if isinstance(each.context.get(CONTEXT), dict)]

    def _listed(self, snapshot: Snapshot) -> StateSnapshot:
        said = snapshot.context[CONTEXT]
        turn, when = said.get("turn_count"), datetime.fromtimestamp(snapshot.time_ns / 1e9)
        data = partial(self._data, snapshot)
        return StateSnapshot(snapshot.id, str(said.get("label")), when, data, turn if isinstance(turn, int) else 0)

    def _data(self, snapshot: Snapshot) -> dict[str, Any]:
        if snapshot.id not in self._held:
            available = [each.snapshot_id for each in self.snapshots]
            raise RollbackError(f"Snapshot {snapshot.id} was cleared", {"available_snapshots": available})
        with self._store.blobs.reader() as reader:
            return _as_dict(self._state.value(reader, snapshot.parts[PART]))

    def _is_as_in(self, snapshot_id: str) -> bool:
        return self._line.plan(self._held[snapshot_id], only=[PART]).empty

    def _tidy(self) -> None:
        """Drop what is not listed any more, and of what rollbacks replaced all but the latest; give memory back."""
        listed = {each.snapshot_id for each in self.snapshots}
        for id in self._held.keys() - listed:
            if self._drop(id):
                del self._held[id]
        beside = [row for row in self._line.log().snapshots[1:] if row.trigger in ("safety", "restore")]
        for row in beside[2 * max(self.max_snapshots, 0) :]:
            self._drop(row.id)
        if self._store.blobs.path is None and self._dropped >= max(self.max_snapshots, 1):
            if not self._store.maintain().busy:
                self._dropped = 0

    def _drop(self, id: str) -> bool:
        """Whether it is done with. What cannot be dropped now is dropped later: the snapshot or rollback that went before
        has been made, whatever becomes of the old ones."""
        try:
            self._line.drop(id)
            self._dropped += 1
        except (NotFound, InvalidInput):
            return True  # somebody else has dropped it, or pinned it
        except TakebackError:
            return False
        return True


def _timeline_of(session: Any) -> str:
    name = f"rollback:{getattr(session, 'session_id', '')}"
    return name if name.isprintable() else "rollback:"


def _turn_count(session: Any) -> int:
    """The session's turn; 0 if it counts none."""
    count = getattr(session, "turn_count", 0)
    return count if isinstance(count, int) and abs(count) < _MOST_TURNS else 0


def _usable(label: str) -> str | None:
    """A label by which the snapshot can be referred to, too; what is no such is only listed."""
    try:
        check_label(label)
    except InvalidInput:
        return None
    return label


def _as_dict(session: Any) -> dict[str, Any]:
    if hasattr(type(session), "model_dump"):
        return dict(session.model_dump(mode="json"))
    if dataclasses.is_dataclass(session) and not isinstance(session, type):
        return dataclasses.asdict(session)
    if isinstance(session, dict):
        return session
    shape = shape_of(type(session))
    assert shape is not None, "what was captured can be taken apart"
    kept = take_apart(shape, session)
    return {**kept.fields, **(kept.slots or {})}
