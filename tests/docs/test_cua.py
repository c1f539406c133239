"""docs/cua.md: its samples are those of the CUA snapshot manager with another import, and they run; so do its commands."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest

from support.cli import Cli
from support.containers.boxes import Boxes
from support.cua import installed
from support.cua.managing import wait
from takeback.adapters import cua
from takeback.adapters.cua import SnapshotConfig, SnapshotManager
from takeback.cli.cua import main as command
from takeback.cli.cua.app import MODULES, app

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "cua.md").read_text()
SHIMS = Path(__file__).resolve().parents[1] / "support" / "cua" / "shims"

pytestmark = pytest.mark.service("docker")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def listed(store: Path) -> list[Any]:
    manager = SnapshotManager(config=SnapshotConfig(storage_path=str(store)))
    found = wait(manager.list_snapshots())
    manager.storage.close()
    return found


def named(boxes: Boxes, sample: str) -> tuple[str, str]:
    """A container of the test's own in place of `my-container`, which others may have."""
    box = boxes.run()
    return box, sample.replace("my-container", box)


def test_the_first_sample(boxes: Boxes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    box, sample = named(boxes, blocks("python")[0])
    monkeypatch.chdir(tmp_path)
    exec(sample, {"print": lambda text: None})
    (made,) = listed(tmp_path / "snapshots")
    assert (made.container_name, made.description) == (box, "Before risky operation")


@pytest.mark.service("cua")
def test_the_sample_with_an_agent(boxes: Boxes, tmp_path: Path) -> None:
    box = boxes.run()
    sample = blocks("python")[1] + "\nimport asyncio\nasyncio.run(agent_with_snapshots())\n"
    environment = installed.environment()
    done = subprocess.run(
        [installed.PYTHON, "-c", sample],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={
            **environment,
            "PYTHONPATH": os.pathsep.join([str(SHIMS), environment["PYTHONPATH"]]),
            "DOCKER_HOST": boxes.engine.address,
            "CUA_TEST_CONTAINER": box,
        },
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert boxes.sh(box, "cat /seen") == "seen\n"
    made = listed(tmp_path / ".snapshots")
    assert [each.trigger.value for each in reversed(made)] == ["run_start", "run_end"]
    assert {each.container_name for each in made} == {box}


def test_the_commands(
    boxes: Boxes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.chdir(tmp_path)
    _, text = named(boxes, blocks("sh")[0])
    copy = boxes.own("container", boxes.name("restored-container"))
    for line in text.replace("restored-container", copy).splitlines():
        words = shlex.split(line, comments=True)
        if words:
            words = [listed(tmp_path / ".snapshots")[0].snapshot_id if "<" in each else each for each in words]
            assert command(words[1:]) == 0, line
    assert boxes.state(copy) == "running"


def test_the_commands_of_takeback(
    boxes: Boxes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    box, text = named(boxes, blocks("sh")[1])
    cli = Cli(tmp_path, capsysbinary)
    monkeypatch.chdir(cli.root)
    store = cli.root / "snapshots"

    async def a_run() -> None:
        async with SnapshotManager(config=SnapshotConfig(storage_path=str(store))) as manager:
            await manager.create_snapshot(box, "run_start", title="a run")
            boxes.sh(box, "echo new > /file")
            await manager.create_snapshot(box, "run_end")

    wait(a_run())
    log, undo = (cli(*shlex.split(line)[1:]).out for line in text.splitlines())
    assert all(each.snapshot_id[:8] in log for each in listed(store))
    assert "/file" in undo
    assert boxes.sh(box, "cat /file") == "new\n"


def test_every_name_and_option_stands_on_the_page() -> None:
    for name in cua.__all__:
        if name not in ("SnapshotStatus", "SnapshotMetadata", "DockerSnapshotProvider", "FileSystemSnapshotStorage"):
            assert f"{name}" in PAGE, name
    for each in cua.SnapshotTrigger:
        assert f"`{each.value}`" in PAGE, each
    import click

    context = click.Context(app, **app.context_settings)  # which says how help is asked for, and is remembered
    for name in MODULES:
        found = app.get_command(context, name)
        assert found is not None
        assert found.help
