"""``--container``: a snapshot that holds workspace and container, on the command line."""

from __future__ import annotations

import subprocess
import sys

import pytest

from support.cli import Cli, takeback
from support.containers.boxes import Boxes, free_port

pytestmark = pytest.mark.service("docker")


@pytest.fixture
def box(boxes: Boxes) -> str:
    return boxes.run()


@pytest.fixture
def saved(cli: Cli, boxes: Boxes, box: str) -> str:
    """The container, after a change to it and to the workspace since the snapshot ``first``."""
    cli.write("a.txt", "old")
    cli("save", "-m", "first", "--container", box)
    cli.write("a.txt", "new")
    boxes.sh(box, "echo new > /root/file; rm /etc/secret")
    return box


def test_a_save_says_what_it_read_and_how(cli: Cli, saved: str) -> None:
    out = cli("save", "--container", saved).out
    assert f"container: {saved}, read with the strategy " in out
    assert "without what runs in it" in out and "not captured" not in out
    shown = cli("show", "@").out
    assert "processes: process memory" in shown
    assert f"container (container): {saved}" in shown
    assert "+ filesystem/root/file" in shown and "~ a.txt" in shown
    assert cli.json("show", "@")["parts"]["container"]["container"] == saved
    assert saved in cli("show", "@", "--container", saved).out


def test_a_plan_says_which_path_is_whose(cli: Cli, saved: str) -> None:
    printed = cli("restore", "first", "--dry-run", "--container", saved).out
    files, _, inside = printed.partition("\n  container\n")
    assert files.endswith("  workspace\n    change  a.txt") and "    reset   filesystem/root/file" in inside
    assert f"what runs in {saved} begins anew" in inside
    alone = cli("restore", "first", "--only", "workspace", "--dry-run", "--container", saved).out
    assert "\n  change  a.txt\n" in alone and saved not in alone


def test_a_plan_says_of_which_container_a_path_is_and_only_what_was_done_there(
    cli: Cli, boxes: Boxes, box: str
) -> None:
    both = ("--container", f"one={box}", "--container", f"two={boxes.run('other')}")
    for container in (box, both[3].removeprefix("two=")):
        boxes.sh(container, "echo old > /etc/file")
    cli("save", "-m", "first", *both)
    for container in (box, both[3].removeprefix("two=")):
        boxes.sh(container, "rm /etc/file")
    cli("save", *both)
    out = cli("undo", "--dry-run", *both).out
    assert [line.split() for line in out.splitlines() if line.startswith("  ")] == [
        ["one"],
        ["create", "filesystem/etc/file"],
        ["two"],
        ["create", "filesystem/etc/file"],
    ]
    assert "  two: processes: process memory (they begin anew after a restore)" in cli("show", "@").out
    copied = cli("restore", "first", "--container", box, "--as", f"{box}-2", "--dry-run").out
    assert "filesystem/etc/file" in copied
    assert f"add --container one={box}" in cli.error("restore", "first", "--as", f"{box}-2", "--yes", code=2)["hints"]
    one = cli("undo", "--dry-run", "--only", "one", *both).out
    assert "  create  filesystem/etc/file\n" in one and "two" not in one


def test_undo_and_redo_take_both(cli: Cli, boxes: Boxes, saved: str) -> None:
    cli("save", "--container", saved)
    planned = cli("undo", "--dry-run", "--container", saved).out
    with_it = cli("undo", "--yes", "--container", saved).out
    assert "read back and verified" in with_it
    for out in (planned, with_it):
        assert f"note: what runs in {saved} begins anew" in out
        assert "process memory" not in out
    assert cli.read("a.txt") == "old"
    assert boxes.sh(saved, "ls /root; cat /etc/secret; echo").strip() and boxes.state(saved) == "running"
    cli("redo", "--yes", "--container", saved)
    assert cli.read("a.txt") == "new" and boxes.sh(saved, "cat /root/file") == "new\n"


