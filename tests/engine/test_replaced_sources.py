"""Sources that are replaced as a whole, as containers are: several parts go together or not at all, and what stood there
before is let go of only when all is recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

import takeback as tb
from support.agent import look
from support.boxes import Box
from takeback.engine import apply
from takeback.model.plan import Effect
from takeback.store.catalogue import journals


class Failing(tb.State):
    """A state that cannot be put in place, after all that is applied before it."""

    def unfinished(self, effects: Sequence[Effect]) -> tuple[Effect, ...]:
        raise tb.Unavailable("no power")


class Scene:
    def __init__(self, base: Path) -> None:
        self.store = tb.open(base / "store")
        self.root = base / "root"
        self.root.mkdir()
        self.box = self.boxed(base / "box", "container")
        (self.root / "file").write_text("old")
        self.line = self.store.timeline(sources=[tb.Workspace(self.root), self.box])
        self.first = self.line.save("first")
        (self.root / "file").write_text("new")
        (self.box.place / "file").write_text("new")
        (self.box.place / "more").write_text("more")
        self.box.steps.clear()

    def boxed(self, place: Path, name: str) -> Box:
        place.mkdir()
        (place / "file").write_text("old")
        return Box(place, name)

    def look(self) -> dict[str, object]:
        """Everything, and whatever is left beside it."""
        beside = {path.name for path in self.box.place.parent.iterdir()} - {"store", "root", "box"}
        return {"root": look(self.root), "box": look(self.box.place), "beside": beside}

    def settled(self) -> bool:
        with self.store.blobs.database.read() as tx:
            return not journals.every(tx)


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    scene = Scene(tmp_path)
    with scene.store:
        yield scene


def test_all_parts_of_a_snapshot_come_back_together_and_undo_takes_that_back(scene: Scene) -> None:
    now = scene.look()
    report = scene.line.restore("first")
    assert report.verified and report.notes == ()
    assert scene.box.steps == ["stage", "apply", "finish"]
    assert (scene.box.place / "file").read_text() == (scene.root / "file").read_text() == "old"
    assert scene.look()["beside"] == set() and not scene.line.diff()
    scene.line.undo()
    assert scene.look() == now
    scene.line.redo()
    assert (scene.box.place / "file").read_text() == "old" and not scene.line.diff()


def test_a_part_that_fails_later_takes_back_what_was_applied_before(scene: Scene) -> None:
    memory = ["old"]
    line = scene.store.timeline(sources=[tb.Workspace(scene.root), scene.box, Failing("memory", memory)])
    scene.line.restore("first")
    line.save("with memory")
    memory.append("new")
    (scene.root / "file").write_text("new")
    (scene.box.place / "file").write_text("new")
    now = scene.look()
    scene.box.steps.clear()
    with pytest.raises(tb.Unavailable, match="no power"):
        line.restore("with memory")
    assert scene.look() == now
    assert scene.box.steps == ["stage", "apply", "discard"]


@pytest.mark.parametrize("step", ["stage", "apply"])
def test_a_source_that_fails_leaves_everything_as_it_was(scene: Scene, step: str) -> None:
    now = scene.look()
    scene.box.fails[step] = tb.Unavailable("Docker is down")
    with pytest.raises(tb.Unavailable, match="Docker is down"):
        scene.line.restore("first")
    assert scene.look() == now and scene.settled()
    scene.box.fails.clear()
    scene.line.restore("first")
    assert not scene.line.diff("first")


def test_one_that_cannot_be_discarded_is_not_in_the_others_way(scene: Scene) -> None:
    now = scene.look()
    scene.box.fails = {"apply": tb.Unavailable("Docker is down"), "discard": OSError("still down")}
    with pytest.raises(tb.Unavailable, match="Docker is down"):
        scene.line.restore("first")
    assert scene.look() == now and scene.settled()


def test_what_cannot_be_let_go_of_is_said_and_undoes_nothing(scene: Scene) -> None:
    scene.box.fails["finish"] = tb.Unavailable("Docker is down")
    report = scene.line.restore("first")
    assert "could not be removed yet: Docker is down" in report.notes[0]
    assert (scene.box.place / "file").read_text() == "old" and scene.box.old.exists()
    scene.box.fails.clear()
    assert not scene.line.diff("first")
    assert not scene.box.old.exists()
    assert scene.line.save().id == report.snapshot


def test_what_is_recorded_is_finished_although_something_fails_after_that(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    conclude: Callable[..., object] = apply.conclude

    def then_interrupted(*arguments: object) -> None:
        conclude(*arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr(apply, "conclude", then_interrupted)
    with pytest.raises(KeyboardInterrupt):
        scene.line.restore("first")
    assert scene.box.steps == ["stage", "apply", "finish"]
    assert (scene.box.place / "file").read_text() == (scene.root / "file").read_text() == "old"
    assert scene.settled() and not scene.line.diff() and scene.look()["beside"] == set()


# without it at hand


def without_it(scene: Scene) -> tb.Timeline:
    return scene.store.timeline(sources=[tb.Workspace(scene.root)])


def test_an_undo_without_it_says_what_it_leaves_and_can_be_completed_with_it(scene: Scene) -> None:
    scene.line.save("second")
    report = without_it(scene).undo()
    assert (scene.root / "file").read_text() == "old" and (scene.box.place / "file").read_text() == "new"
    assert [(item.part, "not at hand" in item.reason) for item in report.kept] == [("container", True)]
    (hint,) = (hint for hint in report.hints if "--container" in hint)
    assert f"undo {report.moves[0][:8]} --container box" in hint
    scene.line.undo(report.moves[0])
    assert (scene.box.place / "file").read_text() == "old"


def test_a_move_that_changed_nothing_else_is_not_passed_over_for_an_older_one(scene: Scene) -> None:
    scene.line.save()
    with scene.line.turn("files"):
        (scene.root / "file").write_text("newer")
    with scene.line.turn("the box alone"):
        (scene.box.place / "file").write_text("newer")
    with pytest.raises(tb.Conflict, match="not at hand") as caught:
        without_it(scene).undo()
    assert any("--container box" in hint for hint in caught.value.hints)
    assert (scene.root / "file").read_text() == "newer"


def test_a_restore_without_it_says_so(scene: Scene) -> None:
    scene.line.save()
    report = without_it(scene).restore("first")
    assert "not at hand" in report.notes[0] and report.notes[0].endswith("add --container box")
    assert (scene.root / "file").read_text() == "old" and (scene.box.place / "file").read_text() == "new"
    assert not without_it(scene).restore("first", paths=["file"]).notes


def test_an_undo_that_did_not_look_at_it_says_so(scene: Scene) -> None:
    (scene.root / "file").write_text("broken")
    report = without_it(scene).undo()
    assert report.notes == ("the container box was not looked at, and stays as it is; add --container box",)
    assert not scene.line.redo().notes


def test_where_only_it_can_have_changed_an_undo_without_it_says_how_to_look(scene: Scene) -> None:
    scene.line.save()
    (scene.box.place / "file").write_text("broken")
    with pytest.raises(tb.NotFound, match="nothing to undo") as caught:
        without_it(scene).undo(level="turn")
    assert "add --container box" in caught.value.hints[0]


def test_a_path_of_it_is_not_called_restored_where_it_is_not_at_hand(scene: Scene) -> None:
    for act in (without_it(scene).restore, without_it(scene).plan):
        with pytest.raises(tb.InvalidInput, match="'/file' may be in a container") as caught:
            act("first", paths=["/file"])
        assert caught.value.hints == ("add --container box",)
