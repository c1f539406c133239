"""prune and maintain."""

from __future__ import annotations

import pytest

from support.cli import Cli
from support.stores import noise
from takeback.store.locks import root_lock


@pytest.fixture
def five(cli: Cli) -> list[str]:
    """Five snapshots, oldest first."""
    found = []
    for number in range(5):
        cli.write("a.bin", noise(400_000, number))
        found.append(cli.json("save")["id"])
    return found


def test_prune_and_maintain_free_the_space(cli: Cli, five: list[str]) -> None:
    planned = cli.json("prune", "--keep-last", "2", "--dry-run")
    assert planned == {
        "dry_run": True, "snapshots": five[1:3], "kept": 3, "bytes": planned["bytes"], "busy": [],
    }  # fmt: skip
    assert planned["bytes"] > 800_000
    assert cli.json("prune", "--keep-last", "2", "--yes") == {**planned, "dry_run": False}
    assert [row["id"] for row in cli.json("log")["snapshots"]] == [five[4], five[3], five[0]]
    done = cli.json("maintain")
    assert done.keys() == {
        "busy", "folded", "condemned", "removed", "revived", "leftovers", "waiting", "purging", "bytes_before", "bytes_after",
    }  # fmt: skip
    assert done["bytes_before"] - done["bytes_after"] > 800_000
    assert cli.json("verify", "--read-data")["ok"]
    assert cli.json("stats")["bytes_on_disk"] == done["bytes_after"]


def test_people_are_told_what_goes_and_what_to_do_next(cli: Cli, five: list[str]) -> None:
    out = cli("prune", "--max-age", "0", "--dry-run").out
    assert "would remove 3 snapshots; 2 stay" in out
    assert five[1][:8] in out
    out = cli("prune", "--max-age", "0", "--yes").out
    assert "removed 3 snapshots" in out
    assert "takeback maintain" in out
    assert "before" in cli("maintain").out
    assert "nothing to remove: 2 snapshots" in cli("prune", "--max-bytes", "1GiB", "--yes").out


def test_prune_needs_a_limit_and_a_yes(cli: Cli, five: list[str]) -> None:
    assert "--keep-last" in cli.error("prune", code=2)["hints"][0]
    assert "--yes" in cli.error("prune", "--keep-last", "1", code=2)["hints"][0]
    assert cli.error("prune", "--keep-last", "0", "--yes", code=2)
    assert cli.error("prune", "--max-age", "soon", "--yes", code=2)
    assert cli.error("prune", "--max-bytes", "much", "--yes", code=2)
    assert len(cli.json("log")["snapshots"]) == 5


def test_only_this_timeline_unless_all_are_meant(cli: Cli, five: list[str]) -> None:
    for number in range(4):
        cli.write("a.bin", f"{number}")
        cli("save", "--timeline", "other")
    assert len(cli.json("prune", "--keep-last", "1", "--yes")["snapshots"]) == 3
    assert len(cli.json("prune", "--keep-last", "1", "--yes", "--all")["snapshots"]) == 2


def test_without_a_store_there_is_nothing_to_prune_or_maintain(cli: Cli) -> None:
    cli.error("prune", "--keep-last", "1", "--yes", code=10)
    cli.error("maintain", code=10)
    assert not cli.store.exists()


def test_a_second_maintenance_leaves_the_first_alone(cli: Cli, five: list[str]) -> None:
    with root_lock(str(cli.store / "packs")):
        assert cli.json("maintain")["busy"] is True
        assert "another maintenance" in cli("maintain").out


def test_a_drop_is_taken_back_until_the_space_is_freed(cli: Cli, five: list[str]) -> None:
    assert f"takeback drop {five[1][:8]} --undo" in cli("drop", five[1], "--yes").out
    assert cli.json("drop", five[1][:8], "--undo") == {"id": five[1], "dropped": False}
    cli("prune", "--keep-last", "1", "--yes")
    assert "is back" in cli("drop", five[2], "--undo").out
    assert [row["id"] for row in cli.json("log")["snapshots"]] == [five[4], five[2], five[0]]
    cli("maintain")
    assert cli.error("drop", five[1], "--undo", code=10)
    assert cli.json("verify", "--read-data")["ok"]


def test_what_was_changed_between_removed_saves_is_no_move_any_more(cli: Cli) -> None:
    for number in range(4):
        cli.write("a.txt", f"{number}\n")
        cli("save", "-m", f"v{number}")
    out = cli("prune", "--keep-last", "1", "--yes").out
    assert "3 moves went with them: undo cannot take these back any more" in out
    assert "changes since “v2”" not in cli("log").out
    cli.error("undo", "--yes", code=10)
    assert cli.read("a.txt") == "3\n"


def test_prune_says_which_moves_go_before_it_does_it(cli: Cli) -> None:
    for number in range(4):
        cli("run", "-m", f"work {number}", "--", "sh", "-c", f"echo {number} > a.txt")
    assert "2 moves would go with them" in cli("prune", "--keep-last", "3", "--dry-run").out
    assert len(cli.json("log")["moves"]) == 4
    assert "2 moves went with them" in cli("prune", "--keep-last", "3", "--yes").out
    assert [move["title"] for move in cli.json("log")["moves"]] == ["work 3", "work 2"]
    for expected in ("2\n", "1\n"):
        cli("undo", "--yes")
        assert cli.read("a.txt") == expected
    cli.error("undo", "--yes", code=10)
