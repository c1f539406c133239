"""A restore of a team and its members' worktrees, killed at any step: all of it is as before, or all as in the snapshot."""

from __future__ import annotations

import os
import shutil
from functools import partial
from pathlib import Path

import pytest

import takeback as tb
from support.processes import KILLED, in_child, kill_before_step
from support.teams.real import RealTeam
from support.teams.workspaces import Crew
from takeback.engine.store import Store, open_store
from takeback.engine.timeline import Timeline
from takeback.locate.members import add_members

pytestmark = pytest.mark.service("git")

STRIDE = 1 if os.environ.get("TAKEBACK_TEST_SOAK") else 41
"""Every so many steps the process is killed."""


def _timeline(store: Store, crew: Crew) -> Timeline:
    line = store.timeline(crew.team.name, sources=[tb.Team(crew.team.name, crew.data)])
    add_members(line)
    return line


@pytest.mark.parametrize("gone", [False, True], ids=["derailed", "cleaned up"])
def test_a_team_and_all_worktrees_are_before_or_after(
    tmp_path: Path, team: RealTeam, gone: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    crew, place = Crew(tmp_path, team), tmp_path / "store"
    with open_store(place) as store:
        snapshot = _timeline(store, crew).save().id
    good = team.state(), crew.trees()
    if gone:
        monkeypatch.chdir(crew.repository)
        team.run("team", "cleanup", team.name, "--force")
    else:
        crew.derail()
    before = team.state(), crew.trees()
    kept = {path: tmp_path / "kept" / path.name for path in (crew.data, place)}
    for path, copy in kept.items():
        shutil.copytree(path, copy, symlinks=True)

    def restore(step: int) -> None:
        with open_store(place) as store:
            line = _timeline(store, crew)
            kill_before_step(step)
            line.restore(snapshot)

    ends, step, code = set(), 1, KILLED
    while code == KILLED:
        for path, copy in kept.items():
            shutil.rmtree(path)
            shutil.copytree(copy, path, symlinks=True)
        code, _ = in_child(partial(restore, step))
        with open_store(place) as store:
            _timeline(store, crew).save()
            now = team.state(), crew.trees()
            assert now in (before, good), step
            ends.add(now == good)
            assert store.verify().ok, step
        assert not list(crew.data.glob(".takeback-*")), step
        step += STRIDE
    assert code == 0 and ends == {False, True}
