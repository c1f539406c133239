"""A real ComputerAgent, offline, in a real container, with the callback: when snapshots are made, and what of."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import takeback as tb
from support.containers.boxes import Boxes
from support.cua.playing import Player
from takeback.store import notices

pytestmark = [pytest.mark.service("docker"), pytest.mark.service("cua")]


class Stage:
    """A container and a store in which scenarios are played."""

    def __init__(self, player: Player, boxes: Boxes, place: Path) -> None:
        self._player, self.boxes = player, boxes
        self.container, self.store = boxes.run(), place / "snapshots"

    def play(self, scenario: str, player: Player | None = None) -> dict[str, Any]:
        return (player or self._player).play(scenario, self.container, self.store, self.boxes)

    def line(self, store: tb.Store) -> tb.Timeline:
        return store.timeline(self.container, [tb.Container(self.container)])


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory of this run, the same for all workers."""
    mine = tmp_path_factory.getbasetemp()
    return mine.parent if "PYTEST_XDIST_WORKER" in os.environ else mine


@pytest.fixture(scope="session")
def player(shared: Path) -> Iterator[Player]:
    with Player(shared) as found:
        yield found


@pytest.fixture
def stage(player: Player, boxes: Boxes, tmp_path: Path) -> Stage:
    return Stage(player, boxes, tmp_path)


def triggers(found: dict[str, Any]) -> list[str]:
    return [each["trigger"] for each in found["snapshots"]]


def test_there_is_a_snapshot_at_each_moment_that_was_asked_for(stage: Stage) -> None:
    found = stage.play("acts")
    assert found["raised"] is None
    made = found["snapshots"]
    assert [(each["trigger"], each["action_context"]) for each in made] == [
        ("run_start", "run_start"),
        ("before_action", "before_type"),
        ("after_action", "after_type"),
        ("before_action", "before_type"),
        ("after_action", "after_type"),
        ("before_action", "before_keypress"),
        ("on_error", "failed_keypress"),
        ("before_action", "before_function_note"),
        ("after_action", "after_function_note"),
        ("run_end", "run_end"),
    ]
    assert {each["container_name"] for each in made} == {stage.container}
    assert len({each["run_id"] for each in made}) == 1
    assert found["after"]["run_id"] is None


def test_a_run_whose_process_died_is_told_of_by_the_next_and_ended(stage: Stage, shared: Path) -> None:
    with Player(shared) as dying:
        assert stage.play("dies", dying) == {}
    first, second, told = stage.play("acts")["snapshots"][:3]
    assert (first["trigger"], second["trigger"]) == ("run_start", "before_action")
    assert told["description"] == "the run “never ends” never ended"
    with tb.open(stage.store) as store:
        moves = store.timeline(stage.container).log().moves
    assert not [move for move in moves if move.open]


def test_a_snapshot_holds_what_was_said_and_the_action_it_was_made_for(stage: Stage) -> None:
    by = {each["action_context"]: each for each in stage.play("acts")["snapshots"]}
    after = by["after_function_note"]
    assert after["agent_metadata"]["action"]["name"] == "note"
    assert after["messages"][0] == {"role": "user", "content": "make two files"}
    assert after["messages"][-1]["type"] == "function_call_output"
    assert "noted" in str(after["messages"][-1]["output"])
    failed = by["failed_keypress"]
    assert failed["agent_metadata"]["action"]["action"] == {"type": "keypress", "keys": ["f13"]}
    assert "no such key" in failed["description"]
    end = by["run_end"]
    assert end["messages"][-1]["content"][0]["text"] == "done"
    assert any("image_url" in str(each) for each in end["messages"])
    assert end["description"] == "at the end of the run, after 4 actions"
    assert end["agent_metadata"]["model"].startswith("offline/")


def test_undo_takes_back_one_run_after_the_other(stage: Stage) -> None:
    box, boxes = stage.container, stage.boxes
    found = stage.play("twice")
    assert found["raised"] is None
    assert triggers(found) == ["run_start", "run_end"] * 2
    assert boxes.sh(box, "cat /file; ls -d /more").split() == ["second", "/more"]
    with tb.open(stage.store) as store:
        line = stage.line(store)
        report = line.undo()
        assert report.title == "second"
        assert boxes.sh(box, "cat /file; test ! -e /more") == "first\n"
        assert line.undo().title == "first"
        boxes.sh(box, "test ! -e /file")
        line.redo()
        assert boxes.sh(box, "cat /file") == "first\n"


