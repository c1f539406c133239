"""A person and two agents work in one directory, in any order, against a model that is a dict.

What must hold after every step: a restore gives exactly what was saved; undo of a move that nobody touched since gives
exactly what was there before it; redo gives back what undo took; a line that a person wrote is never taken by the undo
of an agent's move; and, through `World.checked`, the present was saved first, exactly the reported paths changed, and a
failure changed nothing. At the end the store verifies to the last byte.

``TAKEBACK_TEST_SOAK=1`` runs many more and longer ones (`make soak`).
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, precondition, rule

import takeback as tb
from support.agent import World
from support.trees import Node
from takeback.model.plan import Report

SOAK = os.environ.get("TAKEBACK_TEST_SOAK") == "1"

PATHS = ["a.txt", "b.txt", "dir/a.txt", "dir/b.txt", "dir/deep/c.txt", "x", "x/inner"]
SESSIONS = ["one", "two"]
paths = st.sampled_from(PATHS)
sessions = st.sampled_from(SESSIONS)


class Timeline(RuleBasedStateMachine):
    """The rules are what people and agents do."""

    snapshots: Bundle[str] = Bundle("snapshots")

    def __init__(self) -> None:
        super().__init__()
        self.base = Path(tempfile.mkdtemp(prefix="takeback-machine-"))
        self.world = World(self.base)
        self.trees: dict[str, dict[str, Node]] = {}
        self.open: dict[str, bool] = dict.fromkeys(SESSIONS, False)
        self.number = 0

    def teardown(self) -> None:
        health = self.world.store.verify(read_data=True)
        assert health.ok, health.problems
        self.world.store.close()
        shutil.rmtree(self.base)

    # what is known

    def token(self, who: str) -> str:
        self.number += 1
        return f"{who} wrote line {self.number}\n"

    def persons_lines(self) -> set[bytes]:
        return {
            line
            for data in self.world.files().values()
            for line in data.splitlines(keepends=True)
            if line.startswith(b"a person")
        }

    def saved(self, snapshot: tb.Snapshot) -> str:
        self.trees[snapshot.id] = self.world.tree()
        return snapshot.id

    def put(self, path: str, text: str) -> None:
        """Write a file, whatever stands in its way or above it."""
        target = self.world.root / path
        for above in (parent for parent in target.parents if parent != self.world.root):
            if self.world.root in above.parents and above.is_file():
                above.unlink()
        if target.is_dir():
            shutil.rmtree(target)
        self.world.write(path, text)

    def text(self, path: str) -> str:
        target = self.world.root / path
        return target.read_text() if target.is_file() else ""

    # a person

    @initialize()
    def begin(self) -> None:
        self.world.write("a.txt", "".join(f"line {number}\n" for number in range(12)))

    @rule(path=paths, place=st.integers(0, 30))
    def person_adds_a_line(self, path: str, place: int) -> None:
        lines = self.text(path).splitlines(keepends=True)
        lines.insert(min(place, len(lines)), self.token("a person"))
        self.put(path, "".join(lines))

    @rule(path=paths)
    def person_removes(self, path: str) -> None:
        if self.world.exists(path):
            self.world.remove(path)

    @rule(old=paths, new=paths)
    def person_renames(self, old: str, new: str) -> None:
        if (self.world.root / old).is_file() and not self.world.exists(new) and new[0] != "x":
            self.world.rename(old, new)

    @rule(path=paths, mode=st.sampled_from([0o600, 0o644, 0o755]))
    def person_changes_permissions(self, path: str, mode: int) -> None:
        if (self.world.root / path).is_file():
            self.world.chmod(path, mode)

    @rule(target=snapshots, trigger=st.sampled_from(["manual", "interval"]))
    def person_saves(self, trigger: str) -> str:
        return self.saved(self.world.line.save(trigger=trigger))

    # agents

    @rule(target=snapshots, session=sessions)
    def turn_starts(self, session: str) -> str:
        self.open[session] = True
        return self.saved(self.world.line.save(trigger="turn_start", session=session, title=f"turn of {session}"))

    @precondition(lambda self: any(self.open.values()))
    @rule(path=paths, place=st.integers(0, 30), session=sessions)
    def agent_edits(self, path: str, place: int, session: str) -> None:
        if not self.open[session]:
            return
        lines = self.text(path).splitlines(keepends=True)
        if lines and place % 3 == 0:
            lines = [line for line in lines if line.startswith("a person")]
        lines.insert(min(place, len(lines)), self.token(f"agent {session}"))
        self.put(path, "".join(lines))

    @rule(target=snapshots, session=sessions)
    def turn_ends(self, session: str) -> str:
        self.open[session] = False
        return self.saved(self.world.line.save(trigger="turn_end", session=session))

    @rule(session=sessions, path=paths)
    def a_whole_turn_is_undone_at_once(self, session: str, path: str) -> None:
        if any(self.open.values()):
            return
        with self.world.line.turn("whole", session=session):
            before = self.world.tree()
            self.put(path, self.token(f"agent {session}"))
            if self.world.exists("b.txt") and path != "b.txt":
                self.world.remove("b.txt")
            self.world.write("made/by/agent.txt", "new\n")
        after = self.world.tree()
        undone = self.world.undo()
        assert self.world.tree() == before
        self.world.redo()
        assert self.world.tree() == after
        assert undone.title == "whole"

    # takeback

    @rule(reference=snapshots)
    def restore(self, reference: str) -> None:
        if self.known(reference):
            self.world.restore(reference)
            assert self.world.tree() == self.trees[reference]

    @rule(reference=snapshots, path=paths)
    def restore_a_path(self, reference: str, path: str) -> None:
        if self.known(reference) and (path in self.trees[reference] or self.world.exists(path)):
            report = self.world.restore(reference, paths=[path])
            if not report.kept:
                assert self.world.tree().get(path) == self.trees[reference].get(path)

    @rule()
    def undo_then_redo(self) -> None:
        before = self.world.tree()
        report = self.attempt_undo()
        if report is None or report.conflicts or report.kept or report.shared:
            return
        self.world.redo()
        assert self.world.tree() == before

    @rule()
    def undo(self) -> None:
        self.attempt_undo()

    @rule()
    def redo(self) -> None:
        try:
            self.world.redo()
        except (tb.NotFound, tb.Conflict):
            pass

    @rule(snapshot=consumes(snapshots))
    def drop(self, snapshot: str) -> None:
        if self.known(snapshot):
            try:
                self.world.line.drop(snapshot)
            except tb.InvalidInput:
                pass

    @rule()
    def look_again(self) -> None:
        """A save after nothing happened makes no snapshot."""
        first = self.saved(self.world.line.save(trigger="interval"))
        assert self.world.line.save(trigger="interval").id == first
        self.world = self.world.reopened()

    def known(self, snapshot: str) -> bool:
        try:
            return self.world.line.show(snapshot).id == snapshot
        except tb.NotFound:
            return False

    def attempt_undo(self) -> Report | None:
        """An undo, which must leave every line that a person wrote, unless it takes back a person's own move."""
        lines = self.persons_lines()
        self.saved(self.world.line.save(trigger="interval"))
        try:
            report = self.world.undo()
        except (tb.NotFound, tb.Conflict):
            return None
        levels = {self.world.move_by_id(move).level for move in report.moves}
        if levels <= {"turn"} and not self.overlapped(report):
            assert lines <= self.persons_lines()
        return report

    def overlapped(self, report: Report) -> bool:
        """Without action marks a turn owns its whole window, and so what a person did in it."""
        moves = [self.world.move_by_id(move) for move in report.moves]
        return any(move.closing_seq is None or move.closing_seq - move.opening_seq > 1 for move in moves) or any(
            line.startswith(b"a person") for data in self._written_inside(report) for line in data.splitlines()
        )

    def _written_inside(self, report: Report) -> list[bytes]:
        """What the moves themselves added, a person's lines inside their windows included."""
        found = []
        for move in (self.world.move_by_id(each) for each in report.moves):
            opening, closing = (self.trees.get(str(end), {}) for end in (move.opening, move.closing))
            for path, node in closing.items():
                before = set(opening[path].data.splitlines()) if path in opening else set()
                found += [line for line in node.data.splitlines() if line not in before]
        return found


TestTimeline = Timeline.TestCase
TestTimeline.settings = settings(
    max_examples=400 if SOAK else 25,
    stateful_step_count=80 if SOAK else 30,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    print_blob=True,
)
