"""Several sources in one snapshot: of one instant, and honest about what is missing."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import takeback as tb
from support.trees import make_tree
from takeback.errors import Integrity, NotFound, Unavailable
from takeback.sources.workspace.source import Workspace


class Down(Workspace):
    """A directory that can be out of reach, as an engine can."""

    down = False

    def capture(self, *given: Any) -> Any:
        if self.down:
            raise Unavailable("nobody answers", hints=["start it"])
        return super().capture(*given)


class Met(Workspace):
    """A directory to whose looks somebody can come."""

    at_a_look: Callable[[int], None] = staticmethod(lambda number: None)
    looks = 0

    def capture(self, *given: Any) -> Any:
        found = super().capture(*given)
        self.looks += 1
        self.at_a_look(self.looks)
        return found


@pytest.fixture
def code(tmp_path: Path) -> Path:
    make_tree(tmp_path / "code", {"a.txt": "1\n"})
    make_tree(tmp_path / "data", {"d.txt": "1\n"})
    return tmp_path / "code"


@pytest.fixture
def data(code: Path) -> Path:
    return code.parent / "data"


@pytest.fixture
def line(code: Path, data: Path) -> tb.Timeline:
    store = tb.open(":memory:")
    return store.timeline("main", sources=[tb.Workspace(code), Down(data, name="data")])


def down(line: tb.Timeline, is_down: bool = True) -> None:
    line.sources["data"].down = is_down  # type: ignore[attr-defined]


def test_a_part_that_cannot_be_looked_at_makes_a_snapshot_partial(line: tb.Timeline, code: Path) -> None:
    whole = line.save()
    assert not whole.partial and whole.missed == {}
    down(line)
    (code / "a.txt").write_text("2\n")
    partial = line.save()
    assert partial.partial and partial.missed == {"data": "nobody answers; start it"}
    assert line.show("@") == partial and line.diff(whole, partial).missed == partial.missed
    assert line.diff().missed == partial.missed


def test_nothing_else_changed_and_a_part_missing_is_a_snapshot_of_its_own_and_only_one(line: tb.Timeline) -> None:
    whole = line.save("whole")
    down(line)
    partial = line.save("half")
    assert partial.id != whole.id and partial.labels == ("half",)
    assert line.save().id == partial.id
    down(line, False)
    again = line.save()
    assert again.id != partial.id and not again.partial


def test_a_part_that_was_never_captured_is_named_all_the_same(line: tb.Timeline) -> None:
    down(line)
    first = line.save()
    assert set(first.parts) == {"workspace"} and set(first.missed) == {"data"}


def test_if_nothing_at_all_can_be_looked_at_that_is_the_error(line: tb.Timeline, code: Path) -> None:
    down(line)
    code.rename(code.parent / "away")
    with pytest.raises(NotFound, match="is gone"):
        line.save()


def test_a_harmed_store_is_no_part_that_is_missing(line: tb.Timeline, monkeypatch: pytest.MonkeyPatch) -> None:
    def harmed(*given: Any) -> Any:
        raise Integrity("a blob is not what it was")

    monkeypatch.setattr(line.sources["data"], "capture", harmed)
    with pytest.raises(Integrity):
        line.save()


def test_whatever_a_source_raises_the_others_are_saved(line: tb.Timeline, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*given: Any) -> Any:
        raise ZeroDivisionError("of all things")

    monkeypatch.setattr(line.sources["data"], "capture", broken)
    assert "ZeroDivisionError: of all things" in line.save().missed["data"]


def test_a_restore_that_needs_what_is_out_of_reach_changes_nothing_and_offers_the_rest(
    line: tb.Timeline, code: Path, data: Path
) -> None:
    first = line.save()
    for path in (code / "a.txt", data / "d.txt"):
        path.write_text("2\n")
    line.save()
    down(line)
    with pytest.raises(Unavailable, match="cannot be put back now: nobody answers") as refused:
        line.restore(first)
    assert f"`takeback restore {first.id[:8]} --only workspace` does the rest" in refused.value.hints
    assert (code / "a.txt").read_text() == (data / "d.txt").read_text() == "2\n"
    report = line.restore(first, only=["workspace"])
    assert line.show(report.safety).missed and line.show("@").missed
    assert (code / "a.txt").read_text() == "1\n" and (data / "d.txt").read_text() == "2\n"


def test_an_undo_that_needs_what_is_out_of_reach_changes_nothing_and_offers_the_rest(
    line: tb.Timeline, code: Path, data: Path
) -> None:
    with line.turn("both"):
        for path in (code / "a.txt", data / "d.txt"):
            path.write_text("2\n")
    down(line)
    with pytest.raises(Unavailable, match="cannot be put back now") as refused:
        line.undo()
    assert "--only workspace` does the rest" in refused.value.hints[0]
    line.undo(only=["workspace"])
    assert (code / "a.txt").read_text() == "1\n" and (data / "d.txt").read_text() == "2\n"


def test_an_undo_of_what_does_not_concern_it_needs_nothing_that_is_out_of_reach(line: tb.Timeline, code: Path) -> None:
    with line.turn("files"):
        (code / "a.txt").write_text("2\n")
    down(line)
    line.undo()
    assert (code / "a.txt").read_text() == "1\n"


def test_what_a_snapshot_missed_is_not_put_back_from_it(line: tb.Timeline, code: Path, data: Path) -> None:
    first = line.save()
    down(line)
    (data / "d.txt").write_text("unseen\n")
    (code / "a.txt").write_text("2\n")
    partial = line.save()
    down(line, False)
    (code / "a.txt").write_text("3\n")
    line.save()
    report = line.restore(partial)
    assert [(item.part, "could not be captured then" in item.reason) for item in report.kept] == [("data", True)]
    assert (code / "a.txt").read_text() == "2\n" and (data / "d.txt").read_text() == "unseen\n"
    with pytest.raises(NotFound, match="does not hold data") as refused:
        line.restore(partial, only=["data"])
    assert refused.value.hints == (f"`takeback restore {first.id[:8]} --only data` has it as it was before that",)
    for ask in (
        lambda: line.read(partial, "d.txt", "data"),
        lambda: list(line.files(partial, part="data")),
        lambda: line.restore(partial, to={"data": data.parent / "copy"}),
    ):
        with pytest.raises(NotFound, match="does not hold data"):
            ask()
    assert line.read(first, "d.txt", "data") == b"1\n"


def test_an_undo_says_of_what_it_could_not_see_that_it_did_not(line: tb.Timeline, code: Path, data: Path) -> None:
    line.save()
    with line.turn("half seen"):
        (code / "a.txt").write_text("2\n")
        (data / "d.txt").write_text("2\n")
        down(line)
    down(line, False)
    report = line.undo()
    assert (code / "a.txt").read_text() == "1\n" and (data / "d.txt").read_text() == "2\n"
    assert [(item.part, "at one end of the move" in item.reason) for item in report.kept] == [("data", True)]


def test_an_undo_after_a_partial_save_takes_back_the_turn_before_it(line: tb.Timeline, code: Path) -> None:
    line.save()
    with line.turn("seen"):
        (code / "a.txt").write_text("2\n")
    down(line)
    line.save()
    line.undo()
    assert (code / "a.txt").read_text() == "1\n"


def test_a_part_that_only_another_program_can_save_is_expected(code: Path) -> None:
    store = tb.open(":memory:")
    line = store.timeline(sources=[tb.Workspace(code)], expected=["memory"])
    assert line.save().missed["memory"].startswith("no program has saved memory yet")
    notes = ["one"]
    store.timeline(sources=[tb.Workspace(code), tb.State("memory", notes)]).save()
    assert not line.save().partial


def test_a_partial_snapshot_survives_export_purge_and_a_copy(line: tb.Timeline, code: Path, tmp_path: Path) -> None:
    (code / "secret").write_text("sesame-sesame-sesame-sesame\n")
    down(line)
    missed = line.save().missed
    line.purge("secret")
    assert line.show("@").missed == missed


def test_a_team_whose_whole_directory_is_gone_comes_back_with_the_files(code: Path, data: Path) -> None:
    make_tree(data, {"teams/alpha/config.json": "{}", "tasks/alpha/task-1.json": '{"id": "1"}'})
    line = tb.open(":memory:").timeline(sources=[tb.Workspace(code), tb.Team("alpha", data)])
    line.save()
    with line.turn("clean up"):
        shutil.rmtree(data)
        (code / "a.txt").unlink()
    line.undo()
    assert (code / "a.txt").read_text() == "1\n"
    assert (data / "tasks/alpha/task-1.json").read_text() == '{"id": "1"}'


# -- one instant


class Gate:
    """A lock that says how often it was had, and by whom others would wait."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.had = 0

    def acquire(self) -> None:
        self.lock.acquire()
        self.had += 1

    def release(self) -> None:
        self.lock.release()

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(self, *error: object) -> None:
        self.release()


