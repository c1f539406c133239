"""`takeback watch` as a program. Nothing sleeps: the tests wait for the lines that it prints."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.cli import PROGRAM, takeback
from support.git import init_repository
from support.watch import watching
from takeback.store.locks import root_lock


def log(root: Path) -> Any:
    return json.loads(takeback("log", "--json", cwd=root).stdout)


def undo(root: Path, *arguments: str) -> Any:
    done = takeback("undo", "--yes", "--json", *arguments, cwd=root)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_watch_something_breaks_undo(project: Path) -> None:
    (project / "a.txt").write_text("good\n")
    with watching(project) as watch:
        assert watch.begun["root"] == str(project)
        first = watch.next("saved")
        assert (first["changed"], first["trigger"]) == (1, "manual")
        (project / "a.txt").write_text("broken\n")
        assert watch.next("saved")["changed"] == 1
        assert undo(project)["changed"] == ["a.txt"]
        assert (project / "a.txt").read_text() == "good\n"
        (project / "a.txt").write_text("better\n")
        assert watch.next("saved")["changed"] == 1
        assert watch.end() == (0, [], "")
    context = json.loads(takeback("show", "@", "--json", cwd=project).stdout)["context"]
    assert context["by"] == "watch"


def test_undo_and_redo_walk_over_its_snapshots(project: Path) -> None:
    with watching(project) as watch:
        watch.next("saved")
        for text in ("one", "two", "three"):
            (project / "a.txt").write_text(text)
            watch.next("saved")
        undo(project)
        assert (project / "a.txt").read_text() == "two"
        undo(project)
        assert (project / "a.txt").read_text() == "one"
        assert takeback("redo", "--yes", cwd=project).returncode == 0
        assert takeback("redo", "--yes", cwd=project).returncode == 0
        assert (project / "a.txt").read_text() == "three"
        assert watch.end()[0] == 0


def test_an_agents_turn_is_one_move_however_often_it_saves(project: Path) -> None:
    script = (
        "import sys, takeback\n"
        "line = takeback.here()\n"
        "with line.turn('work', session='s'):\n"
        "    for command in sys.stdin:\n"
        "        open('a.txt', 'a').write(command)\n"
    )
    with watching(project) as watch:
        watch.next("saved")
        command = [sys.executable, "-c", script]
        with subprocess.Popen(command, cwd=project, stdin=subprocess.PIPE, text=True, bufsize=1) as agent:
            assert agent.stdin is not None
            for text in ("one\n", "two\n"):
                agent.stdin.write(text)
                agent.stdin.flush()
                watch.next("saved")
            agent.stdin.close()
            assert agent.wait() == 0
        assert watch.end()[0] == 0
    turns = [move for move in log(project)["moves"] if move["level"] == "turn"]
    assert [move["title"] for move in turns] == ["work"]
    undo(project)
    assert not (project / "a.txt").exists()


def test_what_is_ignored_causes_no_snapshot(project: Path) -> None:
    init_repository(project)
    (project / ".gitignore").write_text("*.log\nbuild/\n")
    (project / "build").mkdir()
    with watching(project, "--store", ".takeback-store") as watch:
        watch.next("saved")
        (project / "noise.log").write_text("x")
        (project / "build" / "out").write_text("x")
        (project / ".git" / "junk").write_text("x")
        (project / ".takeback-stage-0123456789abcdef").mkdir()
        (project / "real.txt").write_text("x")
        saved = watch.next("saved")
        assert saved["changed"] == 1
        code, left, errors = watch.end()
        assert (code, left, errors) == (0, [], "")
    found = json.loads(takeback("log", "--json", "--store", ".takeback-store", cwd=project).stdout)
    assert len(found["snapshots"]) == 2


def test_all_that_can_happen_to_files_is_seen(project: Path) -> None:
    (project / "old").mkdir()
    (project / "old" / "a").write_text("a")
    with watching(project) as watch:
        watch.next("saved")
        (project / "old").rename(project / "new")
        assert watch.next("saved")["changed"] == 2
        (project / "new" / "a").write_text("renamed, and still seen")
        assert watch.next("saved")["changed"] == 1
        (project / "new" / "a").chmod(0o755)
        assert watch.next("saved")["changed"] == 1
        (project / "link").symlink_to("/usr")
        assert watch.next("saved")["changed"] == 1
        deep = project / "some" / "more" / "below"
        deep.mkdir(parents=True)
        watch.next("saved")
        (deep / "f").write_text("x")
        assert watch.next("saved")["changed"] == 1
        shutil.rmtree(project / "some")
        deep.mkdir(parents=True)
        (deep / "g").write_text("y")
        watch.next("saved")
        (deep / "h").write_text("z")
        assert watch.next("saved")["changed"] == 1
        with open(os.path.join(os.fsencode(project), b"\xff\xfe"), "w") as file:
            file.write("a name that is not UTF-8")
        assert watch.next("saved")["changed"] == 1
        (project / "after").write_text("x")
        assert watch.next("saved")["changed"] == 1
        assert watch.end() == (0, [], "")


def test_ten_thousand_files_at_once_are_all_saved(project: Path) -> None:
    with watching(project) as watch:
        watch.next("saved")
        for number in range(100):
            (project / f"d{number}").mkdir()
            for each in range(100):
                (project / f"d{number}" / f"f{each}").write_text("x")
        code, left, _ = watch.end(signal.SIGTERM)
        assert code == 0
    assert sum(each["changed"] for each in left) == 10_000
    assert len(json.loads(takeback("show", "@:", "--json", cwd=project).stdout)["entries"]) == 10_100


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_after_a_last_save(project: Path, number: int) -> None:
    with watching(project, "--quiet", "1h", "--at-most", "1h") as watch:
        watch.next("saved")
        (project / "late.txt").write_text("x")
        code, left, errors = watch.end(number)
    assert (code, errors) == (0, "")
    assert [each["changed"] for each in left] == [1]


def test_under_constant_change_it_saves_every_so_often(project: Path) -> None:
    script = "i=0; while :; do i=$((i+1)); echo $i > a; done"
    with watching(project, "--quiet", "500ms", "--at-most", "600ms") as watch:
        watch.next("saved")
        with subprocess.Popen(["/bin/sh", "-c", script], cwd=project) as busy:
            try:
                assert watch.next("saved")["changed"] == 1
                assert watch.next("saved")["changed"] == 1
            finally:
                busy.kill()
        assert watch.end()[0] == 0


def test_a_root_that_is_made_anew_is_watched_again(project: Path) -> None:
    (project / "a").write_text("x")
    with watching(project, "--quiet", "1s") as watch:
        watch.next("saved")
        other = project.with_name("other")
        (other / "sub").mkdir(parents=True)
        (other / "b").write_text("x")
        project.rename(project.with_name("old"))
        other.rename(project)
        assert watch.next("saved")["changed"] == 2
        (project / "sub" / "c").write_text("x")
        assert watch.next("saved")["changed"] == 1
        shutil.rmtree(project)
        code, left, errors = watch.ended()
    assert (code, left) == (10, [])
    assert json.loads(errors)["error"]["hints"]


def test_a_save_that_fails_is_said_once_and_tried_again(project: Path, tmp_path: Path) -> None:
    with watching(project) as watch:
        watch.next("saved")
        with root_lock(str(project)):
            (project / "a").write_text("x")
            failed = watch.next("failed")
            assert failed["error"]["kind"] == "Locked"
        assert watch.next("saved")["changed"] == 1
        aside = tmp_path / "aside"
        (tmp_path / "store").rename(aside)
        (tmp_path / "store").write_text("no store")
        (project / "a").write_text("y")
        watch.next("failed")
        (tmp_path / "store").unlink()
        aside.rename(tmp_path / "store")
        assert watch.next("saved")["changed"] == 1
        assert watch.end()[0] == 0


def test_two_watches_of_one_root_do_no_harm(project: Path, tmp_path: Path) -> None:
    with watching(project) as one, watching(project) as two:
        one.next("saved")
        for name in ("a", "b"):  # each is there at once and whole: the other one may be making its first snapshot
            (tmp_path / name).write_text("one")
            (tmp_path / name).rename(project / name)
        assert one.end()[0] == two.end()[0] == 0
    assert len(log(project)["snapshots"]) <= 3
    assert takeback("verify", cwd=project).returncode == 0
    undo(project)
    assert [path.name for path in project.iterdir()] in ([], ["a"], ["b"])


def test_what_cannot_begin_says_why(project: Path, tmp_path: Path) -> None:
    assert takeback("watch", "--quiet", "0", cwd=project).returncode == 2
    assert takeback("watch", "--quiet", "2m", cwd=project).returncode == 2
    (tmp_path / "store").write_text("no store")
    assert takeback("watch", cwd=project).returncode == 2


def test_without_the_extra_it_says_what_to_install(project: Path) -> None:
    script = "import sys; sys.modules['watchfiles'] = None\nfrom takeback.cli import main; sys.exit(main(['watch']))"
    done = subprocess.run([sys.executable, "-c", script], cwd=project, capture_output=True, text=True)
    assert done.returncode == 15
    assert "pip install 'takeback[watch]'" in done.stderr


def test_people_read_a_line_for_each_snapshot(project: Path) -> None:
    with subprocess.Popen(
        [*PROGRAM, "watch", "--quiet", "100ms"], cwd=project, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith(f"watching {project}")
        assert process.stdout.readline().startswith("saved ")
        (project / "a").write_text("x")
        assert "1 file changed" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait() == 0
