from __future__ import annotations

import threading

import pytest

from support.agent import World
from takeback.errors import NotFound, TakebackError
from takeback.model.progress import Listener, Progress, Watch
from takeback.views.choices import Wanted, apply, plan
from takeback.views.desk import Desk
from takeback.views.jobs import Job, Jobs


def test_what_came_of_it_and_how_far_it_is_can_be_asked() -> None:
    heard: list[str] = []
    jobs = Jobs(lambda job: heard.append(job.words))

    def work(listener: Listener) -> int:
        listener(Progress("apply", 3, 7))
        return 42

    job = jobs.start("restore", work)
    assert job.done.wait(60) and (job.state, job.result, job.error) == ("done", 42, None)
    assert heard == ["writing 3 items of 7", "done"]
    assert jobs.get(job.id) is job and jobs.running() == []


def test_an_error_is_kept_and_another_is_said_to_be_unexpected() -> None:
    jobs = Jobs()

    def fails(error: Exception) -> Job:
        def work(listener: Listener) -> None:
            raise error

        job = jobs.start("x", work)
        assert job.done.wait(60)
        return job

    known = fails(NotFound("no such thing"))
    assert known.state == "failed" and isinstance(known.error, NotFound) and known.words == "no such thing"
    other = fails(ZeroDivisionError("oh"))
    assert isinstance(other.error, TakebackError) and "unexpected" in other.words


def test_work_that_is_told_to_stop_does_at_its_next_look() -> None:
    jobs = Jobs()
    began, goes_on = threading.Event(), threading.Event()

    def work(listener: Listener) -> None:
        began.set()
        assert goes_on.wait(60)
        listener(Progress("scan", 1))
        raise AssertionError("it went on")

    job = jobs.start("x", work)
    assert began.wait(60) and jobs.running() == [job]
    job.cancel()
    assert job.words == "stopping"
    goes_on.set()
    assert jobs.end(60)
    assert job.state == "cancelled"


def test_a_job_that_is_unknown_is_not_found() -> None:
    with pytest.raises(NotFound):
        Jobs().get("x" * 1000)


def test_old_ones_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("takeback.views.jobs._KEPT", 2)
    jobs = Jobs()
    made = []
    for _ in range(5):
        made.append(jobs.start("x", lambda listener: None))
        made[-1].done.wait(60)
    assert jobs.get(made[-1].id) is made[-1]
    with pytest.raises(NotFound):
        jobs.get(made[0].id)


@pytest.mark.parametrize("phase", ["scan", "apply"])
def test_a_restore_that_is_stopped_has_changed_nothing(
    world: World, desk: Desk, monkeypatch: pytest.MonkeyPatch, phase: str
) -> None:
    """While it looks at the world, or makes ready what it will put there."""
    monkeypatch.setattr(Watch, "INTERVAL", -1.0)  # each tick is heard
    for number in range(20):
        world.write(f"{number}.txt", f"{number}\n")
    world.line.save("before")
    for number in range(20):
        world.write(f"{number}.txt", "broken\n")
    planned = plan(desk, Wanted("restore", reference="before"))
    before = world.line.head
    jobs = Jobs()
    stopped: list[Job] = []

    def stop(job: Job) -> None:
        if job.progress is not None and job.progress.phase == phase and not stopped:
            stopped.append(job)
            job.cancel()

    jobs.on_change = stop
    job = jobs.start("restore", lambda listener: apply(desk, planned, listener=listener))
    assert job.done.wait(30) and (job.state, len(stopped)) == ("cancelled", 1)
    assert all(world.read(f"{number}.txt") == b"broken\n" for number in range(20))
    assert world.line.head == before and world.line.interrupted() is None
    assert sorted(path.name for path in world.root.iterdir()) == sorted(["a.txt", *(f"{n}.txt" for n in range(20))])


def test_a_restore_that_puts_things_in_place_is_done_to_its_end(world: World, desk: Desk) -> None:
    world.write("a.txt", "good\n")
    world.line.save("before")
    world.write("a.txt", "broken\n")
    planned = plan(desk, Wanted("restore", reference="before"))
    phases: list[str] = []

    def stop(job: Job) -> None:
        if job.progress is not None and job.progress.phase == "place":
            phases.append(job.progress.phase)
            job.cancel()

    jobs = Jobs(stop)
    job = jobs.start("restore", lambda listener: apply(desk, planned, listener=listener))
    assert job.done.wait(30) and job.state == "done" and phases
    assert world.read("a.txt") == b"good\n"
