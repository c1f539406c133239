"""Somebody else stops, removes or pauses the container while takeback is at work on it: whatever comes of it is said, and
what is left is a whole container, or the absence that somebody wanted."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial

import pytest

import takeback as tb
from support import campaigns
from support.containers.boxes import Boxes
from support.containers.calls import at_call
from support.containers.looking import Look
from support.containers.scenes import Scene
from support.counts import Tell, tell

pytestmark = [pytest.mark.service("docker"), pytest.mark.campaign("container-meddling")]


def stop(boxes: Boxes, name: str) -> None:
    boxes.engine.api.stop(name)


def remove(boxes: Boxes, name: str) -> None:
    boxes.engine.api.remove_container(name, force=True)


def pause(boxes: Boxes, name: str) -> None:
    boxes.engine.api.pause(name)


def unpause(boxes: Boxes, name: str) -> None:
    boxes.engine.api.unpause(name)


EVERY = campaigns.size(5, 1)
"""Every how many calls to the engine somebody meddles."""


def _still(look: Look) -> Look:
    """Without whether it runs."""
    return replace(look, settings={name: each for name, each in look.settings.items() if name != "State"})


def _meddle(scene: Scene, number: int, deed: Callable[[Boxes, str], None], work: Callable[[], object]) -> bool:
    """Whether the call was reached; a failure has to be in words."""

    def act() -> None:
        try:
            deed(scene.boxes, scene.name)
        except Exception as error:  # what cannot be done to the container now is no meddling
            print(f"{deed.__name__}: {error}")

    with at_call(number, act, "before") as calls:
        try:
            work()
        except tb.TakebackError as error:
            assert error.exit_code != 1 and error.message, error
            print(f"{deed.__name__} before {calls.made[-1]}: {error.message} {error.hints}")
    return calls.done


def _settle(scene: Scene, ends: dict[str, Look]) -> str:
    """Let the next command put it right, see that it is whole, and have it run again; which end it is at."""
    scene.line.save(trigger="interval")
    left = {thing.name for thing in scene.boxes.mine() if thing.kind == "container"}
    assert left == {scene.name}
    state = scene.boxes.state(scene.name)
    if state == "paused":  # by a person: takeback is not at work any more
        scene.boxes.engine.api.unpause(scene.name)
    elif state != "running":
        scene.boxes.engine.api.start(scene.name)
    seen = _still(scene.look())
    now = next((label for label, look in ends.items() if _still(look) == seen), "")
    assert now, "neither as before nor as wanted"
    return now


def test_a_save_whose_container_is_meddled_with_leaves_a_whole_one(scene: Scene) -> None:
    ends = scene.save_both()
    for number, deed in zip(itertools.count(1, EVERY), itertools.cycle((stop, pause, unpause)), strict=False):
        if not _meddle(scene, number, deed, lambda: scene.line.save(trigger="interval")):
            break
        assert _settle(scene, ends) == "after"


def test_a_restore_whose_container_is_meddled_with_leaves_a_whole_one(scene: Scene, record_property: Tell) -> None:
    ends = scene.save_both()
    now, tried = "after", 0
    for number, deed in zip(itertools.count(1, EVERY), itertools.cycle((stop, pause, unpause)), strict=False):
        wanted = "before" if now == "after" else "after"
        if not _meddle(scene, number, deed, partial(scene.line.restore, wanted)):
            break
        tried += 1
        now = _settle(scene, ends)
    assert scene.store.verify(read_data=True).ok
    campaigns.count_runs(record_property, tried)
    tell(record_property, f"containers: {tried} times meddled with in a restore, {scene.strategy}")


@pytest.mark.parametrize("number", [8, *campaigns.rest((1, 4, 12, 16))])
def test_a_container_that_somebody_removes_meanwhile_is_gone_or_whole(scene: Scene, number: int) -> None:
    ends = scene.save_both()
    _meddle(scene, number, remove, partial(scene.line.restore, "before"))
    with suppress(tb.NotFound):
        scene.line.save(trigger="interval")  # the next command puts right what is left
    left = {thing.name for thing in scene.boxes.mine() if thing.kind == "container"}
    assert left <= {scene.name}
    if left:
        assert _still(scene.look()) in [_still(look) for look in ends.values()]
    assert scene.store.verify(read_data=True).ok
