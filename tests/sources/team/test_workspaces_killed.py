"""A restore of a team and its members' worktrees, killed at any step: all of it is as before, or all as in the snapshot."""

from __future__ import annotations

from pathlib import Path

import pytest

import takeback as tb
from support import campaigns
from support.counts import Tell, tell
from support.faults.zygote import Zygote
from support.teams.real import RealTeam
from support.teams.workspaces import Crew
from support.template import Template
from takeback.engine.store import Store, open_store
from takeback.engine.timeline import Timeline
from takeback.locate.members import add_members

pytestmark = pytest.mark.service("git")

SHARDS = 3
KILLS = 8
"""How many `make test` makes."""


def _timeline(store: Store, data: Path) -> Timeline:
    line = store.timeline("alpha", sources=[tb.Team("alpha", data)])
    add_members(line)
    return line


def restore(place: Path, data: Path, snapshot: str) -> None:
    with open_store(place) as store:
        _timeline(store, data).restore(snapshot)


@pytest.mark.campaign("team-workspaces-killed")
@pytest.mark.parametrize("gone", [False, True], ids=["derailed", "cleaned up"])
@pytest.mark.parametrize("shard", campaigns.shards(SHARDS))
def test_a_team_and_all_worktrees_are_before_or_after(
    zygote: Zygote,
    tmp_path: Path,
    team: RealTeam,
    gone: bool,
    shard: int,
    monkeypatch: pytest.MonkeyPatch,
    record_property: Tell,
) -> None:
    crew, place = Crew(tmp_path, team), tmp_path / "store"
    with open_store(place) as store:
        snapshot = _timeline(store, crew.data).save().id
    good = team.state(), crew.trees()
    if gone:
        monkeypatch.chdir(crew.repository)
        team.run("team", "cleanup", team.name, "--force")
    else:
        crew.derail()
    before = team.state(), crew.trees()
    template = Template(tmp_path / "template", crew.data, place, crew.repository)
    points = zygote.points(tmp_path, restore, place, crew.data, snapshot)
    assert (team.state(), crew.trees()) == good
    chosen = campaigns.pick(range(1, len(points) + 1), KILLS)[shard :: campaigns.size(1, SHARDS)]
    ends = set()
    for at in chosen:
        template.reset()
        zygote.killed(tmp_path, at, restore, place, crew.data, snapshot)
        with open_store(place) as store:
            _timeline(store, crew.data).save()
            now = team.state(), crew.trees()
            assert now in (before, good), at
            ends.add(now == good)
            assert store.verify().ok, at
        assert not list(crew.data.glob(".takeback-*")), at
    assert ends == {False, True}
    campaigns.count_runs(record_property, len(chosen))
    tell(record_property, f"restore of a team with worktrees: killed at {len(chosen)} of {len(points)} steps")
