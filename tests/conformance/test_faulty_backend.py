"""On a backend that loses, tears, repeats, delays and damages objects, nothing wrong is ever taken for right.

A save either fails with an error of ours, or its snapshot reads back exactly, or `verify` names it. A restore either
gives exactly what was saved, or fails and has changed nothing.
"""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import takeback as tb
from support import campaigns
from support.agent import held, look
from support.faulty_backend import (
    DELAYED,
    LOST,
    READING,
    REPEATED,
    ROTTEN,
    TORN,
    UNSURE,
    WRITING,
    FaultyBackend,
)
from support.stores import noise
from support.trees import Node
from takeback.store.catalogue import blobs
from takeback.store.packs.pack import object_name

PLACES = [":memory:", "local"]
CALM = settings(deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)

works = st.lists(
    st.tuples(
        st.sampled_from(["save", "save much", "save huge", "maintain", "restore", "undo", "drop", "prune"]),
        st.integers(0, 5),
    ),
    min_size=3,
    max_size=14,
)
schedules = st.lists(st.sampled_from(["", "", *WRITING, *READING]), max_size=40)


class Rig:
    """A directory whose store has a faulty backend, and what was reported."""

    def __init__(self, place: str, schedule: list[str]) -> None:
        self.base = Path(tempfile.mkdtemp(prefix="takeback-faulty-"))
        self.root = self.base / "project"
        self.root.mkdir()
        self.store = tb.open(place if place == ":memory:" else self.base / "store")
        self.backend = FaultyBackend(self.store.blobs.backend, schedule)
        self.store.blobs.backend = self.backend
        self.line = self.store.timeline(sources=[tb.Workspace(self.root)])
        self.reported: dict[str, dict[str, Node]] = {}
        self.failures: Counter[str] = Counter()
        self.number = 0

    def close(self) -> None:
        self.store.close()
        shutil.rmtree(self.base)

    def work(self, what: str, number: int) -> None:
        """One operation. What is raised must be ours, and must not have changed the directory."""
        before = look(self.root)
        try:
            self._do(what, number)
        except tb.TakebackError as error:
            self.failures[type(error).__name__] += 1
            if what in ("restore", "undo"):
                assert look(self.root) == before, f"{what} failed, and yet changed something: {error}"

    def _do(self, what: str, number: int) -> None:
        if what.startswith("save"):
            size = {"save": 2000, "save much": 400_000, "save huge": 1_300_000}[what]
            self.number += 1
            (self.root / f"file{number}").write_bytes(noise(size, (number, self.number)))
            snapshot = self.line.save()
            self.reported[snapshot.id] = look(self.root)
        elif what == "maintain":
            self.store.maintain()
        elif what == "undo":
            report = self.line.undo()
            self.reported[report.snapshot] = look(self.root)
        elif self.reported:
            self._with(sorted(self.reported)[number % len(self.reported)], what)

    def _with(self, id: str, what: str) -> None:
        if what == "restore":
            report = self.line.restore(id)
            assert look(self.root) == self.reported[id], "a restore that succeeded gave something else"
            self.reported[report.snapshot] = self.reported[id]
        elif what == "drop":
            self.line.drop(id)
            del self.reported[id]
        else:
            for gone in self.store.prune(tb.Policy(keep_last=3)).snapshots:
                self.reported.pop(gone, None)

    def check(self) -> set[str]:
        """Once the faults are over: every reported snapshot is exact or named; those that are named."""
        self.backend.heal()
        health = self.store.verify(read_data=True)
        for id, tree in self.reported.items():
            try:
                assert held(self.line, id) == tree, f"snapshot {id} gives wrong bytes"
            except (tb.Integrity, tb.NotFound):
                assert id in health.harmed, f"snapshot {id} cannot be read, and verify does not name it"
        return set(health.harmed)


@pytest.mark.campaign("faulty-backend")
@pytest.mark.parametrize("place", PLACES)
@settings(CALM, max_examples=campaigns.size(10, 600))
@given(works=works, schedule=schedules)
def test_lost_torn_repeated_and_delayed_objects_harm_no_snapshot_that_was_reported(
    place: str, works: list[tuple[str, int]], schedule: list[str]
) -> None:
    rig = Rig(place, schedule)
    try:
        for what, number in works:
            rig.work(what, number)
        assert rig.check() == set(), "it was noticed too late"
        assert rig.store.verify(read_data=True).ok
        rig.line.save()
    finally:
        rig.close()


@pytest.mark.campaign("faulty-backend")
@pytest.mark.parametrize("place", PLACES)
@settings(CALM, max_examples=campaigns.size(10, 300))
@given(works=works, schedule=st.lists(st.sampled_from(["", ROTTEN, *READING]), max_size=40))
def test_objects_that_rot_are_named_and_never_restored(
    place: str, works: list[tuple[str, int]], schedule: list[str]
) -> None:
    rig = Rig(place, schedule)
    try:
        for what, number in works:
            rig.work(what, number)
        rig.check()
    finally:
        rig.close()


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("fault", [LOST, TORN, REPEATED, UNSURE, DELAYED])
def test_a_save_whose_pack_the_backend_did_not_keep_fails_and_the_next_one_succeeds(place: str, fault: str) -> None:
    rig = Rig(place, [fault])
    try:
        (rig.root / "large").write_bytes(noise(400_000))
        with pytest.raises(tb.TakebackError):
            rig.line.save()
        assert rig.backend.done == {fault: 1}
        assert rig.line.log().snapshots == ()
        rig.reported[rig.line.save().id] = look(rig.root)
        assert rig.check() == set()
        rig.store.maintain()
        with rig.store.blobs.database.read() as tx:
            listed = {object_name(row.name) for row in blobs.packs(tx)}
        assert set(rig.backend.list("packs/")) == listed, "something of the failed one is left"
    finally:
        rig.close()


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("fault", [LOST, TORN, REPEATED, UNSURE, DELAYED])
def test_hot_rows_are_not_given_up_for_a_pack_that_is_not_there(place: str, fault: str) -> None:
    rig = Rig(place, [fault])
    try:
        rig.work("save", 1)
        with pytest.raises(tb.TakebackError):
            rig.store.maintain()
        assert rig.backend.done == {fault: 1}
        assert rig.check() == set()
        assert rig.store.maintain().folded > 0
        assert rig.check() == set()
    finally:
        rig.close()
