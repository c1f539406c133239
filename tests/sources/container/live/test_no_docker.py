"""There is no Docker here, or not for this user, or its package is not installed: everything else works, and whoever asks for
a container is told what to do."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

import takeback as tb
from support.cli import takeback
from support.containers.boxes import Boxes
from support.privileges import as_ordinary_user
from support.trees import make_tree
from takeback.sources.container import marks, pausing

UNAVAILABLE, PARTIAL = 15, 3


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """No engine is there, and the program's store is the test's own."""
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/absent.sock")
    monkeypatch.setenv("TAKEBACK_STORE", str(tmp_path / "store"))
    make_tree(tmp_path / "project", {"a.txt": "1\n"})
    return tmp_path / "project"


def test_without_an_engine_a_save_is_partial_and_says_how_to_start_one(nowhere: Path) -> None:
    done = takeback("save", "--container", "box", cwd=nowhere)
    said = done.stdout.decode()
    assert done.returncode == PARTIAL, done.stderr
    assert "without container: " in said and "systemctl start docker" in said and "DOCKER_HOST" in said
    assert "without container" in takeback("log", cwd=nowhere).stdout.decode()
    assert "without container: " in takeback("show", "@", cwd=nowhere).stdout.decode()
    assert "without container: " in takeback("status", cwd=nowhere).stdout.decode()


def test_without_an_engine_everything_else_works(nowhere: Path) -> None:
    for command in (["save", "-m", "one"], ["log"], ["status"]):
        assert takeback(*command, cwd=nowhere).returncode == 0, command
    (nowhere / "a.txt").write_text("2\n")
    assert takeback("undo", "--yes", cwd=nowhere).returncode == 0
    assert (nowhere / "a.txt").read_text() == "1\n"


@pytest.mark.service("docker")
def test_a_snapshot_of_both_is_looked_at_and_its_files_are_restored_without_an_engine(
    nowhere: Path, boxes: Boxes, monkeypatch: pytest.MonkeyPatch
) -> None:
    box = boxes.run()
    for number in (1, 2):  # boxes has set DOCKER_HOST to the real one
        (nowhere / "a.txt").write_text(f"{number}\n")
        boxes.sh(box, f"echo {number} >/etc/number")
        done = takeback("save", "-m", f"number {number}", "--container", box, cwd=nowhere)
        assert done.returncode == 0, done.stderr
    monkeypatch.setenv("DOCKER_HOST", f"unix://{nowhere}/absent.sock")
    for command in (["log"], ["show", "number 1"], ["diff", "number 1", "number 2"], ["verify"]):
        assert takeback(*command, cwd=nowhere).returncode == 0, command
    assert b"etc/number" in takeback("diff", "number 1", "number 2", cwd=nowhere).stdout
    refused = takeback("restore", "number 1", "--yes", "--container", box, cwd=nowhere)
    assert refused.returncode == UNAVAILABLE and b"everything else works" in refused.stderr, refused.stderr
    assert (nowhere / "a.txt").read_text() == "2\n"
    assert takeback("restore", "number 1", "--only", "workspace", "--yes", cwd=nowhere).returncode == 0
    assert (nowhere / "a.txt").read_text() == "1\n"
    assert boxes.sh(box, "cat /etc/number") == "2\n"


def _save_a_container(place: str) -> tuple[int, str]:
    os.environ["DOCKER_HOST"] = f"unix://{place}/docker.sock"
    with tb.open(f"{place}/another") as store:
        try:
            store.timeline("box", sources=[tb.Container("box")]).save()
        except tb.Unavailable as error:
            return error.exit_code, " ".join([error.message, *error.hints])
    return 0, ""


def test_who_may_not_talk_to_the_engine_is_told_so(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "docker.sock"))
        listener.listen()
        (tmp_path / "docker.sock").chmod(0)
        code, said = as_ordinary_user(_save_a_container, str(tmp_path))
    assert code == UNAVAILABLE and "may not talk to Docker" in said and "usermod" in said


def test_without_the_package_the_message_names_the_extra_and_nothing_else_needs_it(nowhere: Path) -> None:
    hidden = "import sys; sys.modules['docker'] = None; from takeback.cli import main; sys.exit(main(sys.argv[1:]))"
    ended = [
        subprocess.run([sys.executable, "-c", hidden, *command], cwd=nowhere, capture_output=True, text=True)
        for command in (["save"], ["log"], ["save", "--container", "box"])
    ]
    assert [each.returncode for each in ended] == [0, 0, PARTIAL], ended
    assert "takeback[docker]" in ended[2].stdout and not ended[2].stderr


def test_a_container_that_stood_still_in_an_engine_that_is_gone_is_in_nobodys_way(tmp_path: Path) -> None:
    marker = Path(marks.directory()) / os.urandom(32).hex()
    marker.parent.mkdir(mode=0o700, exist_ok=True)
    marker.write_text(f'{{"name": "gone", "address": "unix://{tmp_path}/docker.sock"}}')
    try:
        assert "gone" not in pausing.let_go()
    finally:
        marker.unlink(missing_ok=True)
