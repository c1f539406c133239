"""Several forks at once, what they are called, and how others are called from them."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import takeback as tb
from support.agent import World, files, look
from support.processes import KILLED, in_child
from takeback.engine import forknotes
from takeback.locate import find_root


@pytest.fixture
def origin(world: World) -> World:
    world.edit({"a": "0", "src/b": "0"})
    world.line.save("good")
    return world


def test_each_of_several_has_its_own_directory_and_timeline(origin: World) -> None:
    made = origin.line.forks("good", "try", 3, origin.base / "tries")
    assert [fork.name for fork in made] == ["try-1", "try-2", "try-3"]
    assert [fork.root for fork in made] == [str(origin.base / "tries" / f"try-{number}") for number in (1, 2, 3)]
    for fork in made:
        assert files(look(Path(fork.root))) == origin.files()
        assert [row.trigger for row in fork.log().snapshots] == ["fork"]


def test_one_that_cannot_be_made_takes_the_others_with_it(origin: World) -> None:
    tries = origin.base / "tries"
    (tries / "try-3").mkdir(parents=True)
    (tries / "try-3" / "mine").write_text("x")
    rows = origin.store.timelines()
    with pytest.raises(tb.InvalidInput, match="not empty"):
        origin.line.forks("good", "try", 3, tries)
    assert files(look(tries)) == {"try-3/mine": b"x"} and origin.store.timelines() == rows


def test_what_fails_while_it_is_made_leaves_nothing(origin: World, monkeypatch: pytest.MonkeyPatch) -> None:
    make, calls = tb.Workspace.make_at, []

    def fails(self: tb.Workspace, *arguments: object, **more: object) -> object:
        calls.append(1)
        made = make(self, *arguments, **more)  # type: ignore[arg-type]
        if len(calls) == 2:
            raise OSError("the disk is full")
        return made

    monkeypatch.setattr(tb.Workspace, "make_at", fails)
    rows = origin.store.timelines()
    with pytest.raises(OSError, match="full"):
        origin.line.forks("good", "try", 3, origin.base / "new" / "tries")
    assert not (origin.base / "new").exists() and origin.store.timelines() == rows


def test_a_directory_that_was_there_stays_there_empty(origin: World, monkeypatch: pytest.MonkeyPatch) -> None:
    there = origin.base / "there"
    there.mkdir()
    monkeypatch.setattr("takeback.engine.record.append", _raise)
    with pytest.raises(OSError, match="no"):
        origin.line.fork("good", "attempt", there)
    assert os.listdir(there) == []
    assert origin.line.kin() == []


def _raise(*_: object) -> None:
    raise OSError("no")


def test_killed_after_each_note_the_next_try_makes_it(origin: World) -> None:
    add, killed = forknotes.Note.add, 0
    place = origin.base / "new" / "attempt"
    for number in range(1, 20):

        def work(number: int = number) -> None:
            def dies(note: forknotes.Note, thing: forknotes.Thing) -> None:
                add(note, thing)
                if len(note.things) == number:
                    os.kill(os.getpid(), signal.SIGKILL)

            forknotes.Note.add = dies  # type: ignore[method-assign,assignment]
            origin.reopened().line.fork("good", "attempt", place)

        code, _ = in_child(work)
        if code != KILLED:
            assert code == 0
            break
        killed += 1
        assert "attempt" not in origin.line.kin()
        fork = origin.line.fork("good", f"other-{number}", origin.base / f"other-{number}")
        assert "not finished" in str(fork.show("@").context["notes"])
        assert not (origin.base / "new").exists()
    assert killed == 3, killed
    assert files(look(place)) == origin.files() and "attempt" in origin.line.kin()


def test_whoever_went_to_work_in_a_fork_that_was_killed_keeps_all_of_it(origin: World) -> None:
    place = origin.base / "attempt"
    code, _ = in_child(lambda: _killed_before_it_is_recorded(origin, place))
    assert code == KILLED
    (place / "a").write_text("mine")
    there = files(look(place))
    fork = origin.line.fork("good", "other", origin.base / "other")
    assert "somebody else's" in str(fork.show("@").context["notes"])
    assert files(look(place)) == there


def _killed_before_it_is_recorded(origin: World, place: Path) -> None:
    from takeback.engine import record

    record.append = lambda *_: os.kill(os.getpid(), signal.SIGKILL)  # type: ignore[assignment]
    origin.reopened().line.fork("good", "attempt", place)


def test_a_note_of_somebody_else_is_not_believed(origin: World, monkeypatch: pytest.MonkeyPatch) -> None:
    directory = origin.base / "notes"
    directory.mkdir()
    directory.chmod(0o777)
    monkeypatch.setattr(forknotes, "default_directory", lambda: str(directory))
    with pytest.raises(tb.Unavailable, match="not only this user's"):
        origin.line.fork("good", "attempt", origin.base / "attempt")
    assert not (origin.base / "attempt").exists()


@pytest.mark.parametrize("name", ["../out", "a/b", ".hidden", "/abs", "a\0b"])
def test_names_that_would_lead_elsewhere_are_refused(origin: World, name: str) -> None:
    before = sorted(os.listdir(origin.base))
    with pytest.raises(tb.InvalidInput):
        origin.line.forks("good", name, 2, origin.base / "tries")
    assert sorted(os.listdir(origin.base)) == before


@pytest.mark.parametrize("name", ["", "  ", "origin", "a\0b"])
def test_names_that_no_fork_can_have(origin: World, name: str) -> None:
    with pytest.raises(tb.InvalidInput):
        origin.line.fork("good", name, origin.base / "attempt")
    assert not (origin.base / "attempt").exists()


@pytest.mark.parametrize("number", [0, -1, 101])
def test_so_many_forks_are_too_few_or_too_many(origin: World, number: int) -> None:
    with pytest.raises(tb.InvalidInput, match="at once"):
        origin.line.forks("good", "try", number, origin.base / "tries")


@pytest.mark.parametrize("name", ["ünï code", "with space", "a@b", "@", "-dash", "4f2a", "root", "x" * 200])
def test_odd_names_work_and_are_found_again(origin: World, name: str) -> None:
    fork = origin.line.fork("good", name, origin.base / "attempt")
    (origin.base / "attempt" / "a").write_text("1")
    latest = fork.save("mark@here")
    assert origin.line.show(f"{name}@").id == latest.id
    assert origin.line.show(f"{name}@mark@here").id == latest.id
    assert origin.line.show(f"{name}@-").id == fork.show("root").id
    assert origin.line.promote(name).changed == ("a",)


def test_relatives_are_named_from_everywhere(origin: World) -> None:
    one, two = origin.line.forks("good", "try", 2, origin.base / "tries")
    (Path(two.root) / "a").write_text("2")
    latest = two.save("done")
    assert one.show("try-2@").id == one.show("try-2@done").id == latest.id
    assert one.show("origin@good").id == origin.line.show("good").id
    assert two.show("try-1@").id == one.show("@").id
    assert origin.line.kin() == ["try-1", "try-2"] and one.kin() == ["try-2", "main", "origin"]
    diff = origin.line.diff("try-1@", "try-2@")
    assert [(change.path, change.status) for change in diff.files] == [("a", "modified")]
    origin.restore("try-2@")
    assert origin.read("a") == b"2"


def test_a_label_wins_over_a_fork(origin: World) -> None:
    origin.line.fork("good", "attempt", origin.base / "attempt")
    origin.edit({"a": "1"})
    labelled = origin.line.save("attempt@")
    assert origin.line.show("attempt@").id == labelled.id


def test_unknown_snapshots_of_forks_are_not_found(origin: World) -> None:
    origin.line.fork("good", "attempt", origin.base / "attempt")
    for reference in ("attempt@nothing", "attempt@-7", "nobody@", "attempt@@", "@attempt"):
        with pytest.raises(tb.NotFound):
            origin.line.show(reference)


def test_forks_of_the_same_name_in_two_places_are_told_apart(origin: World) -> None:
    origin.line.fork("good", "attempt", origin.base / "one")
    origin.line.fork("good", "attempt", origin.base / "two")
    with pytest.raises(tb.InvalidInput, match="ambiguous"):
        origin.line.show("attempt@")


def test_a_family_survives_the_snapshot_that_it_began_with(origin: World) -> None:
    fork = origin.line.fork("good", "attempt", origin.base / "attempt")
    origin.edit({"a": "1"})
    origin.line.save()
    origin.line.drop("good")
    assert origin.line.show("attempt@").id == fork.show("@").id
    assert fork.show("origin@").id == origin.line.show("@").id


def test_nothing_stays_noted_of_the_directory_of_a_fork_that_was_killed(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "a").write_text("0")
    place = tmp_path / "attempt"

    def work() -> None:
        from takeback.engine import record

        line = tb.here(tmp_path / "project")
        line.save("good")
        record.append = lambda *_: os.kill(os.getpid(), signal.SIGKILL)  # type: ignore[assignment]
        line.fork("good", "attempt", place)

    assert in_child(work)[0] == KILLED
    assert find_root(str(place)) == (str(place), "fork")
    tb.here(tmp_path / "project").fork("good", "other", tmp_path / "other")
    place.mkdir()
    assert find_root(str(place)) == (str(place), "directory")
    assert find_root(str(tmp_path / "other")) == (str(tmp_path / "other"), "fork")


def test_a_look_for_the_notes_of_one_fork_hides_none_of_another(tmp_path: Path) -> None:
    directory = str(tmp_path / "notes")
    heads = [
        {"store": "s", "root": root, "timeline": "main", "target": "t", "forks": [[root, "attempt"]]}
        for root in ("/a", "/b")
    ]
    for head in heads:
        code, _ = in_child(partial(_dies_while_noting, directory, head))
        assert code == KILLED
    with forknotes.left(directory, "s", "/a", "main") as mine, forknotes.left(directory, "s", "/b", "main") as other:
        assert [note.timelines for note in (*mine, *other)] == [(("/a", "attempt"),), (("/b", "attempt"),)]


def _dies_while_noting(directory: str, head: Mapping[str, Any]) -> None:
    with forknotes.noting(directory, head):
        os.kill(os.getpid(), signal.SIGKILL)
