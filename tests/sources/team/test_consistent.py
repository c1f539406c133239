"""A team is seen as it was at one instant, beside four processes that change it all the time through ClawTeam itself."""

from __future__ import annotations

from pathlib import Path

import pytest
from clawteam.team.manager import TeamManager
from clawteam.team.snapshot import SnapshotManager

import takeback as tb
from support import campaigns
from support.counts import Tell, tell
from support.teams.real import RealTeam
from support.teams.seeing import Data, impossible, of_bundle, of_files, of_part
from support.teams.writers import NAMES, writing
from takeback.sources.team import kernel

pytestmark = pytest.mark.campaign("team-consistency")

SNAPSHOTS = campaigns.size(25, 1000)
AT_ONCE = 250
"""Snapshots after which the team begins anew: it grows, and ClawTeam takes longer for each task then."""
THEIRS = campaigns.size(10, 50)
"""Snapshots of ClawTeam's own; more only until the first is wrong, which most are."""
STOPS = campaigns.size(8, 50)
DEAF = campaigns.size(12, 50)
"""Snapshots without inotify."""


def populated(data_dir: Path) -> RealTeam:
    team = RealTeam(data_dir)
    TeamManager.cleanup(team.name)
    TeamManager.create_team(team.name, "lead", "id-lead")
    for name in NAMES:
        TeamManager.add_member(team.name, name, f"id-{name}")
    team.costs.summary()
    return team


@pytest.mark.parametrize("shard", campaigns.shards(10))
def test_hundreds_of_snapshots_beside_four_writers_hold_nothing_that_cannot_have_been(
    data_dir: Path, memory_path: Path, shard: int, record_property: Tell
) -> None:
    ids: dict[str, None] = {}
    rounds = 0
    with tb.open(memory_path / "store") as store:
        line = store.timeline("alpha", sources=[tb.Team("alpha", data_dir)])
        while len(ids) < SNAPSHOTS:
            with writing(populated(data_dir)) as writers:
                for number in range(min(AT_ONCE, SNAPSHOTS)):
                    if number % 4 == 0:
                        writers.grow()
                    ids[line.save(trigger="interval").id] = None
                rounds += writers.end()
        wrong, unsettled = [], 0
        known: dict[bytes, Data] = {}
        for id in ids:
            part = line.show(id).parts["team"]
            unsettled += bool(part.not_captured)
            with store.blobs.reader() as reader:
                wrong += [f"{id}: {each}" for each in impossible(of_part(reader, part, known))]
    campaigns.count_runs(record_property, len(ids))
    tell(
        record_property,
        f"{len(ids)} snapshots of a team beside 4 writers ({rounds} rounds): {len(wrong)} impossible, {unsettled} unsettled",
    )
    assert not wrong, wrong[:10]
    assert unsettled == 0


def test_where_the_kernel_tells_nothing_everything_is_looked_at_twice(
    data_dir: Path, memory_path: Path, record_property: Tell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a file system that is another machine's. Who never rests is never seen twice alike, so these writers rest."""
    monkeypatch.setattr(kernel, "LOCAL", frozenset())
    team, wrong, unsettled = populated(data_dir), [], 0
    with tb.open(memory_path / "store") as store, writing(team, pause=0.02) as writers:
        line = store.timeline("alpha", sources=[tb.Team("alpha", data_dir)])
        for _ in range(DEAF):
            writers.grow()
            part = line.save(trigger="interval").parts["team"]
            unsettled += bool(part.not_captured)
            with store.blobs.reader() as reader:
                found = impossible(of_part(reader, part, {}))
            wrong += [] if part.not_captured else found
        writers.end()
    tell(
        record_property,
        f"{DEAF} snapshots of a team beside 4 writers, without inotify: {len(wrong)} impossible, {unsettled} unsettled",
    )
    assert not wrong, wrong[:10]
    assert unsettled < DEAF


def test_what_clawteam_itself_takes_for_a_snapshot_cannot_have_been(data_dir: Path, record_property: Tell) -> None:
    """The same questions, asked of what is read file by file, without a lock: so they can be answered with no."""
    team = populated(data_dir)
    manager = SnapshotManager(team.name)
    wrong: list[list[str]] = []
    with writing(team) as writers:
        for number in range(10 * THEIRS):
            if number >= THEIRS and any(wrong):
                break
            writers.grow()
            wrong.append(impossible(of_bundle(manager.load_bundle(manager.create(f"{number}").id))))
        rounds = writers.end()
    bad = [each for each in wrong if each]
    tell(
        record_property,
        f"ClawTeam's own snapshots beside 4 writers ({rounds} rounds): {len(bad)} of {len(wrong)} impossible",
    )
    assert bad


def test_a_team_that_is_made_to_stand_still_at_any_instant_is_possible(data_dir: Path, record_property: Tell) -> None:
    """Between two changes of its tasks, that is. So what the questions find wrong elsewhere is wrong."""
    team = populated(data_dir)
    with writing(team) as writers:
        for _ in range(STOPS):
            writers.grow()
            with team.locked(), writers.stopped():
                found = {path: node.data for path, node in team.files().items()}
            assert impossible(of_files(team.name, found)) == []
        rounds = writers.end()
    assert impossible(of_files(team.name, {path: node.data for path, node in team.files().items()})) == []
    tell(record_property, f"a team whose 4 writers were stopped at {STOPS} instants ({rounds} rounds): all possible")