def test_undo_takes_back_one_action_if_that_is_asked_for(stage: Stage) -> None:
    stage.play("acts")
    with tb.open(stage.store) as store:
        assert stage.line(store).undo(level="action").title == "type text=echo two > /two"
    stage.boxes.sh(stage.container, "test -e /one && test ! -e /two")


def test_what_an_action_started_belongs_to_its_run_also_when_it_ends_later(stage: Stage) -> None:
    box, boxes = stage.container, stage.boxes
    stage.play("between")
    assert boxes.sh(box, "cat /soon /late").split() == ["soon", "late"]
    with tb.open(stage.store) as store:
        stage.line(store).undo()
    boxes.sh(box, "test ! -e /soon && test ! -e /late")


def test_a_run_that_nobody_listens_to_any_more_is_ended(stage: Stage) -> None:
    found = stage.play("leaves")
    assert triggers(found) == ["run_start", "on_error", "run_end"]
    assert "its loop was left" in found["snapshots"][-1]["description"]


def test_a_run_that_raises_is_ended_and_the_agent_s_error_is_the_caller_s(stage: Stage) -> None:
    found = stage.play("raises")
    assert "the screen went dark" in found["raised"]
    assert triggers(found)[-3:] == ["before_action", "on_error", "run_end"]
    error = found["snapshots"][-2]
    assert error["agent_metadata"]["action"]["action"]["type"] == "click"
    assert "the program ended" in error["description"]


def test_a_run_that_was_not_ended_is_when_the_next_begins(stage: Stage) -> None:
    found = stage.play("begins_again")
    assert triggers(found) == [
        *("run_start", "on_error", "run_end"),
        *("run_start", "before_action", "after_action", "run_end"),
    ]
    assert "the next run began" in found["snapshots"][1]["description"]


def test_there_are_snapshots_every_so_often_only_while_a_run_lasts(stage: Stage) -> None:
    found = triggers(stage.play("periodically"))
    assert found[0] == "run_start"
    assert found[-1] == "run_end"
    assert set(found[1:-1]) == {"periodic"}


def test_a_snapshot_can_be_asked_for_in_the_middle_and_the_latest_restored(stage: Stage) -> None:
    boxes = stage.boxes
    boxes.own("container", stage.container + "_again")
    found = stage.play("by_hand")
    assert found["context"] == {
        "container_id": stage.container,
        "run_id": "my-run",
        "action_count": 1,
        "snapshot_config": None,
    }
    manual = next(each for each in found["snapshots"] if each["snapshot_id"] == found["manual"])
    assert (manual["trigger"], manual["run_id"]) == ("manual", "my-run")
    assert found["restored"] == boxes.inspect(stage.container + "_again")["Id"]
    assert boxes.sh(found["restored"], "cat /one") == "one\n"
    with tb.open(stage.store) as store:
        moves = store.timeline(stage.container).log().moves
    assert [move.title for move in moves] == ["note it"], "a snapshot by hand does not split the run"


@pytest.mark.parametrize(("scenario", "says"), [("without_docker", "Docker"), ("without_container", "no container")])
def test_the_agent_does_not_pay_for_our_failure_which_the_next_person_is_told(
    stage: Stage, scenario: str, says: str
) -> None:
    found = stage.play(scenario)
    assert found["raised"] is None
    assert found["said"][-1]["content"][0]["text"] == "done"
    assert stage.boxes.sh(stage.container, "cat /one") == "one\n"
    assert found["snapshots"] == []
    noted = notices.read(stage.store.parent / f"takeback-{os.getuid()}")
    assert any(says in each.message for each in noted), noted


def test_the_container_can_be_told(stage: Stage) -> None:
    found = stage.play("with_resolver")
    assert found["asked"] == 1
    assert triggers(found) == ["run_start", "run_start"]
    assert {each["container_name"] for each in found["snapshots"]} == {stage.container}
