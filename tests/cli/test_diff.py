from __future__ import annotations

import shutil
import subprocess

import pytest

from support.cli import Cli


@pytest.fixture
def changed(cli: Cli) -> Cli:
    """Two snapshots and a changed present."""
    cli.write("a.txt", "one\ntwo\nthree\n")
    cli.write("gone.txt", "gone\n")
    cli.write("data.bin", b"\0\1")
    cli("save", "-m", "first")
    cli.write("a.txt", "one\n2\nthree\n")
    cli("save", "-m", "second")
    (cli.root / "gone.txt").unlink()
    cli.write("new/file.txt", "new")
    cli.write("data.bin", b"\0\2")
    (cli.root / "a.txt").chmod(0o755)
    return cli


def test_the_latest_snapshot_against_the_present(changed: Cli) -> None:
    shown = changed.json("diff")
    assert shown["files"] == [
        {"path": "a.txt", "status": "mode"},
        {"path": "data.bin", "status": "modified"},
        {"path": "gone.txt", "status": "deleted"},
        {"path": "new/file.txt", "status": "added"},
    ]
    assert shown["directories"] == [{"path": "new", "status": "added"}]
    assert shown["a"] == changed.json("show", "second")["id"]
    assert shown["b"] is None


def test_two_snapshots(changed: Cli) -> None:
    shown = changed.json("diff", "first", "second")
    assert shown["files"] == [{"path": "a.txt", "status": "modified"}]
    assert shown["b"] == changed.json("show", "second")["id"]
    expected = "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"
    assert changed("diff", "first", "second").out == expected


def test_paths_with_and_without_dashes(changed: Cli) -> None:
    assert [each["path"] for each in changed.json("diff", "new")["files"]] == ["new/file.txt"]
    assert [each["path"] for each in changed.json("diff", "first", "a.txt")["files"]] == ["a.txt"]
    assert [each["path"] for each in changed.json("diff", "first", "second", "a.txt")["files"]] == ["a.txt"]
    gone = changed("--json", "diff", "--", "gone.txt").json
    assert [each["path"] for each in gone["files"]] == ["gone.txt"]
    assert [each["path"] for each in changed.json("diff", "gone.txt")["files"]] == ["gone.txt"]


def test_a_word_that_is_a_snapshot_and_a_path_is_refused(changed: Cli) -> None:
    changed.write("first", "a file\n")
    assert "snapshot and a path" in changed.error("diff", "first", code=2)["message"]
    assert changed("--json", "diff", "first", "--").json["a"] == changed.json("show", "first")["id"]
    assert changed("--json", "diff", "--", "first").json["files"] == [{"path": "first", "status": "added"}]


def test_a_word_that_is_neither_is_not_found(changed: Cli) -> None:
    assert "neither a snapshot nor a path" in changed.error("diff", "nonsense", code=10)["message"]
    assert "nonsense" in changed("diff", "nonsense", "--", "a.txt", code=10).err
    assert "too many" in changed("diff", "first", "second", "@", "--", "a.txt", code=2).err


def test_counts(changed: Cli) -> None:
    shown = changed.json("diff", "first", "--stat")
    found = {each["path"]: each for each in shown["files"]}
    assert (found["a.txt"]["added"], found["a.txt"]["removed"]) == (1, 1)
    assert (found["new/file.txt"]["added"], found["new/file.txt"]["removed"]) == (1, 0)
    assert found["data.bin"]["binary"] is True
    out = changed("diff", "first", "--stat").out
    assert "4 files, 2 lines added, 2 removed" in out


def test_one_line_is_no_lines(cli: Cli) -> None:
    cli.write("a.txt", "one\n")
    cli("save")
    cli.write("a.txt", "one\ntwo\n")
    assert "1 file, 1 line added, 0 removed" in cli("diff", "--stat").out


def test_binary_files_are_only_said_to_differ(changed: Cli) -> None:
    out = changed("diff", "data.bin").out
    assert out == "diff --git a/data.bin b/data.bin\nBinary files a/data.bin and b/data.bin differ\n"


@pytest.mark.service("git")
def test_what_is_printed_turns_one_state_into_the_other(changed: Cli) -> None:
    """`git apply` reads it: new and deleted files, modes, names in quotes, files without a last newline."""
    (changed.root / "data.bin").write_bytes(b"\0\1")
    changed.write('odd "name"\t.txt', "odd\n")
    changed.write("new/file.txt", "no newline at the end")
    patch = changed("diff", "first").raw
    elsewhere = changed.root.parent / "elsewhere"
    changed("restore", "first", "--to", str(elsewhere))
    done = subprocess.run(["git", "apply", "-"], cwd=elsewhere, input=patch, capture_output=True)
    assert done.returncode == 0, done.stderr
    changed("save", "-m", "third")
    third = changed.root.parent / "third"
    changed("restore", "third", "--to", str(third))
    assert subprocess.run([shutil.which("diff") or "diff", "-r", elsewhere, third]).returncode == 0


def test_no_difference_prints_nothing(cli: Cli) -> None:
    cli.write("a.txt", "one\n")
    cli("save")
    assert cli("diff").raw == b""


def test_links_are_shown_by_their_targets(cli: Cli) -> None:
    (cli.root / "link").symlink_to("one")
    cli("save")
    (cli.root / "link").unlink()
    (cli.root / "link").symlink_to("two")
    out = cli("diff").out
    assert "-one\n\\ No newline at end of file\n+two\n" in out
