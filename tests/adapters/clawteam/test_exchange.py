"""Bundles both ways: what ClawTeam made is restored here, what was exported here ClawTeam restores; its API compares."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest
from clawteam.team.manager import TeamManager

import takeback as tb
from support.teams.real import RealTeam
from takeback.adapters.clawteam import NoBundle, SnapshotManager
from takeback.errors import InvalidInput


def test_clawteam_s_bundle_is_restored_here(team: RealTeam, manager: SnapshotManager, theirs: Any) -> None:
    meta = theirs.create("theirs")
    before = team.state()
    team.work_on(1)
    worked = team.files()
    said = manager.restore(meta.id)
    assert team.state() == before
    assert (said["tasks"], said["events"], said["costs"]) == (meta.task_count, meta.event_count, meta.cost_event_count)
    assert sorted(task["subject"] for task in said["lost"]["tasks"]) == ["after more 1", "more 1"]
    assert [mail["content"] for mail in said["lost"]["messages"]] == ["more 1"]
    assert (said["lost"]["events"], said["lost"]["costs"]) == (1, 1)  # and not all that got another name
    manager.restore(said["safety"])
    assert team.files() == worked


def test_a_bundle_leaves_alone_what_no_bundle_holds(team: RealTeam, manager: SnapshotManager, theirs: Any) -> None:
    meta = theirs.create()

    def others() -> dict[str, Any]:
        held = ("tasks/", "sessions/", "costs/", "teams/alpha/events/", "teams/alpha/inboxes/", "teams/alpha/config")
        return {path: node for path, node in team.files().items() if not path.startswith(held)}

    before = others()
    assert {path.split("/")[0] for path in before} == {"plans", "harness", "teams"}
    said = manager.restore(meta.id)
    assert others() == before
    assert said["kept"] == [] and any("dead letters" in note for note in said["notes"])


def test_a_bundle_leaves_directories_open_to_whom_they_were_open(
    team: RealTeam, manager: SnapshotManager, theirs: Any
) -> None:
    meta = theirs.create()
    shared = [team.path("tasks/{}"), team.path("teams/{}/inboxes/ada"), team.path("teams")]
    for place in shared:
        place.chmod(0o775)
    team.work_on()
    manager.restore(meta.id)
    assert [stat.S_IMODE(place.stat().st_mode) for place in shared] == [0o775] * 3


def test_files_of_a_bundle_are_open_to_nobody_to_whom_the_directory_is_closed(
    team: RealTeam, manager: SnapshotManager, theirs: Any
) -> None:
    meta = theirs.create()
    TeamManager.cleanup(team.name)
    for place in (team.data, *team.data.iterdir()):
        place.chmod(0o700)
    manager.restore(meta.id)
    made = [path for area in ("teams", "tasks", "sessions", "costs") for path in (team.data / area).rglob("*")]
    assert made and {stat.S_IMODE(path.stat().st_mode) & 0o077 for path in made} == {0}


def test_files_of_a_bundle_have_the_modes_that_clawteam_gives(
    team: RealTeam, manager: SnapshotManager, theirs: Any
) -> None:
    meta = theirs.create()
    modes = [(path, node.mode) for path, node in team.files().items() if path.startswith(("tasks/", "sessions/"))]
    manager.restore(meta.id)
    there = team.files()
    assert modes and [(path, there[path].mode) for path, _ in modes] == modes


def test_mail_that_comes_after_a_restored_bundle_is_read_after_it(
    team: RealTeam, manager: SnapshotManager, theirs: Any
) -> None:
    meta = theirs.create()
    before = [message.get("content") for message in team.state()["mail"]["ada"]]
    manager.restore(meta.id)
    team.mail.send("bob", "ada", "the newest")
    assert [message.content for message in team.mail.receive("ada", limit=100)] == [*before, "the newest"]


def test_a_broadcast_after_a_restored_bundle_reaches_every_member(
    team: RealTeam, manager: SnapshotManager, theirs: Any
) -> None:
    for inbox in team.path("teams/{}/inboxes").iterdir():
        for message in inbox.iterdir():
            message.unlink()
    meta = theirs.create()
    team.run("team", "cleanup", team.name, "--force")
    manager.restore(meta.id)
    assert sorted(each.to for each in team.mail.broadcast("nobody", "hello")) == ["ada", "bob", "guest_eve", "lead"]


def test_clawteam_restores_what_was_exported(team: RealTeam, manager: SnapshotManager, theirs: Any) -> None:
    meta = manager.create("for/them")
    before = team.state()
    place = manager.export_bundle(meta.id)
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert [each.id for each in theirs.list_snapshots()] == [meta.id]
    assert theirs.list_snapshots()[0].model_dump() == meta.model_dump()
    team.work_on()
    TeamManager.cleanup(team.name)
    done = team.run("--json", "team", "restore", team.name, meta.id, "--force")
    assert json.loads(done.stdout)["tasks"] == meta.task_count
    assert team.state() == before


def test_claimed_mail_is_exported_where_it_would_be_read(team: RealTeam, manager: SnapshotManager, theirs: Any) -> None:
    first = min(team.path("teams/{}/inboxes/ada").glob("msg-*.json"))
    first.rename(first.with_suffix(".consumed"))
    meta = manager.create()
    before = team.state()["mail"]
    manager.export_bundle(meta.id)
    TeamManager.cleanup(team.name)
    theirs.restore(meta.id)
    assert team.state()["mail"] == before


def test_both_managers_load_the_same_bundle(team: RealTeam, manager: SnapshotManager, theirs: Any) -> None:
    ours, bundle = manager.create(), theirs.create("theirs")
    assert manager.load_bundle(bundle.id) == theirs.load_bundle(bundle.id)
    made, loaded = manager.load_bundle(ours.id), theirs.load_bundle(bundle.id)
    said = made.pop("takeback")
    assert {**made, "meta": 0} == {**loaded, "meta": 0}
    assert said["snapshot"] == ours.snapshot
    assert {path.split("/")[0] for path in said["left_out"]} == {"plans", "harness", "teams", "costs"}
    assert "costs/alpha/summary.json" in said["left_out"]


def test_there_and_back_again(team: RealTeam, manager: SnapshotManager, theirs: Any, tmp_path: Path) -> None:
    before = team.state()
    for turn in range(3):
        ours = manager.create(f"turn {turn}")
        manager.export_bundle(ours.id)
        TeamManager.cleanup(team.name)
        theirs.restore(ours.id)
        assert team.state() == before
        bundle = theirs.create(f"back {turn}")
        TeamManager.cleanup(team.name)
        manager.restore(bundle.id)
        assert team.state() == before


def test_a_bundle_recreates_a_team_of_which_the_store_knows_nothing(
    team: RealTeam, theirs: Any, tmp_path: Path
) -> None:
    meta = theirs.create()
    before = team.state()
    TeamManager.cleanup(team.name)
    with SnapshotManager(team.name, store=tmp_path / "empty") as manager:
        assert manager.restore(meta.id, dry_run=True)["lost"]["tasks"] == []
        assert TeamManager.get_team(team.name) is None
        manager.restore(meta.id)
    assert team.state() == before


def test_both_are_listed_and_an_export_only_once(team: RealTeam, manager: SnapshotManager, theirs: Any) -> None:
    bundle = theirs.create("theirs")
    ours = manager.create("ours")
    manager.export_bundle(ours.id)
    assert [(meta.id, meta.kind) for meta in manager.list_snapshots()] == [
        (ours.id, "takeback"),
        (bundle.id, "bundle"),
    ]
    assert manager.list_snapshots()[1].model_dump() == bundle.model_dump()
    assert manager.delete(bundle.id) and manager.delete(ours.id)
    assert manager.list_snapshots() == [] and theirs.list_snapshots() == []


def test_a_bundle_that_was_restored_is_no_moment_of_the_team_s_history(
    team: RealTeam, manager: SnapshotManager, theirs: Any, tmp_path: Path
) -> None:
    manager.create()
    bundle = theirs.create("theirs")
    team.work_on()
    worked = team.files()
    for _ in range(3):
        manager.restore(bundle.id, dry_run=True)
    with tb.open(tmp_path / "store") as store:
        line = store.timeline(team.name, sources=[tb.Team(team.name)])
        assert len(line.log().snapshots) == 1
        assert {row.name: store.count(row) for row in store.timelines()} == {"alpha": 1, "alpha bundles": 1}
        manager.restore(bundle.id)
        line.undo()
    assert team.files() == worked
    theirs.delete(bundle.id)
    assert [meta.tag for meta in manager.list_snapshots()] == [""]


def test_an_imported_bundle_needs_its_file_no_longer(
    team: RealTeam, manager: SnapshotManager, theirs: Any, tmp_path: Path
) -> None:
    bundle = theirs.create("theirs")
    before = team.state()
    meta = manager.import_bundle(team.path("snapshots/{}") / f"snap-{bundle.id}.json")
    assert (meta.id, meta.tag, meta.created_at, meta.kind) == (bundle.id, "theirs", bundle.created_at, "bundle")
    theirs.delete(bundle.id)
    TeamManager.cleanup(team.name)
    assert manager.list_snapshots() == [meta]
    manager.restore(meta.id)
    assert team.state() == before
    assert manager.delete(meta.id) is True and manager.list_snapshots() == []


def test_the_same_bundle_is_imported_once_and_another_of_its_id_beside_it(
    team: RealTeam, manager: SnapshotManager, theirs: Any, tmp_path: Path
) -> None:
    bundle = theirs.create("theirs")
    place = team.path("snapshots/{}") / f"snap-{bundle.id}.json"
    copy = tmp_path / "copy.json"
    copy.write_bytes(place.read_bytes())
    first, again = manager.import_bundle(place), manager.import_bundle(copy)
    assert (first, first.snapshot) == (again, again.snapshot)
    raw = json.loads(place.read_text())
    raw["tasks"][0]["subject"] = "another"
    copy.write_text(json.dumps(raw))
    other = manager.import_bundle(copy)
    assert (other.id, other.tag) == (f"{bundle.id}-2", "theirs") and other.snapshot != first.snapshot
    assert sorted(meta.id for meta in manager.list_snapshots()) == [bundle.id, f"{bundle.id}-2"]


def test_an_export_never_replaces_another_file(team: RealTeam, manager: SnapshotManager, tmp_path: Path) -> None:
    meta = manager.create()
    place = tmp_path / "deep" / "bundle.json"
    assert manager.export_bundle(meta.id, place) == place
    manager.export_bundle(meta.id, place)  # the same once more
    team.work_on()
    with pytest.raises(InvalidInput, match="something else"):
        manager.export_bundle(manager.create().id, place)
    assert json.loads(place.read_text())["meta"]["id"] == meta.id
    assert [path.name for path in place.parent.iterdir()] == ["bundle.json"]


def test_a_snapshot_without_an_id_is_exported_under_its_time(
    team: RealTeam, manager: SnapshotManager, theirs: Any
) -> None:
    meta = manager.create()
    team.work_on()
    worked = team.state()
    safety = manager.restore(meta.id)["safety"]
    place = manager.export_bundle(safety)
    (listed,) = theirs.list_snapshots()
    assert place.name == f"snap-{listed.id}.json" and listed.id.endswith(f"-{safety[:8]}")
    theirs.restore(listed.id)
    assert team.state() == worked


def test_what_a_member_wrote_into_its_files_never_leads_clawteam_elsewhere(
    team: RealTeam, manager: SnapshotManager
) -> None:
    team.write("tasks/{}/task-evil.json", {"id": "../../escaped", "subject": "x"})
    meta = manager.create()
    with pytest.raises(NoBundle, match="escaped"):
        manager.export_bundle(meta.id)
    assert not team.path("snapshots").exists()
    manager.restore(meta.id)  # which goes by the names of files, not by what they say


@pytest.mark.parametrize("text", ['{"from": "a", "content": "\\ud800"}', '{"from": "a", "content": NaN}'])
def test_what_no_bundle_can_hold_is_said_and_restored_all_the_same(
    team: RealTeam, manager: SnapshotManager, text: str
) -> None:
    team.path("teams/{}/inboxes/ada/msg-1-x.json").write_text(text)
    meta = manager.create()
    files = team.files()
    with pytest.raises(NoBundle, match="cannot be written"):
        manager.export_bundle(meta.id)
    assert not team.path("snapshots").exists()
    team.work_on()
    manager.restore(meta.id)
    assert team.files() == files


def test_members_may_be_called_as_clawteam_lets_them(team: RealTeam, manager: SnapshotManager, theirs: Any) -> None:
    for name in ("Agent Smith", "研究员", "a+b@c"):
        TeamManager.add_member(team.name, name, "id")
        team.mail.send("lead", name, "hello")
        team.sessions.save(name, "s")
    meta, before = theirs.create(), team.state()
    TeamManager.cleanup(team.name)
    manager.restore(meta.id)
    assert team.state() == before
    ours = manager.create()
    manager.export_bundle(ours.id)
    TeamManager.cleanup(team.name)
    theirs.restore(ours.id)
    assert team.state() == before


def test_a_file_that_is_no_json_is_named_and_left_out_of_a_bundle(team: RealTeam, manager: SnapshotManager) -> None:
    team.path("tasks/{}/task-broken.json").write_text('{"id": ')
    meta = manager.create()
    bundle = manager.load_bundle(meta.id)
    assert bundle["meta"]["taskCount"] == len(bundle["tasks"]) == meta.task_count - 1
    assert "tasks/alpha/task-broken.json" in bundle["takeback"]["left_out"]


def test_files_that_are_no_bundles_are_not_listed_but_named(
    team: RealTeam, manager: SnapshotManager, theirs: Any
) -> None:
    bundle = theirs.create()
    wrong = team.path("snapshots/{}/snap-wrong.json")
    wrong.write_text('{"meta": {"id": "other", "teamName": "alpha"}}')
    assert [meta.id for meta in manager.list_snapshots()] == [bundle.id]
    assert manager.unreadable() == [str(wrong)]