def test_undo_without_the_container_says_what_it_leaves_and_how_to_take_that_back(
    cli: Cli, boxes: Boxes, saved: str
) -> None:
    cli("save", "--container", saved)
    out = cli("undo", "--yes").out
    assert cli.read("a.txt") == "old" and boxes.sh(saved, "cat /root/file") == "new\n"
    assert "not at hand" in out and f"--container {saved}" in out
    hint = next(line for line in out.splitlines() if "`takeback undo" in line and "--container" in line)
    words = hint.partition("`")[2].partition("`")[0].split()[1:]
    cli(*words, "--yes")
    assert boxes.sh(saved, "ls /root").strip() == ""


def test_restore_brings_both_back_and_without_it_files_alone(cli: Cli, boxes: Boxes, saved: str) -> None:
    out = cli("restore", "first", "--yes").out
    assert "not at hand" in out and f"add --container {saved}" in out
    assert cli.read("a.txt") == "old" and boxes.sh(saved, "cat /root/file") == "new\n"
    cli("restore", "first", "--yes", "--container", saved)
    assert boxes.sh(saved, "cat /etc/secret") and boxes.sh(saved, "ls /root").strip() == ""


def test_one_path_of_a_container_is_restored(cli: Cli, boxes: Boxes, saved: str) -> None:
    cli("restore", "first", "/etc/secret", "--yes", "--container", saved)
    assert boxes.sh(saved, "cat /etc/secret /root/file").endswith("new\n")
    assert cli.read("a.txt") == "new"


def test_diff_and_show_tell_of_a_container(cli: Cli, saved: str) -> None:
    now = cli.json("diff", "--container", saved)
    assert {"part": "container", "path": "filesystem/root/file", "status": "added"} in now["container"]
    out = cli("diff", "--container", saved).out
    assert "container: " in out and "+ filesystem/root/file" in out and "diff --git a/a.txt" in out
    assert [each["path"] for each in cli.json("diff", "--container", saved, "/root")["container"]] == [
        "filesystem/root/file"
    ]
    cli("save", "--container", saved)
    assert "+ filesystem/root/file" in cli("diff", "@-", "@").out
    assert "container  files    " in cli("diff", "@-", "@", "--stat").out
    assert "+new\n" in cli("diff", "@-", "@", "/root/file").out
    assert "+new\n" not in cli("diff", "@-", "@", "a.txt").out.partition("a.txt")[0]
    only = cli("diff", "--json", "@-", "@", "--", "/root").json
    assert [each["path"] for each in only["container"]] == ["filesystem/root/file"] and only["files"] == []
    assert cli("show", "@", "--part", "container", "/root/file").raw == b"new\n"
    assert cli("show", "@:/root/file").raw == b"new\n"
    listed = cli("show", "@", "--part", "container").out
    assert (
        "filesystem/root/file\n" in listed and "filesystem/etc/secret  (the image has it, and it was deleted)" in listed
    )
    error = cli.error("show", "@", "--part", "container", "/no/such", code=10)
    assert "--part container" in error["hints"][-1]


def test_another_container_is_another_part(cli: Cli, boxes: Boxes, saved: str) -> None:
    other = boxes.run("other")
    error = cli.error("save", "--container", other, code=2)
    assert saved in error["message"] and other in error["message"]
    out = cli("save", "--container", saved, "--container", f"web={other}").out
    assert "container web: " in out
    assert set(cli.json("show", "@")["parts"]) == {"workspace", "container", "web"}
    assert cli.error("save", "--container", saved, "--container", other, code=2)["hints"]


