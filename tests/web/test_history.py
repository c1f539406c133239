"""Timelines and rows, through the API."""

from __future__ import annotations

from pathlib import Path

import pytest

import takeback as tb
from support.web import Client, opened


def test_about_says_where_this_is(client: Client, project: tuple[Path, Path]) -> None:
    about = client.get("/api/about").json
    assert (about["root"], about["store"]) == tuple(map(str, project))
    assert (about["version"], about["read_only"], about["lane"]) == (tb.__version__, False, 1)


def test_lanes_are_the_timelines(client: Client, project: tuple[Path, Path]) -> None:
    (lane,) = client.get("/api/lanes").json["lanes"]
    assert (lane["number"], lane["root"], lane["name"]) == (1, str(project[0]), "main")
    assert lane["is_here"] and lane["created_ns"].isdigit() and lane["created"].endswith("+00:00")


def test_rows_come_newest_first_and_page_by_page(client: Client) -> None:
    whole = client.get("/api/rows").json
    titles = [row["title"] for row in whole["rows"]]
    assert titles[:2] == ["add a module \N{GRINNING FACE}", "fix the <b>bug</b>"]
    assert whole["rows"][-1]["kind"] == "original"
    assert whole["next"] is None
    found, cursor = [], ""
    while cursor is not None:
        page = client.get(f"/api/rows?limit=1&lanes=1&cursor={cursor}").json
        found += page["rows"]
        cursor = page["next"]
    assert found == whole["rows"]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("session=session-1", ["fix the <b>bug</b>"]),
        ("text=BUG", ["fix the <b>bug</b>"]),
        ("text=%F0%9F%98%80+module", ["add a module \N{GRINNING FACE}"]),
        ("part=memory&session=session-2", []),
        ("agent=nobody", []),
        ("lanes=99", []),
    ],
)
def test_rows_are_filtered(client: Client, query: str, found: list[str]) -> None:
    assert [row["title"] for row in client.get(f"/api/rows?{query}").json["rows"]] == found


def test_times_are_exact_and_readable(client: Client) -> None:
    row = client.get("/api/rows?limit=1").json["rows"][0]
    assert row["time_ns"].isdigit() and len(row["time_ns"]) == 19
    assert row["time"].startswith("20")


def test_counts_say_how_much_a_step_changed(client: Client) -> None:
    row = client.get("/api/rows?session=session-1").json["rows"][0]
    counts = client.get(f"/api/counts?before={row['before']}&after={row['snapshot']}").json
    assert (counts["files"], counts["added"], counts["removed"]) == (2, 2, 1)
    assert counts["parts"] == {"workspace": 2, "memory": 1}


def test_sessions_are_the_newest_first(client: Client) -> None:
    assert client.get("/api/sessions").json["sessions"] == [["session-2", ""], ["session-1", ""]]


def test_the_present_is_looked_at(own: tuple[Client, Path]) -> None:
    client, root = own
    assert client.get("/api/present").json["counts"]["files"] == 0
    (root / "more.txt").write_text("one\ntwo\n")
    found = client.get("/api/present?lane=1").json
    assert found["row"]["kind"] == "present"
    assert (found["counts"]["files"], found["counts"]["added"]) == (1, 2)


def test_a_root_without_history_in_a_store_with_one_is_empty(tmp_path: Path, project: tuple[Path, Path]) -> None:
    """Somebody starts the page in another project than the one that was recorded."""
    (tmp_path / "other").mkdir()
    with opened(tmp_path / "other", project[1]) as client:
        assert client.get("/api/about").json["lane"] == 0
        assert client.get("/api/rows").json["rows"] == []
        assert len(client.get("/api/rows?lanes=1").json["rows"]) > 2
        for path in ("/api/present", "/api/sessions", "/api/snapshots/@", "/api/diff"):
            got = client.get(path)
            assert (got.status, got.error["type"], got.error["code"]) == (404, "NotFound", 10)
        assert client.post("/api/plan", {"verb": "undo"}).status == 404
        assert client.job("/api/save", {"label": "first"})["result"]["new"] is True
        assert client.get("/api/about").json["lane"] == 2
