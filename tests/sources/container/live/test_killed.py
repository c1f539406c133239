"""takeback is killed at every call to the engine. The next command, whichever it is, finds nobody standing still; and the
container is exactly as before, or exactly as it was to be."""

from __future__ import annotations

import itertools
import subprocess
import sys
from functools import partial

import pytest

from support import campaigns
from support.containers.calls import When, at_call, die
from support.containers.scenes import NetworkScene, Scene
from support.counts import Tell, tell
from support.hooks.program import eventually
from support.processes import KILLED, in_child

pytestmark = [pytest.mark.service("docker"), pytest.mark.campaign("container-killed")]


def _restore_and_die(scene: Scene, label: str, number: int, when: When) -> list[str]:
    scene.open()
    with at_call(number, die, when) as calls:
        scene.line.restore(label)
    return calls.made


def _save_and_die(scene: Scene, number: int, when: When) -> list[str]:
    scene.open()
    with at_call(number, die, when) as calls:
        scene.line.save()
    return calls.made


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_restore_that_is_killed_at_any_call_is_as_before_or_as_wanted(
    network_scene: NetworkScene, when: When, record_property: Tell
) -> None:
    scene = network_scene
    ends = scene.save_both()
    now, kills = "after", 0
    step = campaigns.size(5, 1)
    # Those in the middle between the ones that it is killed before are those that it is killed after.
    for number in itertools.count(1 if when == "before" else 1 + step // 2, step):
        wanted = "before" if now == "after" else "after"
        code, made = in_child(partial(_restore_and_die, scene, wanted, number, when))
        if code == 0:
            assert scene.look() == ends[wanted]
            break
        assert code == KILLED, made
        kills += 1
        print(f"killed {when} call {number} on the way to {wanted!r}")
        scene.open()
        scene.line.save(trigger="interval")
        scene.whole()
        seen = scene.look()
        now = next((label for label, look in ends.items() if look == seen), "")
        assert now, {label: look.differences(seen) for label, look in ends.items()}
        scene.close()
    assert kills > 1
    scene.open()
    assert scene.store.verify(read_data=True).ok
    tell(record_property, f"containers: {kills} kills {when} a call of a restore, {scene.strategy}")
    campaigns.count_runs(record_property, kills)


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_save_that_is_killed_leaves_a_container_that_the_next_command_lets_go_on(
    scene: Scene, when: When, record_property: Tell
) -> None:
    scene.line.save()
    stood_still = kills = 0
    for number in itertools.count(1):
        scene.sh(f"echo {number} >/etc/app/settings.ini")
        code, made = in_child(partial(_save_and_die, scene, number, when))
        if code == 0:
            break
        assert code == KILLED, made
        kills += 1
        stood_still += scene.boxes.state(scene.name) == "paused"
        # Any command: one that has nothing to do with containers.
        subprocess.run([sys.executable, "-m", "takeback", "log"], capture_output=True, check=False)
        eventually(lambda: scene.boxes.state(scene.name) == "running")  # an engine hears late of what it has done
        scene.open()
        scene.line.save(trigger="interval")
        scene.whole()
    assert stood_still, "it was never killed while the container stood still"
    scene.open()
    scene.line.save()
    assert not scene.line.diff()
    campaigns.count_runs(record_property, kills)
