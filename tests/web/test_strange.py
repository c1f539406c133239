"""Whatever an agent put into its files, its names and its memory: it can be shown, as text, by every answer."""

from __future__ import annotations

import json
import os
from datetime import datetime
from typing import Any
from urllib.parse import quote_from_bytes

import pytest

import takeback as tb
from support.web import Client, opened

TITLES = ["<script>alert(1)</script>", "\x1b[31mred\x07", "\u202eback", "a\nb", "x" * 50_000]
NAMES = [
    b"<img src=x onerror=alert(1)>",
    b"\xff\xfe.txt",
    b"new\nline",
    b"quo\"te'",
    b"%41",
    b"a&b=c",
    b"\xed\xa0\x80",
    b"\xe2\x80\xae",
]


def deep() -> Any:
    made: Any = "bottom"
    for _ in range(400):
        made = [made]
    return made


def memory() -> dict[Any, Any]:
    made: dict[Any, Any] = {
        "nan": float("nan"),
        "infinite": float("-inf"),
        "large": 10**300,
        "bytes": b"\xff" * 1000,
        "half": "\udcff\ud800",
        "when": datetime(1, 1, 1),
        (1, 2): {3, 4},
        "deep": deep(),
        "messages": [{"role": "<b>", "content": "\ud800"}, {"role": None, "content": [{"text": "</script>"}, 7, None]}],
    }
    made["itself"] = made
    return made


@pytest.fixture(scope="module")
def strange(tmp_path_factory: pytest.TempPathFactory) -> Any:
    base = tmp_path_factory.mktemp("strange")
    root, store = base / "project", base / "store"
    root.mkdir()
    with tb.open(store) as opened_store:
        state = memory()
        line = opened_store.timeline("main", sources=[tb.Workspace(root), tb.State("memory", state)])
        line.save("begin")
        for number, title in enumerate(TITLES):
            with line.turn(title, session=f"session <{number}>"):
                for name in NAMES:
                    (root / os.fsdecode(name)).write_bytes(
                        b"line \xff %d\n<script>\0" % number if number % 2 else b"x\r\n%d" % number
                    )
                state["messages"].append({"role": "user", "content": f"{number} \udcff"})
        with line.turn("large", session="s"):
            (root / "wide").write_text("x" * 200_000 + "\n")
            os.symlink(b"\xff\n<a>", root / "link")
    with opened(root, store) as client:
        yield client


def test_every_row_and_snapshot_can_be_shown(strange: Client) -> None:
    rows = strange.get("/api/rows?actions=1").json["rows"]
    assert {title[:40] for title in TITLES} <= {row["title"][:40] for row in rows}
    for row in rows:
        if row["snapshot"] is None:
            continue
        assert strange.get(f"/api/snapshots/{row['snapshot']}").status == 200
        assert strange.get(f"/api/value?part=memory&ref={row['snapshot']}").status == 200
        assert strange.get(f"/api/files?ref={row['snapshot']}").status == 200
        if row["before"] is not None:
            ends = f"a={row['before']}&b={row['snapshot']}"
            assert strange.get(f"/api/counts?before={row['before']}&after={row['snapshot']}").status == 200
            assert strange.get(f"/api/diff/messages?{ends}").status == 200
            for each in strange.get(f"/api/diff?{ends}").json["files"]:
                path = quote_from_bytes(os.fsencode(each["path"]))
                assert strange.get(f"/api/diff/file?{ends}&part={each['part']}&path={path}").status == 200


def test_every_file_has_its_own_bytes(strange: Client) -> None:
    listed = strange.get("/api/files").json["entries"]
    assert {os.fsencode(each["name"]) for each in listed} >= set(NAMES)
    for name in NAMES:
        got = strange.get(f"/api/raw?ref=@&path={quote_from_bytes(name)}")
        assert (got.status, got.headers["content-type"]) == (200, "application/octet-stream")


def test_every_session_is_a_filter(strange: Client) -> None:
    sessions = [session for session, _ in strange.get("/api/sessions").json["sessions"]]
    assert len(sessions) == len(TITLES) + 1
    for session in sessions:
        query = quote_from_bytes(session.encode("utf-8", "surrogateescape"))
        assert strange.get(f"/api/rows?session={query}").json["rows"]


def test_everything_can_be_planned_and_measured(strange: Client) -> None:
    for row in strange.get("/api/rows").json["rows"]:
        if row["move"] is not None:
            assert strange.post("/api/plan", {"verb": "undo", "move": row["move"]}).status == 200
    assert strange.post("/api/plan", {"verb": "restore", "reference": "begin"}).status == 200
    assert strange.job("/api/store")["state"] == "done"
    assert json.dumps(strange.get("/api/operations?limit=500").json)