@contextmanager
def writing(lock: Gate, step: Callable[[int], None]) -> Iterator[None]:
    """Somebody who goes on and on, each time with the lock."""
    stop = threading.Event()

    def go_on() -> None:
        number = 1
        while not stop.is_set():
            number += 1
            step(number)

    thread = threading.Thread(target=go_on)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def test_a_file_and_an_object_that_change_all_the_time_are_of_one_instant(code: Path) -> None:
    lock, memory, stepped = Gate(), {"count": 1}, threading.Event()

    def step(number: int) -> None:
        (code / "count.tmp").write_text(str(number))
        (code / "count.tmp").rename(code / "count")
        with lock:
            memory["count"] = number
        stepped.set()

    step(1)
    line = tb.open(":memory:").timeline(
        sources=[tb.Workspace(code, exclude=["*.tmp"]), tb.State("memory", memory, lock)]
    )
    seen = []
    with writing(lock, step):
        for _ in range(60):
            stepped.clear()
            assert stepped.wait(60)
            seen.append(line.save())
    for snapshot in seen:
        count = int(line.read(snapshot, "count"))
        assert count - line.value(snapshot, "memory")["count"] in (0, 1)
        assert not snapshot.not_captured
    assert len({snapshot.id for snapshot in seen}) == len(seen)


