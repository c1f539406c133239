"""Files, a container, memory and a team on one timeline, and somebody who saves, restores, undoes and redoes, all of it or
some parts, against a plain model: one value for each part.

What must hold: what was saved is what stood there; a restore gives exactly that for the parts that are meant, and leaves the
others; what anything replaces was saved first; undo of a turn takes back the parts that it changed and no others, and redo
gives them back; and the store verifies.
"""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule

import takeback as tb
from support import campaigns, generated
from support.containers.boxes import Boxes, Engine
from support.teams.real import VARIABLE
from support.together.world import PARTS, World
from takeback.model.plan import Report

HISTORIES, SHARDS = 60, 6

parts = st.sampled_from(PARTS)
some = st.sets(parts, min_size=1)
values = st.integers(1, 9).map(str)

Values = dict[str, str]


class Four(RuleBasedStateMachine):
    snapshots: Bundle[str] = Bundle("snapshots")

    def __init__(self) -> None:
        super().__init__()
        base = Path(tempfile.mkdtemp(prefix="takeback-four-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None))
        self.engine = Engine(os.environ["TAKEBACK_TEST_DOCKER"])
        self.variables = pytest.MonkeyPatch()
        for name, value in {
            VARIABLE: f"{base}/clawteam",
            "CLAWTEAM_TRANSPORT": "file",
            "DOCKER_HOST": self.engine.address,
            "TMPDIR": str(base),
        }.items():
            self.variables.setenv(name, value)
        self.variables.setattr(tempfile, "tempdir", str(base))
        self.boxes = Boxes(self.engine, f"t{secrets.token_hex(4)}")
        self.world = World(self.boxes, base)
        self.task = self.world.team.tasks.create("0", owner="ada").id
        self.memory: dict[str, Any] = {"value": "0"}
        self.store = tb.open(self.world.place.store)
        self.line = self.store.timeline("main", sources=self.world.place.sources(self.memory))
        self.model: Values = {}
        for part in PARTS:
            self.put(part, "0")
        self.known: dict[str, Values] = {}
        self.saves()

    # the parts

    def put(self, part: str, value: str) -> None:
        self.model[part] = value
        if part == "workspace":
            (self.world.place.project / "value").write_text(value)
        elif part == "container":
            self.world.sh(f"printf {value} >/srv/value")
        elif part == "memory":
            self.memory["value"] = value
        else:
            self.world.team.tasks.update(self.task, subject=value)

    def live(self) -> Values:
        return {
            "workspace": (self.world.place.project / "value").read_text(),
            "container": self.world.boxes.read(self.world.place.container, "/srv/value").decode(),
            "memory": self.memory["value"],
            "team": self.world.team.tasks.get(self.task).subject,
        }

    def held(self, reference: str) -> Values:
        task = self.line.read(reference, f"tasks/{self.world.place.team}/task-{self.task}.json", part="team")
        return {
            "workspace": self.line.read(reference, "value").decode(),
            "container": self.line.read(reference, "/srv/value", part="container").decode(),
            "memory": self.line.value(reference, "memory")["value"],
            "team": self.world.team.tasks._get_unlocked(self.task).model_validate_json(task).subject,
        }

    def took_back(self, report: Report, before: Values, after: Values) -> None:
        assert report.verified
        assert not report.conflicts
        assert self.held(report.safety) == before, "what stood there was not saved first"
        assert self.held(report.snapshot) == after
        self.model = after

    # what somebody does

    @rule(part=parts, value=values)
    def edits(self, part: str, value: str) -> None:
        self.put(part, value)

    @rule(target=snapshots)
    def saves(self) -> str:
        snapshot = self.line.save()
        assert self.held(snapshot.id) == self.model
        self.known[snapshot.id] = dict(self.model)
        return snapshot.id

    @rule(snapshot=snapshots, only=st.none() | some)
    def restores(self, snapshot: str, only: set[str] | None) -> None:
        before = dict(self.model)
        wanted = {**before, **_of(self.known[snapshot], only or PARTS)}
        report = self.line.restore(snapshot, only=None if only is None else sorted(only))
        self.took_back(report, before, wanted)
        if wanted != before:
            self.took_back(self.line.undo(), wanted, before)
            self.took_back(self.line.redo(), before, wanted)

    @rule(changes=st.dictionaries(parts, values, min_size=1), later=st.dictionaries(parts, values), only=some)
    def takes_a_turn_back(self, changes: Values, later: Values, only: set[str]) -> None:
        """After which somebody else has changed other parts."""
        before = dict(self.model)
        with self.line.turn("work"):
            for part, value in changes.items():
                self.put(part, value)
        after = dict(self.model)
        for part in later.keys() - changes.keys():
            self.put(part, later[part])
        now = dict(self.model)
        changed = {part for part in PARTS if before[part] != after[part]}
        if not changed & only:
            return
        undone = {**now, **_of(before, changed & only)}
        self.took_back(self.line.undo(only=sorted(only)), now, undone)
        self.took_back(self.line.redo(), undone, now)
        self.took_back(self.line.undo(), now, {**now, **_of(before, changed)})

    @invariant()
    def all_parts_are_as_the_model_says(self) -> None:
        if self.model:
            assert self.live() == self.model

    def teardown(self) -> None:
        assert self.store.verify(read_data=True).ok
        self.store.close()
        left = self.world.left()
        self.boxes.remove_all()
        self.engine.close()
        self.variables.undo()
        self.world.close()
        assert not left


def _of(values: Values, chosen: Iterable[str]) -> Values:
    return {part: values[part] for part in chosen}


@pytest.mark.service("docker")
@pytest.mark.campaign("stateful-four")
@pytest.mark.parametrize("shard", campaigns.shards(SHARDS))
def test_four(shard: int, record_property: Callable[[str, object], None]) -> None:
    examples = campaigns.size(2, HISTORIES // SHARDS)
    generated.run_machine(Four, shard=shard, examples=examples, steps=campaigns.size(8, 20))
    campaigns.count_runs(record_property, examples)
