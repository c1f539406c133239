"""What undo says about what it cannot take back: commits that git gained, and effects that the agent's adapter recorded."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

import pytest

import takeback as tb
from support.agent import World
from support.git import commit_all, git, init_repository

pytestmark = pytest.mark.service("git")


def commit(world: World, subject: str, path: str = "README.md") -> str:
    world.write(path, f"{subject}\n")
    world.git("add", "--all")
    world.git("commit", "--quiet", f"--message={subject}")
    return head(world)


def head(world: World) -> str:
    return world.git("rev-parse", "HEAD")[:10]


def told(report: tb.Report | tb.Plan) -> list[tuple[str, str]]:
    return [(item.kind, item.what) for item in report.outside]


def test_each_commit_of_the_move_is_listed_with_its_branch_and_subject(repository: World) -> None:
    commit(repository, "A person's")
    ids: list[str] = []

    def work() -> None:
        ids.append(commit(repository, "Two: with a colon"))
        ids.append(commit(repository, "Three", "new"))

    repository.turn("one", work)
    report = repository.undo()
    assert told(report) == [
        ("commit", f"{ids[0]} on main: Two: with a colon"),
        ("commit", f"{ids[1]} on main: Three"),
    ]
    assert all(
        abs(item.time_ns - int(repository.git("log", "-1", "--format=%ct")) * 10**9) < 10**10 for item in report.outside
    )


def test_the_hint_is_the_truth(repository: World) -> None:
    before = head(repository)
    repository.turn("one", lambda: commit(repository, "Two", "new"))
    report = repository.undo()
    (hint,) = report.hints
    command = hint.split("`")[1]
    assert command == f"git reset {before}"
    git(repository.root, *command.split()[1:])
    assert head(repository) == before
    assert repository.git("status", "--porcelain") == ""
    assert repository.git("branch", "--show-current") == "main"


def test_the_other_half_of_the_hint_is_the_truth(repository: World) -> None:
    tree = repository.git("rev-parse", "HEAD^{tree}")
    repository.turn("one", lambda: commit(repository, "Two", "new"))
    repository.undo()
    commit_all(repository.root, "taken back")
    assert repository.git("rev-parse", "HEAD^{tree}") == tree


def _amend(world: World) -> None:
    world.write("README.md", "amended\n")
    world.git("commit", "--quiet", "--all", "--amend", "--message=Better")


def _reset(world: World) -> None:
    commit(world, "Gone")
    world.git("reset", "--quiet", "--hard", "HEAD~1")
    world.write("new", "x")


def _checkout(world: World) -> None:
    world.git("checkout", "--quiet", "-b", "feature")
    commit(world, "On a branch")


def _detached(world: World) -> None:
    world.git("checkout", "--quiet", "--detach")
    commit(world, "On none")


def _merge(world: World) -> None:
    world.git("checkout", "--quiet", "-b", "feature")
    commit(world, "Theirs", "theirs")
    world.git("checkout", "--quiet", "main")
    commit(world, "Ours", "ours")
    world.git("merge", "--quiet", "--no-edit", "feature")


def _fast_forward(world: World) -> None:
    world.git("checkout", "--quiet", "-b", "feature")
    commit(world, "Theirs", "theirs")
    world.git("checkout", "--quiet", "main")
    world.git("merge", "--quiet", "feature")


def _rebase(world: World) -> None:
    world.git("checkout", "--quiet", "-b", "feature")
    commit(world, "Mine one", "one")
    commit(world, "Mine two", "two")
    world.git("checkout", "--quiet", "main")
    commit(world, "Theirs", "theirs")
    world.git("checkout", "--quiet", "feature")
    world.git("rebase", "--quiet", "main")
    commit(world, "After", "after")


def _cherry_pick(world: World) -> None:
    world.git("checkout", "--quiet", "-b", "feature")
    commit(world, "Picked", "picked")
    world.git("checkout", "--quiet", "main")
    world.git("cherry-pick", "feature")
    world.git("revert", "--no-edit", "HEAD")
    world.write("new", "x")


CASES: dict[str, tuple[Callable[[World], None], list[tuple[str, str]]]] = {
    "amend": (_amend, [("amend", " on main: Better")]),
    "reset": (_reset, [("commit", " on main: Gone"), ("reset", "(moving to HEAD~1)")]),
    "checkout": (_checkout, [("checkout", "from main to feature"), ("commit", " on feature: On a branch")]),
    "detached": (_detached, [("checkout", "from main to "), ("commit", ": On none")]),
    "merge": (
        _merge,
        [
            ("checkout", "from main to feature"),
            ("commit", " on feature: Theirs"),
            ("checkout", "from feature to main"),
            ("commit", " on main: Ours"),
            ("merge", "main went from "),
        ],
    ),
    "fast-forward": (
        _fast_forward,
        [
            ("checkout", "from main to feature"),
            ("commit", " on feature: Theirs"),
            ("checkout", "from feature to main"),
            ("merge", "(feature)"),
        ],
    ),
    "rebase": (
        _rebase,
        [
            ("checkout", "from main to feature"),
            ("commit", " on feature: Mine one"),
            ("commit", " on feature: Mine two"),
            ("checkout", "from feature to main"),
            ("commit", " on main: Theirs"),
            ("checkout", "from main to feature"),
            ("rebase", "feature: 2 commits written anew, "),
            ("commit", " on feature: After"),
        ],
    ),
    "cherry-pick and revert": (
        _cherry_pick,
        [
            ("checkout", "from main to feature"),
            ("commit", " on feature: Picked"),
            ("checkout", "from feature to main"),
            ("cherry-pick", " on main: Picked"),
            ("revert", ' on main: Revert "Picked"'),
        ],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_moved_head_is_called_by_its_name(repository: World, name: str) -> None:
    work, expected = CASES[name]
    repository.turn("one", lambda: work(repository))
    found = told(repository.undo())
    assert [kind for kind, _ in found] == [kind for kind, _ in expected]
    for (_, what), (_, part) in zip(found, expected, strict=True):
        assert part in what


def test_pull_is_called_pull(repository: World) -> None:
    other = repository.base / "other"
    git(repository.base, "clone", "--quiet", str(repository.root), str(other))
    (other / "theirs").write_text("x")
    commit_all(other, "Theirs")
    before = head(repository)
    repository.turn("one", lambda: repository.git("pull", "--quiet", str(other), "main"))
    (found,) = told(repository.undo())
    assert found[0] == "pull" and found[1].startswith(f"main went from {before} to {head(repository)} (")


def test_a_commit_that_no_branch_holds_any_more_is_listed(repository: World) -> None:
    repository.turn("one", lambda: commit(repository, "Lost", "new"))
    repository.git("reset", "--quiet", "--hard", "HEAD~1")
    repository.write("new", "Lost\n")
    report = repository.undo()
    assert [kind for kind, _ in told(report)] == ["commit"]
    assert report.hints == ()  # main is what it was


def test_commits_before_and_after_the_move_are_not_its(repository: World) -> None:
    commit(repository, "Before")
    repository.turn("one", lambda: commit(repository, "Inside", "new"))
    commit(repository, "After", "later")
    report = repository.undo()
    assert [what.partition(": ")[2] for _, what in told(report)] == ["Inside"]
    assert report.hints == ()  # a reset would take somebody else's commit off, too


def test_a_turn_without_commits_says_nothing_of_those_around_it(repository: World) -> None:
    commit(repository, "Before")
    repository.turn("one", {"README.md": "changed\n"})
    commit(repository, "After", "later")
    assert repository.undo().outside == ()


def test_an_open_turn_s_commits_are_listed(repository: World) -> None:
    repository.agent().start("one")
    id = commit(repository, "Inside", "new")
    report = repository.undo()
    assert told(report) == [("commit", f"{id} on main: Inside")]
    assert report.hints


def test_a_turn_that_nobody_ended_does_not_get_a_person_s_commits(repository: World) -> None:
    agent = repository.agent()
    agent.start("one")
    agent.begin("k")
    commit(repository, "The agent's", "new")
    agent.hook("after_action", key="k", context={"tool": "Bash"})
    repository.git("commit", "--quiet", "--allow-empty", "--message=A person's", "--date=now")
    _shift_last_entry(repository, 5)
    agent.start("two")
    agent.end()
    report = repository.undo()
    assert [what.partition(": ")[2] for _, what in told(report)] == ["The agent's"]


def _shift_last_entry(world: World, seconds: int) -> None:
    """As if the last thing that git did had been done so much later."""
    log = world.root / ".git" / "logs" / "HEAD"
    *rest, last = log.read_text().splitlines()
    head, _, message = last.partition("\t")
    *words, when, zone = head.split(" ")
    log.write_text("\n".join([*rest, " ".join([*words, str(int(when) + seconds), zone]) + "\t" + message]) + "\n")


def test_commits_with_a_date_of_their_own_are_found_by_their_ids(
    repository: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2001-02-03T04:05:06Z")
    repository.turn("one", lambda: (commit(repository, "One"), commit(repository, "Two")))
    assert [what.partition(": ")[2] for _, what in told(repository.undo())] == ["One", "Two"]


def test_the_first_commit_of_a_repository_is_listed(world: World) -> None:
    init_repository(world.root)
    world.write("a", "1")
    world.turn("one", lambda: commit(world, "First", "new"))
    report = world.undo()
    assert told(report) == [("commit", f"{head(world)} on main: First")]
    assert report.hints == ()


def test_a_repository_without_a_log_has_a_sentence(repository: World) -> None:
    repository.git("config", "core.logAllRefUpdates", "false")
    (repository.root / ".git" / "logs" / "HEAD").unlink()
    before = head(repository)
    repository.turn("one", lambda: commit(repository, "Two"))
    assert told(repository.undo()) == [("commit", f"git's HEAD went from {before} to {head(repository)}")]


@pytest.mark.parametrize("damage", [b"", b"\0" * 100, b"not a log\n" * 50, b"\xff" * (1 << 20)])
def test_a_damaged_log_is_as_none(repository: World, damage: bytes) -> None:
    repository.turn("one", lambda: commit(repository, "Two"))
    (repository.root / ".git" / "logs" / "HEAD").write_bytes(damage)
    assert "git's HEAD went from" in told(repository.undo())[0][1]


@pytest.mark.parametrize("kind", ["fifo", "directory", "loop"])
def test_a_log_that_is_no_file_is_as_none(repository: World, kind: str) -> None:
    repository.turn("one", lambda: commit(repository, "Two"))
    log = repository.root / ".git" / "logs" / "HEAD"
    log.unlink()
    if kind == "fifo":
        os.mkfifo(log)
    elif kind == "directory":
        log.mkdir()
    else:
        log.symlink_to(log)
    assert "git's HEAD went from" in told(repository.undo())[0][1]


def test_only_the_end_of_a_huge_log_is_read(repository: World) -> None:
    log = repository.root / ".git" / "logs" / "HEAD"
    line = f"{'0' * 40} {'1' * 40} A <a@b> 1000000000 +0000\tcommit: old\n"
    log.write_text(line * 30_000 + log.read_text())
    id: list[str] = []
    repository.turn("one", lambda: id.append(commit(repository, "Two")))
    assert told(repository.undo()) == [("commit", f"{id[0]} on main: Two")]


def test_a_worktree_has_a_log_of_its_own(repository: World) -> None:
    repository.git("worktree", "add", "--quiet", "-b", "side", str(repository.base / "side"))
    side = World(repository.base, directory="side")
    ids: list[str] = []

    def work() -> None:
        ids.append(commit(side, "In the worktree", "new"))
        commit(repository, "In the main one", "other")

    side.turn("one", work)
    report = side.undo()
    assert told(report) == [("commit", f"{ids[0]} on side: In the worktree")]


def test_several_moves_have_one_way_back(repository: World) -> None:
    before = head(repository)
    repository.line.save("start")
    repository.turn("one", lambda: commit(repository, "One"))
    repository.turn("two", lambda: commit(repository, "Two"))
    report = repository.undo(since="start")
    assert [what.partition(": ")[2] for _, what in told(report)] == ["One", "Two"]
    assert [hint for hint in report.hints if before in hint] == list(report.hints) != []


def test_a_person_s_commit_between_two_moves_is_not_taken_off(repository: World) -> None:
    repository.line.save("start")
    repository.turn("one", lambda: commit(repository, "One"))
    commit(repository, "A person's", "person")
    repository.turn("two", lambda: commit(repository, "Two"))
    assert not any("git reset" in hint for hint in repository.undo(since="start").hints)


def act(world: World, edits: dict[str, str], effects: Sequence[tuple[str, str]], key: str = "") -> None:
    agent = world.agent()
    agent.begin(key)
    world.edit(edits)
    agent.hook("after_action", key=key, context={"effects": [{"kind": kind, "what": what} for kind, what in effects]})


def test_effects_that_were_recorded_are_listed_by_time(world: World) -> None:
    agent = world.agent()
    agent.start("one")
    act(world, {"a": "1"}, [("push", "git push")], "a")
    act(world, {}, [("mail", "mail bob"), ("push", "git push")], "b")
    agent.end()
    report = world.undo()
    assert told(report) == [("push", "git push"), ("mail", "mail bob"), ("push", "git push")]
    times = [item.time_ns for item in report.outside]
    assert times == sorted(times) and times[0] < times[1]
    assert world.moves()


def test_effects_and_commits_are_in_one_order(repository: World) -> None:
    agent = repository.agent()
    agent.start("one")
    agent.begin("a")
    id = commit(repository, "Inside", "new")
    agent.hook("after_action", key="a", context={"effects": [{"kind": "push", "what": "git push"}]})
    agent.end()
    assert told(repository.undo()) == [("commit", f"{id} on main: Inside"), ("push", "git push")]


@pytest.mark.parametrize("wrong", [5, "git push", [5], [{}], [{"kind": 5}], {"kind": "push"}, [[]]])
def test_effects_of_another_shape_do_no_harm(world: World, wrong: object) -> None:
    agent = world.agent()
    agent.start("one")
    agent.begin("a")
    world.write("a", "1")
    agent.hook("after_action", key="a", context={"effects": wrong})
    agent.end()
    assert world.undo().changed == ("a",)