def test_a_restore_beside_somebody_who_goes_on_puts_back_both(code: Path) -> None:
    lock, memory = Gate(), {"count": 1}

    def step(number: int) -> None:
        with lock:
            (code / "count").write_text(str(number))
            memory["count"] = number

    step(1)
    line = tb.open(":memory:").timeline(sources=[tb.Workspace(code), tb.State("memory", memory, lock)])
    first = line.save()
    with writing(lock, step):
        for _ in range(10):
            line.restore(first)
    line.restore(first)
    assert memory == {"count": 1} and (code / "count").read_text() == "1"


def test_unchanged_parts_are_looked_at_once_and_changed_ones_twice(code: Path, data: Path) -> None:
    lock = Gate()
    met = Met(data, name="data")
    line = tb.open(":memory:").timeline(sources=[tb.Workspace(code), met, tb.State("memory", [], lock)])
    line.save()
    met.looks = lock.had = 0
    line.save()
    assert (met.looks, lock.had) == (1, 1)
    (data / "d.txt").write_text("2\n")
    line.save()
    assert (met.looks, lock.had) == (3, 3)


def test_an_object_without_a_lock_costs_no_second_look(code: Path) -> None:
    met = Met(code)
    line = tb.open(":memory:").timeline(sources=[met, tb.State("memory", [])])
    line.save()
    (code / "a.txt").write_text("2\n")
    line.save()
    assert met.looks == 2


def test_what_never_comes_to_rest_is_listed(code: Path, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("takeback.engine.together._PATIENCE", 0.2)
    met = Met(data, name="data")

    def meddle(number: int) -> None:
        (data / "d.txt").write_text(f"look {number}\n")

    met.at_a_look = meddle
    line = tb.open(":memory:").timeline(sources=[tb.Workspace(code), met])
    found = line.save()
    assert [(item.path, item.reason) for item in found.not_captured] == [("d.txt", "unsettled")]
    met.at_a_look = lambda number: None
    assert not line.save().not_captured


def test_whoever_waits_for_an_object_while_holding_what_is_stopped_next_is_not_waited_for(code: Path) -> None:
    """The lock is had before anything else is held: its owner may be waiting for that."""
    order: list[str] = []

    class Stops(Workspace):
        steady = True

        @contextmanager
        def still(self) -> Iterator[None]:
            yield

        def capture(self, *given: Any) -> Any:
            order.append("stopped")
            return super().capture(*given)

    class Says(Gate):
        def acquire(self) -> None:
            order.append("had")
            super().acquire()

    lock = Says()
    line = tb.open(":memory:").timeline(sources=[Stops(code), tb.State("memory", [], lock)])
    line.save()
    assert order[:3] == ["had", "had", "stopped"]  # the first is let go of again: nothing is held yet


def test_the_error_of_one_look_waits_for_the_others_to_end(code: Path, data: Path) -> None:
    met = Met(data, name="data")
    line = tb.open(":memory:").timeline(sources=[tb.Workspace(code, time_budget=1e-9), met])
    with pytest.raises(tb.OutOfTime):
        line.save()


def test_a_fork_goes_without_what_its_snapshot_missed_and_says_so(code: Path, data: Path, tmp_path: Path) -> None:
    memory = tb.State("memory", {"n": 1})
    line = tb.open(":memory:").timeline(sources=[tb.Workspace(code), Down(data, name="data"), memory])
    whole = line.save()
    down(line)
    (code / "a.txt").write_text("2\n")
    memory.capture = lambda *_: 1 / 0  # type: ignore[method-assign,assignment]
    partial = line.save()
    assert partial.missed.keys() == {"data", "memory"} and partial.parts.keys() == whole.parts.keys()
    down(line, is_down=False)
    fork = line.fork(partial, "attempt", tmp_path / "attempt")
    began = fork.show("@")
    assert began.parts.keys() == {"workspace"}
    notes = str(began.context["notes"])
    assert "data is left out" in notes and "memory is left out" in notes
    places = {"workspace": tmp_path / "other", "data": tmp_path / "other-data"}
    with pytest.raises(NotFound, match="could not be captured then"):
        line.fork(partial, "other", places)
    assert not (tmp_path / "other").exists() and not (tmp_path / "other-data").exists()
    assert line.fork(whole, "whole", tmp_path / "whole").show("@").parts.keys() == whole.parts.keys()
