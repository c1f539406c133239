"""What code that was written for ClawTeam's manager expects, of ours; and what ours does beyond that."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from clawteam.team.manager import TeamManager

import takeback as tb
from support.teams.real import RealTeam
from takeback.adapters.clawteam import NotThere, SnapshotManager, SnapshotMeta
from takeback.errors import InvalidInput, Locked, NotFound


def test_a_snapshot_says_what_it_holds(team: RealTeam, manager: SnapshotManager) -> None:
    meta = manager.create()
    state = team.state()
    assert isinstance(meta, SnapshotMeta)
    assert (meta.team_name, meta.tag, meta.kind) == (team.name, "", "takeback")
    assert meta.member_count == len(state["config"]["members"])
    assert meta.task_count == len(state["tasks"])
    assert meta.event_count == len(state["events"])
    assert meta.session_count == len(state["sessions"])
    assert meta.cost_event_count == len(state["costs"])
    assert manager.list_snapshots() == [meta]


def test_a_path_like_tag_is_kept_and_its_id_is_safe(manager: SnapshotManager) -> None:
    meta = manager.create(tag="before/deploy")
    assert meta.tag == "before/deploy"
    assert meta.id.endswith("-before-deploy")
    assert [each.tag for each in manager.list_snapshots()] == ["before/deploy"]


def test_two_snapshots_of_one_second_and_tag_are_two(team: RealTeam, manager: SnapshotManager) -> None:
    made = [manager.create("same") for _ in range(4)]
    assert len({meta.id for meta in made}) == 4
    assert [meta.id for meta in manager.list_snapshots()] == [meta.id for meta in reversed(made)]


def test_an_id_is_never_that_of_a_bundle_on_disk(
    team: RealTeam, manager: SnapshotManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    from datetime import UTC, datetime

    from takeback.adapters.clawteam import manager as module

    class Noon(datetime):
        @classmethod
        def now(cls, tz: object = None) -> datetime:  # type: ignore[override]
            return datetime(2026, 3, 1, 12, 0, 7, tzinfo=UTC)

    monkeypatch.setattr(module, "datetime", Noon)
    place = team.path("snapshots/{}/snap-20260301T120007.json")
    place.parent.mkdir(parents=True)
    place.write_text("{}")
    assert manager.create().id == "20260301T120007-2"


def test_a_team_that_is_not_there_is_a_value_error_that_names_those_that_are(team: RealTeam, tmp_path: Path) -> None:
    with SnapshotManager("no-such-team", store=tmp_path / "store") as manager:
        with pytest.raises(ValueError, match="not found") as caught:
            manager.create()
        assert isinstance(caught.value, NotFound) and team.name in str(caught.value)
        assert manager.list_snapshots() == []
    assert not (tmp_path / "store").exists()


@pytest.mark.parametrize("name", ["..", "a/b", "", "a\0b", "../../x"])
def test_a_name_that_no_team_has_is_refused(data_dir: Path, name: str) -> None:
    with pytest.raises(InvalidInput):
        SnapshotManager(name)


@pytest.mark.parametrize("id", ["nope", "../../x", "", "a\0b", "@-9", "x" * 5000, "zz"])
def test_a_snapshot_that_is_not_there_is_a_value_error(manager: SnapshotManager, id: str) -> None:
    manager.create()
    for verb in (manager.restore, manager.load_bundle, manager.plan, manager.export_bundle):
        with pytest.raises(ValueError, match="not found") as caught:
            verb(id)
        assert isinstance(caught.value, NotThere)
    assert manager.delete(id) is False


def test_newest_come_first(team: RealTeam, manager: SnapshotManager) -> None:
    first = manager.create("first")
    team.work_on()
    second = manager.create("second")
    assert [meta.tag for meta in manager.list_snapshots()] == ["second", "first"]
    assert manager.list_snapshots() == [second, first]


def test_a_dry_run_tells_all_and_touches_nothing(team: RealTeam, manager: SnapshotManager) -> None:
    meta = manager.create()
    before = team.state()
    team.work_on(5)
    there = team.everything()
    said = manager.restore(meta.id, dry_run=True)
    assert team.everything() == there
    assert said["snapshot_id"] == meta.id and said["dry_run"] is True and said["config"] is True
    assert (said["tasks"], said["events"]) == (meta.task_count, meta.event_count)
    assert (said["sessions"], said["costs"]) == (meta.session_count, meta.cost_event_count)
    assert said["inboxes"] == sum(map(len, before["mail"].values()))
    lost = said["lost"]
    assert sorted(task["subject"] for task in lost["tasks"]) == ["after more 5", "more 5"]
    assert [(mail["to"], mail["from"], mail["content"]) for mail in lost["messages"]] == [("ada", "bob", "more 5")]
    assert (lost["events"], lost["costs"], lost["sessions"]) == (1, 1, [])
    assert said["running"] == [] and "safety" not in said


def test_what_was_done_to_a_task_since_is_shown_before_it_goes(team: RealTeam, manager: SnapshotManager) -> None:
    meta = manager.create()
    task = next(task for task in team.tasks.list_tasks() if task.subject == "build")
    team.tasks.update(task.id, owner="bob")
    lost = manager.restore(meta.id, dry_run=True)["lost"]
    assert [(each["id"], each["owner"]) for each in lost["changed_tasks"]] == [(task.id, "bob")]
    assert lost["tasks"] == []


def test_a_restore_brings_all_back_and_keeps_what_it_took(team: RealTeam, manager: SnapshotManager) -> None:
    meta = manager.create("checkpoint")
    before, files = team.state(), team.files()
    team.work_on(1)
    worked, later = team.state(), team.files()
    said = manager.restore(meta.id)
    assert team.files() == files and team.state() == before
    assert said["dry_run"] is False and len(said["lost"]["tasks"]) == 2 and len(said["lost"]["messages"]) == 1
    manager.restore(said["safety"])
    assert team.files() == later and team.state() == worked


def test_a_message_that_was_claimed_since_is_not_said_to_be_lost(team: RealTeam, manager: SnapshotManager) -> None:
    team.be_claimed("ada", "soon")
    meta = manager.create()
    (claimed,) = team.path("teams/{}/inboxes/ada").glob("*.consumed")
    claimed.rename(claimed.with_suffix(".json"))
    assert manager.restore(meta.id, dry_run=True)["lost"]["messages"] == []


def test_broken_files_are_replaced_and_what_is_newer_goes(team: RealTeam, manager: SnapshotManager) -> None:
    meta = manager.create()
    before, files = team.state(), team.files()
    team.path("teams/{}/config.json").write_text('{"name": "broken"}')
    team.path("teams/{}/events/evt-extra.json").write_text('{"id": "extra"}')
    for path in team.path("tasks/{}").glob("task-*.json"):
        path.unlink()
    said = manager.restore(meta.id)
    assert team.files() == files and team.state() == before
    assert said["lost"]["events"] == 1


def test_a_team_that_was_cleaned_up_is_made_again(team: RealTeam, manager: SnapshotManager) -> None:
    meta = manager.create()
    before = team.state()
    team.run("team", "cleanup", team.name, "--force")
    assert TeamManager.get_team(team.name) is None
    with pytest.raises(NotThere, match="not found"):
        manager.create()
    manager.restore(meta.id)
    assert team.state() == before
    team.work_on(2)  # and ClawTeam goes on


def test_a_data_directory_that_is_gone_is_made_again(team: RealTeam, manager: SnapshotManager) -> None:
    meta = manager.create()
    before = team.state()
    shutil.rmtree(team.data)
    manager.restore(meta.id)
    assert team.state() == before


def test_undo_takes_a_restore_back(team: RealTeam, manager: SnapshotManager, tmp_path: Path) -> None:
    meta = manager.create()
    team.work_on()
    worked = team.files()
    manager.restore(meta.id)
    with tb.open(tmp_path / "store") as store:
        store.timeline(team.name, sources=[tb.Team(team.name)]).undo()
    assert team.files() == worked


def test_a_deleted_snapshot_is_gone_and_can_be_had_again(
    team: RealTeam, manager: SnapshotManager, tmp_path: Path
) -> None:
    kept, meta = manager.create(), manager.create("go")
    assert manager.delete(meta.id) is True
    assert manager.list_snapshots() == [kept]
    assert manager.delete(meta.id) is False
    with tb.open(tmp_path / "store") as store:
        store.undrop(meta.snapshot)
    assert manager.list_snapshots() == [meta, kept]
    assert manager.delete(kept.id) is True and manager.delete(meta.id) is True
    assert manager.list_snapshots() == []


def test_a_pinned_snapshot_is_not_deleted(team: RealTeam, manager: SnapshotManager) -> None:
    meta = manager.create()
    manager.timeline.pin(meta.id)
    with pytest.raises(InvalidInput, match="pinned"):
        manager.delete(meta.id)
    assert manager.list_snapshots() == [meta]


@pytest.mark.parametrize("tag", ["日本 語", "a\0b\nc", "\udcff", "\U0001f600" * 100, "x" * 5000])
def test_any_text_is_a_tag(manager: SnapshotManager, tag: str) -> None:
    meta = manager.create(tag)
    assert meta.tag == tag
    assert manager.list_snapshots() == [meta]
    assert manager.load_bundle(meta.id)["meta"]["tag"] == tag


def test_a_snapshot_with_another_name_stays_when_one_is_deleted(
    team: RealTeam, manager: SnapshotManager, tmp_path: Path
) -> None:
    meta = manager.create()
    with tb.open(tmp_path / "store") as store:
        store.timeline(team.name, sources=[tb.Team(team.name)]).label(meta.id, "the good one")
    assert manager.delete(meta.id) is True
    assert [(each.id, each.snapshot) for each in manager.list_snapshots()] == [("the good one", meta.snapshot)]
    assert manager.restore("the good one", dry_run=True)["tasks"] == meta.task_count


def test_any_reference_of_takeback_names_a_snapshot(team: RealTeam, manager: SnapshotManager) -> None:
    first = manager.create()
    team.work_on()
    second = manager.create()
    for reference, meta in [
        ("@", second),
        ("@-", first),
        ("root", first),
        (first.snapshot, first),
        (second.snapshot[:10], second),
    ]:
        assert manager.restore(reference, dry_run=True)["tasks"] == meta.task_count
    assert manager.delete(first.snapshot) is True
    assert manager.list_snapshots() == [second]


def test_a_snapshot_of_another_team_is_neither_restored_nor_deleted(
    team: RealTeam, manager: SnapshotManager, tmp_path: Path
) -> None:
    other = RealTeam(team.data, "beta")
    other.found()
    with SnapshotManager("beta", store=tmp_path / "store") as theirs:
        foreign = theirs.create()
        manager.create()
        there = team.everything()
        for id in (foreign.snapshot, foreign.id + "x"):
            with pytest.raises(NotThere, match="not found"):
                manager.restore(id)
            assert manager.delete(id) is False
        assert theirs.list_snapshots() == [foreign]
    assert team.everything() == there


def test_running_members_are_told_and_not_restored_over_unless_forced(
    team: RealTeam, manager: SnapshotManager, tmp_path: Path
) -> None:
    from clawteam.spawn import registry

    meta = manager.create()
    before = team.files()
    team.work_on()
    worked = team.files()
    program = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        registry.register_agent(team.name, "ada", backend="subprocess", pid=program.pid, command=[sys.executable])
        (running,) = manager.restore(meta.id, dry_run=True)["running"]
        assert running["name"] == "ada" and str(program.pid) in running["how"]
        with pytest.raises(Locked, match="ada"):
            manager.restore(meta.id)
        assert team.files() == worked
        with SnapshotManager(team.name, store=tmp_path / "store", force=True) as forcing:
            assert forcing.restore(meta.id)["running"] == [running]
        assert team.files() == before
    finally:
        program.kill()
        program.communicate()


def test_snapshots_that_are_made_at_once_have_ids_of_their_own(team: RealTeam, tmp_path: Path) -> None:
    made: list[SnapshotMeta] = []

    def work() -> None:
        with SnapshotManager(team.name, store=tmp_path / "store") as manager:
            made.extend(manager.create("same") for _ in range(3))

    SnapshotManager(team.name, store=tmp_path / "store").create()
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({meta.id for meta in made}) == len({meta.snapshot for meta in made}) == 12
    with SnapshotManager(team.name, store=tmp_path / "store") as manager:
        assert {meta.id for meta in made} < {meta.id for meta in manager.list_snapshots()}


def test_merge_keeps_newer_mail(team: RealTeam, manager: SnapshotManager, tmp_path: Path) -> None:
    meta = manager.create()
    before = team.state()
    team.mail.send("bob", "ada", "newer")
    team.tasks.create("newer")
    with SnapshotManager(team.name, store=tmp_path / "store", merge=True) as merging:
        said = merging.restore(meta.id)
    assert said["lost"]["messages"] == [] and [task["subject"] for task in said["lost"]["tasks"]] == ["newer"]
    assert any("newer mail" in kept["reason"] for kept in said["kept"])
    mail = team.state()["mail"]
    assert mail["ada"][-1]["content"] == "newer"
    assert mail["ada"][:-1] == before["mail"]["ada"]


def test_sources_beside_the_team_go_with_it(team: RealTeam, tmp_path: Path) -> None:
    place = tmp_path / "work"
    place.mkdir()
    (place / "a.txt").write_text("one")
    beside = [tb.Workspace(place, name="workspace-ada")]
    with SnapshotManager(team.name, store=tmp_path / "store", sources=beside) as manager:
        meta = manager.create()
        (place / "a.txt").write_text("two")
        manager.restore(meta.id)
    assert (place / "a.txt").read_text() == "one"
    with SnapshotManager(team.name, store=tmp_path / "store") as alone:
        said = alone.restore(meta.id, dry_run=True)
    assert any("workspace-ada" in note for note in said["notes"])


def test_the_store_and_the_directory_are_found_as_the_command_finds_them(
    team: RealTeam, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TAKEBACK_STORE", str(tmp_path / "elsewhere"))
    with SnapshotManager(team.name) as manager:
        assert manager.list_snapshots() == [] and not (tmp_path / "elsewhere").exists()
        meta = manager.create()
    with SnapshotManager(team.name, data_dir=team.data, store=tb.open(tmp_path / "elsewhere")) as again:
        assert again.list_snapshots() == [meta]
