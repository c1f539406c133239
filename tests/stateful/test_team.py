"""A team that ClawTeam works in, and somebody who saves, restores, undoes and redoes, against a plain model: a dictionary of
files for each snapshot.

What must hold: what was saved is what stood there; a restore gives exactly that, and ClawTeam says the same of the team as
then; with merge it keeps mail that was not there then; what anything replaces was saved first; undo gives what was there
before, and redo gives it back; the lock stays the same file as long as there is a team; and the store verifies.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
from clawteam.team.manager import TeamManager
from clawteam.team.models import TaskStatus
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, rule

import takeback as tb
from support import campaigns, generated
from support.counts import Tell
from support.teams.real import VARIABLE, RealTeam, files_in
from support.trees import Node, remove

EXAMPLES, STEPS = campaigns.size(6, 50), campaigns.size(20, 40)
NAME = "alpha"
members = st.sampled_from(["lead", "ada", "bob"])
words = st.text("ab ü\n", max_size=5)

Files = dict[str, Node]


class Swarm(RuleBasedStateMachine):
    snapshots: Bundle[str] = Bundle("snapshots")

    def __init__(self) -> None:
        super().__init__()
        self.base = Path(
            tempfile.mkdtemp(prefix="takeback-team-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
        )
        self.variables = pytest.MonkeyPatch()
        self.variables.setenv(VARIABLE, str(self.base / "clawteam"))
        (self.base / "clawteam").mkdir()
        self.team = RealTeam(self.base / "clawteam", NAME)
        self.team.found()
        self.store = tb.open(self.base / "store")
        self.known: dict[str, tuple[Files, dict[str, Any]]] = {}
        self.line = self.timeline()
        self.first = self.saved(self.line.save())

    def timeline(self, *, merge: bool = False) -> tb.Timeline:
        return self.store.timeline(NAME, sources=[tb.Team(NAME, self.team.data, merge=merge)])

    def saved(self, snapshot: tb.Snapshot) -> str:
        """What a snapshot holds is what stood there, read back from the store."""
        files = self.team.files()
        held = {
            path: Node({"f": "file", "l": "link"}[entry.kind], entry.mode, self.line.read(snapshot, path, part="team"))
            for path, entry in self.line.files(snapshot, part="team")
            if entry.kind != "d"
        }
        assert held == files
        self.known[snapshot.id] = (files, self.team.state() if self.there else {})
        return snapshot.id

    @property
    def there(self) -> bool:
        return self.team.path("teams/{}/config.json").exists()

    @property
    def inode(self) -> int | None:
        return self.team.lock.stat().st_ino if self.team.lock.exists() else None

    def took_back(self, report: tb.Report, before: Files, inode: int | None) -> None:
        assert report.verified
        assert self.held(report.safety) == before, "what stood there was not saved first"
        assert inode is None or self.inode == inode, "the lock is another file"

    def held(self, reference: str) -> Files:
        self.line.restore(reference, to={"team": self.base / "elsewhere"})
        found = files_in(self.base / "elsewhere", NAME)
        remove(self.base / "elsewhere")
        return found

    # what members do, through ClawTeam

    @rule(owner=members, subject=words, chance=st.randoms(use_true_random=False))
    def creates_a_task(self, owner: str, subject: str, chance: Any) -> None:
        tasks = [task.id for task in self.team.tasks.list_tasks()] if self.there else []
        if self.there:
            self.team.tasks.create(subject, owner=owner, blocked_by=chance.sample(tasks, min(len(tasks), 2)))

    @rule(chance=st.randoms(use_true_random=False))
    def completes_a_task(self, chance: Any) -> None:
        tasks = self.team.tasks.list_tasks() if self.there else []
        if tasks:
            self.team.tasks.update(chance.choice(tasks).id, status=TaskStatus.completed)

    @rule(sender=members, to=members, content=words)
    def sends(self, sender: str, to: str, content: str) -> None:
        if self.there:
            self.team.mail.send(sender, to, content)

    @rule(member=members, limit=st.integers(1, 3))
    def receives(self, member: str, limit: int) -> None:
        if self.there:
            self.team.mail.receive(member, limit=limit)

    @rule(member=members, cents=st.integers(0, 9))
    def reports(self, member: str, cents: int) -> None:
        if self.there:
            self.team.costs.report(member, cost_cents=cents)

    @rule(member=members, step=st.integers(0, 3))
    def keeps_a_session(self, member: str, step: int) -> None:
        if self.there:
            self.team.sessions.save(member, "session", "", {"step": step})

    @rule()
    def cleans_up(self) -> None:
        TeamManager.cleanup(NAME)

    # what somebody does with takeback

    @rule(target=snapshots)
    def saves(self) -> str:
        return self.saved(self.line.save())

    @rule(snapshot=snapshots)
    def restores(self, snapshot: str) -> None:
        before, inode = self.team.files(), self.inode
        report = self.line.restore(snapshot)
        if report.changed:
            self.took_back(report, before, inode)
        files, state = self.known[snapshot]
        assert self.team.files() == files
        if report.changed:
            self.line.undo()
            assert self.team.files() == before
            self.line.redo()
            assert self.team.files() == files
        if self.there:
            assert self.team.state() == state  # at last: ClawTeam writes a summary of costs for it

    @rule(snapshot=snapshots)
    def restores_and_keeps_mail(self, snapshot: str) -> None:
        before = self.team.files()
        self.timeline(merge=True).restore(snapshot)
        files = self.known[snapshot][0]
        newer = {path: node for path, node in before.items() if "/inboxes/" in path and path not in files}
        assert self.team.files() == {**newer, **files}

    @rule()
    def undoes(self) -> None:
        before = self.team.files()
        try:
            report = self.line.undo()
        except (tb.NotFound, tb.Conflict, tb.Partial):  # members changed since all that the move had changed
            assert self.team.files() == before
            return
        assert self.held(report.safety) == before

    def teardown(self) -> None:
        assert self.store.verify(read_data=True).ok
        self.store.close()
        self.variables.undo()
        remove(self.base)


@pytest.mark.campaign("stateful-team")
@pytest.mark.parametrize("shard", campaigns.shards(6))
def test_team(shard: int, record_property: Tell) -> None:
    generated.run_machine(Swarm, shard=shard, examples=EXAMPLES, steps=STEPS)
    campaigns.count_runs(record_property, EXAMPLES)
