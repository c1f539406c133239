"""A team passes the suite of all sources, changed by the real ClawTeam."""

from __future__ import annotations

from pathlib import Path

import pytest
from clawteam.team.models import TaskStatus

import takeback as tb
from support.teams.real import RealTeam, files_in
from takeback.sources.protocol import Source
from takeback.testing import SourceSuite


class TestTeam(SourceSuite):
    @pytest.fixture
    def source(self, team: RealTeam) -> Source:
        self.team = team
        return tb.Team(team.name, team.data)

    def change(self, source: Source, number: int) -> None:
        tasks, mail = self.team.tasks, self.team.mail
        if number == 0:  # what is new
            tasks.create("another")
            mail.send("lead", "ada", "and another")
        elif number == 1:  # what changes
            (task,) = (each for each in tasks.list_tasks() if each.subject == "write")
            tasks.update(task.id, status=TaskStatus.completed)
            self.team.sessions.save("bob", "session-9")
            self.team.costs.report("ada", cost_cents=1.0)
        else:  # what goes, and directories with it
            mail.receive("guest_eve", limit=2)
            (self.team.path("teams/{}/inboxes/guest_eve")).rmdir()
            self.team.sessions.clear("ada")
            self.team.path("teams/{}/config.json").chmod(0o600)

    def read(self, source: Source) -> object:
        return files_in(Path(source.root), self.team.name)