def test_a_copy_of_a_container_is_made_beside_it(cli: Cli, boxes: Boxes, saved: str) -> None:
    port = free_port()
    copy = boxes.own("container", boxes.name("copy"))
    planned = cli("restore", "first", "--as", copy, "--dry-run").out
    assert f"to the container {copy} would" in planned and boxes.state(copy) == ""
    assert planned.splitlines()[1:2] == ["  create  settings"]
    out = cli("restore", "first", "--as", copy, "--env", "COLOUR=blue", "--port", f"{port}:80").out
    assert f"in the container {copy}" in out
    assert boxes.sh(copy, "cat /etc/secret; echo $COLOUR").endswith("blue\n")
    assert boxes.sh(saved, "cat /root/file") == "new\n" and cli.read("a.txt") == "new"
    assert cli.error("restore", "first", "--port", "1:2", "--yes", code=2)["hints"] == ["add --as NAME"]
    for wrong in (("--port", "x"), ("--env", "=x")):
        cli.error("restore", "first", "--as", "x2", *wrong, code=2)


def test_a_run_takes_the_container_along(cli: Cli, boxes: Boxes, saved: str) -> None:
    agent = f"import docker; docker.from_env().containers.get({saved!r}).exec_run('touch /root/ran')"
    cli("run", "--container", saved, "--", sys.executable, "-c", agent)
    assert boxes.sh(saved, "ls /root") == "file\nran\n"
    assert f"`takeback undo --container {saved}`" in cli("status").out
    cli("undo", "--yes", "--container", saved)
    assert boxes.sh(saved, "ls /root") == "file\n"
    assert "no container" in cli("run", "--container", boxes.name("typo"), "--", "touch", "ran", code=10).err
    assert not (cli.root / "ran").exists()


def test_a_fork_has_a_copy_of_the_container_if_that_is_asked_for(cli: Cli, boxes: Boxes, saved: str) -> None:
    assert "without the container" in cli("fork", "first", "files", "--to", "../files").out
    copy = boxes.own("container", boxes.name("fork"))
    assert "note" not in cli("fork", "first", "both", "--to", "../both", "--as", copy).out
    assert boxes.sh(copy, "cat /etc/secret") and boxes.sh(saved, "cat /root/file") == "new\n"
    there = ("-C", str(cli.root.parent / "both"), "--timeline", "both")
    assert cli.json("show", "@", *there)["parts"]["container"]["container"] == copy
    boxes.sh(copy, "rm /etc/secret")
    cli("restore", "@", "--yes", "--container", copy, *there)
    assert boxes.sh(copy, "cat /etc/secret")


def test_a_secret_file_of_a_container_is_purged_by_its_path_in_there(cli: Cli, boxes: Boxes, saved: str) -> None:
    boxes.sh(saved, "echo a-key-that-nobody-may-see > /root/key")
    cli("save", "--container", saved)
    assert "--part container" in cli.error("purge", "/root/key", "--yes", code=2)["hints"][0]
    assert "gone" in cli("purge", "/root/key", "--part", "container", "--yes").out
    assert "root/key" not in cli("show", "@", "--part", "container").out


def test_a_container_that_is_not_there_is_said(cli: Cli, boxes: Boxes) -> None:
    cli.write("a.txt", "a")
    assert "no container" in cli.error("save", "--container", boxes.name("none"), code=10)["message"]
    cli.error("save", "--container", "=x", code=2)


def test_without_docker_everything_else_works_and_the_message_says_how_to_start_it(cli: Cli, saved: str) -> None:
    """As a program: the SDK leaves a socket open where it cannot connect."""
    without = {"DOCKER_HOST": "unix:///nonexistent/docker.sock"}

    def run(*arguments: str) -> subprocess.CompletedProcess[bytes]:
        return takeback(*arguments, cwd=cli.root, env=without)

    partial = run("save", "--container", saved)
    assert partial.returncode == 3 and b"without container: " in partial.stdout and b"start Docker" in partial.stdout
    assert b"read with" not in partial.stdout, "it was not"
    assert run("save").returncode == 0
    assert run("undo", "--yes").returncode == 0 and cli.read("a.txt") == "old"
    assert run("show", "first", "--part", "container", "settings").stdout
