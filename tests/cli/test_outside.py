"""How undo shows what it cannot take back."""

from __future__ import annotations

import re
import time

import pytest

import takeback as tb
from support.cli import Cli
from support.git import commit_all, init_repository
from takeback.views.lines import plain
from takeback.views.plans import plan_lines
from takeback.views.text import moment


def turn(cli: Cli, effects: list[tuple[str, str]]) -> None:
    """A turn of an agent whose hooks recorded effects."""
    line = tb.here(cli.root)
    line.save(trigger="turn_start", session="s1", title="ship it")
    for number, (kind, what) in enumerate(effects):
        line.save(trigger="before_action", session="s1", key=str(number))
        cli.write(f"{number}.txt", what)
        told = {"effects": [{"kind": kind, "what": what}]}
        line.save(trigger="after_action", session="s1", key=str(number), context=told)
    line.save(trigger="turn_end", session="s1")


def listed(out: str) -> list[list[str]]:
    """Kind and command of each line under the heading, whose times are in order."""
    rows = re.findall(r"^  (\d\d:\d\d:\d\d)  (\S+) +(.*)$", out.partition("cannot be taken back")[2], re.MULTILINE)
    assert [row[0] for row in rows] == sorted(row[0] for row in rows)
    return [list(row[1:]) for row in rows]


def test_kind_time_and_command_are_shown_before_and_after(cli: Cli) -> None:
    turn(cli, [("push", "git push origin main"), ("mail", "mail bob")])
    expected = [["push", "git push origin main"], ["mail", "mail bob"]]
    assert listed(cli("undo", "--dry-run").out) == expected
    assert listed(cli("undo", "--yes").out) == expected


def test_json_has_all_of_them(cli: Cli) -> None:
    turn(cli, [("network", f"curl -d {number} h") for number in range(30)])
    effects = cli.json("undo", "--yes")["effects"]
    assert [effect["what"] for effect in effects] == [f"curl -d {number} h" for number in range(30)]
    assert {effect["kind"] for effect in effects} == {"network"} and all(effect["time"] for effect in effects)


def test_many_of_one_kind_do_not_hide_the_others(cli: Cli) -> None:
    many = [("network", f"curl -d {number} h") for number in range(20)]
    turn(cli, [*many, ("push", "git push"), *[("database", "psql -f x.sql")] * 5])
    out = "\n".join(map(plain, plan_lines(tb.here(cli.root).plan_undo())))  # as on a terminal
    rows = listed(out)
    assert [kind for kind, _ in rows].count("network") == 8
    assert rows[-2:] == [["push", "git push"], ["database", "psql -f x.sql  5 times"]]
    assert "… and 12 more of the kind network" in out


@pytest.mark.service("git")
def test_a_commit_is_shown_with_the_way_back(cli: Cli) -> None:
    init_repository(cli.root)
    before = commit_all(cli.root, "First")
    line = tb.here(cli.root)
    with line.turn("ship it"):
        cli.write("a.txt", "1")
        commit = commit_all(cli.root, "Second")
    out = cli("undo", "--yes").out
    assert listed(out) == [["commit", f"{commit[:10]} on main: Second"]]
    assert f"hint: `git reset {before[:10]}` makes main what it was before" in out


def test_a_moment_of_another_day_has_its_date() -> None:
    now = 1_700_000_000 * 10**9
    assert moment(now, now) == time.strftime("%H:%M:%S", time.localtime(1_700_000_000))
    assert moment(now - 10**14, now) == time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(1_699_900_000))
