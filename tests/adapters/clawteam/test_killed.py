"""A restore of ClawTeam's bundle that is killed at any step leaves the team whole: as before, or as in the bundle."""

from __future__ import annotations

import os
import shutil
import signal
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import takeback as tb
from support.processes import KILLED, in_child
from support.teams.real import RealTeam
from takeback.adapters.clawteam import SnapshotManager

STEPS = ("rename", "unlink", "rmdir", "link", "mkdir")
PIECES = 12


def _restore(team: RealTeam, store: Path, id: str, at: int = 0) -> int:
    """How many steps there are that change a name; the process is killed at one of them."""
    steps = 0

    def counted(call: Any) -> Any:
        def step(*arguments: Any, **more: Any) -> Any:
            nonlocal steps
            steps += 1
            if steps == at:
                os.kill(os.getpid(), signal.SIGKILL)
            return call(*arguments, **more)

        return step

    for name in STEPS:
        setattr(os, name, counted(getattr(os, name)))
    with SnapshotManager(team.name, store=store) as manager:
        manager.restore(id)
    return steps


@pytest.mark.parametrize("there", [True, False])
def test_a_bundle_s_restore_that_is_killed_is_whole_for_whoever_comes_next(
    team: RealTeam, theirs: Any, tmp_path: Path, there: bool
) -> None:
    bundle = theirs.create()
    state = team.state()
    team.work_on()
    if not there:
        team.run("team", "cleanup", team.name, "--force")
    before, template = team.files(), tmp_path / "template"
    shutil.copytree(team.data, template)
    code, steps = in_child(lambda: _restore(team, tmp_path / "clean", bundle.id))
    after = team.files()
    assert code == 0 and steps > PIECES and team.state() == state
    seen = set()
    for piece in range(PIECES):
        shutil.rmtree(team.data)
        shutil.copytree(template, team.data)
        store, at = tmp_path / f"store {piece}", 1 + piece * (steps - 1) // (PIECES - 1)
        assert in_child(partial(_restore, team, store, bundle.id, at))[0] == KILLED
        with tb.open(store) as opened:
            opened.timeline(team.name, sources=[tb.Team(team.name)]).sync()
            assert opened.verify(read_data=True).ok
        assert team.files() in (before, after), f"killed at step {at} of {steps}"
        seen.add(team.files() == after)
        with SnapshotManager(team.name, store=store) as manager:
            manager.restore(bundle.id)
        assert team.files() == after
    assert seen == {True, False}


def test_a_killed_restore_is_finished_by_a_command_about_another_team_as_that_of_its_own(
    team: RealTeam, tmp_path: Path
) -> None:
    other = RealTeam(team.data, "beta")
    other.found()
    store = tmp_path / "store"
    with SnapshotManager(team.name, store=store) as manager:
        meta = manager.create()
        files = team.files()
        team.work_on()
        worked = team.files()
        _, steps = in_child(lambda: _restore(team, store, meta.id))
        manager.restore("@-")
    assert team.files() == worked
    assert in_child(lambda: _restore(team, store, meta.id, steps - 2))[0] == KILLED
    beta = other.files()
    with SnapshotManager("beta", store=store) as manager:
        made = manager.create()
    assert team.files() == files and other.files() == beta
    assert (made.member_count, made.task_count) == (4, 0)
    with SnapshotManager(team.name, store=store) as manager:
        latest = manager.timeline.show("@")
    assert latest.trigger == "restore"
    assert latest.parts["team"].detail["counts"]["tasks"] == meta.task_count


def test_a_killed_restore_is_finished_before_a_bundle_is_brought_in(
    team: RealTeam, theirs: Any, tmp_path: Path
) -> None:
    store = tmp_path / "store"
    with SnapshotManager(team.name, store=store) as manager:
        meta = manager.create()
        files = team.files()
        team.work_on()
        bundle = theirs.create()
        place = team.path("snapshots/{}") / f"snap-{bundle.id}.json"
        worked = team.files()
        _, steps = in_child(lambda: _restore(team, store, meta.id))
        manager.restore("@-")
        assert team.files() == worked
        assert in_child(lambda: _restore(team, store, meta.id, steps - 2))[0] == KILLED
        assert manager.import_bundle(place).task_count == bundle.task_count
        assert team.files() == files
        latest = manager.timeline.show("@")
        assert latest.trigger == "restore"
        assert manager.timeline.plan(latest).empty
