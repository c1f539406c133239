"""cua-snapshot: its commands, options and exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.cli import Result
from support.containers.boxes import Boxes
from takeback.cli.cua import main
from takeback.store import notices

pytestmark = pytest.mark.service("docker")


class Command:
    def __init__(self, store: Path, capture: pytest.CaptureFixture[bytes]) -> None:
        self.store, self._capture = store, capture

    def __call__(self, *words: str, code: int = 0) -> Result:
        self._capture.readouterr()
        returned = main(["--storage-path", str(self.store), *words])
        out, err = self._capture.readouterr()
        result = Result(returned, out, err.decode())
        assert returned == code, result
        return result

    def listed(self, *words: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(self("list", "--json-output", *words).out)
        return found


@pytest.fixture
def command(boxes: Boxes, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> Command:
    return Command(tmp_path / "snapshots", capsysbinary)


def test_create_list_and_restore(boxes: Boxes, command: Command) -> None:
    box = boxes.run()
    boxes.sh(box, "echo then > /file")
    said = command(
        *("create", box, "--trigger", "after_action", "--description", "Initial state"),
        *("--context", "typing", "--run-id", "r1"),
    ).out
    (made,) = command.listed()
    assert made["snapshot_id"] in said
    assert (made["trigger"], made["description"]) == ("after_action", "Initial state")
    assert (made["action_context"], made["run_id"], made["container_name"]) == ("typing", "r1", box)
    shown = command("list", "--container", box).out
    assert "Initial state" in shown
    assert made["snapshot_id"] in shown
    boxes.sh(box, "echo now > /file")
    copy = boxes.own("container", boxes.name("copy"))
    assert "restored" in command("restore", made["snapshot_id"][:8], "--container-name", copy).out
    assert boxes.sh(copy, "cat /file") == "then\n"
    command("restore", made["name"], "--replace")
    assert boxes.sh(box, "cat /file") == "then\n"


def test_list_limits_and_filters(boxes: Boxes, command: Command) -> None:
    assert "there are no snapshots" in command("list").out
    assert command.listed() == []
    one, other = boxes.run("one"), boxes.run("other")
    for box in (one, other, one):
        command("create", box)
    assert [each["container_name"] for each in command.listed()] == [one, other, one]
    assert [each["container_name"] for each in command.listed("--limit", "2")] == [one, other]
    assert [each["container_name"] for each in command.listed("--container", other)] == [other]
    command("list", "--limit", "0", code=2)


def test_delete_asks_somebody_or_is_forced(boxes: Boxes, command: Command) -> None:
    command("create", boxes.run())
    (made,) = command.listed()
    assert "--force" in command("delete", made["snapshot_id"], code=2).err
    assert len(command.listed()) == 1
    command("delete", made["snapshot_id"], "--force")
    assert command.listed() == []
    assert "cua-snapshot: there is no snapshot" in command("delete", made["snapshot_id"], "--force", code=10).err


def test_a_dry_run_lists_what_would_go_and_changes_nothing(boxes: Boxes, command: Command) -> None:
    box = boxes.run()
    for _ in range(3):
        command("create", box)
    newest, *old = command.listed()
    said = command("cleanup", "--max-age-days", "0", "--dry-run").out
    assert "2 snapshots would go" in said
    assert all(each["snapshot_id"] in said for each in old)
    assert newest["snapshot_id"] not in said
    assert len(command.listed()) == 3
    assert "2 snapshots went" in command("cleanup", "--max-age-days", "0").out
    assert [each["snapshot_id"] for each in command.listed()] == [newest["snapshot_id"]]
    assert "0 snapshots went" in command("cleanup").out


def test_stats_and_validate(boxes: Boxes, command: Command) -> None:
    box = boxes.run()
    assert "0 snapshots of 0 containers" in command("stats").out
    command("create", box)
    assert "1 snapshot of 1 container" in command("stats").out
    assert "can be captured" in command("validate", box).out
    assert "no such container" in command("validate", boxes.name("nobody"), code=1).out


def test_errors_have_the_exit_codes_of_takeback(command: Command, boxes: Boxes, tmp_path: Path) -> None:
    assert "hint: " in command("create", boxes.name("nobody"), code=10).err
    command("restore", "f" * 32, code=10)
    command("create", code=2)
    command("create", "box", "--trigger", "sometimes", code=2)
    command("unknown", code=2)
    assert "cannot read the configuration" in command("--config", str(tmp_path / "none.json"), "list", code=2).err
    assert not command.store.exists()


def test_a_configuration_file_says_where_and_how(boxes: Boxes, command: Command, tmp_path: Path) -> None:
    file = tmp_path / "c.json"
    file.write_text(json.dumps({"storage_path": str(tmp_path / "there"), "naming_pattern": "{trigger}!"}))
    assert main(["--config", str(file), "create", boxes.run()]) == 0
    command.store = tmp_path / "there"
    assert [each["name"] for each in command.listed()] == ["manual!"]


def test_what_went_wrong_meanwhile_is_told_once(boxes: Boxes, command: Command) -> None:
    command("create", boxes.run())
    notices.note(command.store, "cua", "there is no container 'x'", ["start it"])
    said = command("list").err
    assert "there is no container 'x'" in said
    assert "start it" in said
    assert command("list").err == ""


def test_the_other_manager_s_snapshots_are_imported_or_named(boxes: Boxes, command: Command, tmp_path: Path) -> None:
    (tmp_path / ".snapshots" / "metadata").mkdir(parents=True)
    (tmp_path / ".snapshots" / "metadata" / "x.json").write_text("{}")
    said = command("import", str(tmp_path / ".snapshots"), code=3)
    assert "0 snapshots brought in" in said.out
    assert "x.json" in said.err
    command("import", str(tmp_path), code=10)


def test_the_installed_program_runs_and_does_not_load_docker_for_its_help() -> None:
    program = Path(sys.executable).parent / "cua-snapshot"
    if not program.exists():  # an installation from before it was there
        program = Path(sys.executable)
    words = [str(program), "--help"] if program.name == "cua-snapshot" else [str(program), "-c", _MAIN]
    said = subprocess.run(words, capture_output=True, text=True)
    assert said.returncode == 0, said.stderr
    for name in ("create", "list", "restore", "delete", "cleanup", "stats", "validate", "import"):
        assert f"  {name} " in said.stdout


_MAIN = "import sys; from takeback.cli.cua import main; sys.exit(main(['--help']))"


def test_the_adapter_is_imported_without_cua_agent_and_without_docker() -> None:
    script = (
        "import sys; sys.modules['docker'] = None; sys.modules['cua_agent'] = None; sys.modules['agent'] = None\n"
        "import takeback.adapters.cua as cua; print(*cua.__all__)\n"
        "import asyncio\n"
        "try: asyncio.run(cua.SnapshotManager().create_snapshot('box'))\n"
        "except cua.SnapshotError as error: print(error)"
    )
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert said.returncode == 0, said.stderr
    assert "pip install 'takeback[docker]'" in said.stdout
