"""A container that a project declares is in every snapshot, also in those of an agent's hooks, and goes back with the files."""

from __future__ import annotations

from pathlib import Path

import pytest

import takeback as tb
from support.containers.boxes import Boxes
from support.hooks.told import Told
from takeback import locate
from takeback.locate import agreed
from takeback.locate.agreeing import proposal

pytestmark = pytest.mark.service("docker")


@pytest.fixture
def told(tmp_path: Path) -> Told:
    root = (tmp_path / "project").resolve()
    root.mkdir()
    return Told(root)


def declare(root: Path, text: str) -> None:
    (root / "takeback.toml").write_text(text)
    agreed.write(proposal(locate.place(str(root))))


def test_a_turn_changes_files_and_container_and_undo_takes_back_both(told: Told, boxes: Boxes) -> None:
    box = boxes.run()
    declare(told.root, f'containers = ["box={box}"]\n')
    told("UserPromptSubmit", prompt="do it")
    call = {"tool_name": "Bash", "tool_input": {"command": "docker exec"}, "tool_use_id": "t1"}
    told("PreToolUse", **call)
    boxes.sh(box, "echo changed > /state")
    (told.root / "a.txt").write_text("changed")
    told("PostToolUse", **call)
    told("Stop")
    line = told.line
    assert {"workspace", "box"} <= line.show("@").parts.keys() and not line.show("@").partial
    line.undo()
    assert boxes.sh(box, "cat /state 2>/dev/null || echo gone").strip() == "gone"
    assert not (told.root / "a.txt").exists()


def test_options_are_those_that_were_agreed_to(told: Told, boxes: Boxes) -> None:
    volume = boxes.volume()
    box = boxes.run(volumes={volume: {"bind": "/data", "mode": "rw"}})
    boxes.sh(box, "echo kept > /data/file")
    declare(told.root, f'containers = [{{ name = "{box}", volumes = false, strategy = "stream" }}]\n')
    (told.root / "takeback.toml").write_text(f'containers = ["{box}"]\n')  # an agent's idea
    part = tb.here(told.root).save().parts["container"]
    assert part.detail["strategy"] == "stream"
    paths = [path for path, _ in tb.here(told.root).files("@", part="container")]
    assert not [path for path in paths if path.startswith("volumes/") and path.endswith("/file")]


def test_a_fork_works_on_its_own_container(told: Told, boxes: Boxes) -> None:
    original, copy = boxes.run("one"), boxes.run("two")
    (told.root / "takeback.toml").write_text(f'containers = ["{original}"]\n')
    key = f"container container={original}"
    agreed.write(agreed.Agreed(str(told.root), "attempt-1", {key: {"name": copy}}))
    line = tb.here(told.root)
    line.save("before")
    boxes.sh(copy, "echo changed > /state")
    boxes.sh(original, "echo changed > /state")
    line.restore("before")
    assert line.name == "attempt-1"
    assert boxes.sh(copy, "cat /state 2>/dev/null || echo gone").strip() == "gone"
    assert boxes.sh(original, "cat /state").strip() == "changed"
