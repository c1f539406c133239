"""What a snapshot holds, through the API."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import quote

import pytest

import takeback as tb
from support.stores import noise
from support.web import HOSTILE, PIXEL, Client


def test_a_snapshot_is_shown_with_what_it_changed(client: Client) -> None:
    found = client.get("/api/snapshots/@").json
    assert [each["path"] for each in found["files"]] == ["new.py"]
    assert found["parts"]["memory"]["kind"] == "state"
    assert (found["lane"], found["left_out"]) == (1, {})
    assert client.get(f"/api/snapshots/{found['id'][:8]}").json["id"] == found["id"]
    assert client.get("/api/snapshots/begin?lane=1").json["labels"] == ["begin"]
    got = client.get("/api/snapshots/none")
    assert (got.status, got.error["type"]) == (404, "NotFound")


def test_a_label_may_hold_a_slash(own: tuple[Client, Path]) -> None:
    client, _ = own
    assert client.post("/api/label", {"ref": "@", "name": "feature/one two"}).status == 200
    assert client.get("/api/snapshots/feature%2Fone%20two").json["labels"] == ["feature/one two"]


def test_files_are_listed_one_directory_at_a_time(own: tuple[Client, Path]) -> None:
    client, root = own
    (root / "a" / "b").mkdir(parents=True)
    (root / "a" / "b" / "deep.txt").write_text("deep")
    (root / "a" / "one.txt").write_text("one")
    client.job("/api/save", {})
    top = client.get("/api/files").json["entries"]
    assert [each["name"] for each in top] == ["a", HOSTILE, "app.py", "new.py", "notes.txt", "pixel.png"]
    inner = client.get("/api/files?path=a&ref=@").json["entries"]
    assert [(each["path"], each["kind"], each["size"]) for each in inner] == [
        ("a/b", "directory", 0),
        ("a/one.txt", "file", 3),
    ]


def test_a_picture_is_shown_as_one(client: Client) -> None:
    got = client.get("/api/raw?ref=@&path=pixel.png")
    assert (got.status, got.body, got.headers["content-type"]) == (200, PIXEL, "image/png")
    assert "sandbox" in got.headers["content-security-policy"]
    assert got.headers["x-content-type-options"] == "nosniff"


def test_anything_else_is_only_ever_saved(own: tuple[Client, Path]) -> None:
    """What looks like a page, or says that it is a picture and is none, runs nowhere."""
    client, root = own
    script = b"<html><script>alert(1)</script></html>"
    for name in ("page.html", "lie.png", "draw.svg", 'quo"te.html', "new\nline.html"):
        (root / name).write_bytes(script)
    client.job("/api/save", {})
    for name in ("page.html", "lie.png", "draw.svg", 'quo"te.html', "new\nline.html"):
        got = client.get(f"/api/raw?ref=@&path={quote(name)}")
        assert (got.status, got.body, got.headers["content-type"]) == (200, script, "application/octet-stream")
        assert got.headers["content-disposition"] == f"attachment; filename*=UTF-8''{quote(name)}"
        assert "sandbox" in got.headers["content-security-policy"]


def test_a_large_file_comes_piece_by_piece(own: tuple[Client, Path]) -> None:
    client, root = own
    data = noise(5 << 20)
    (root / "large.bin").write_bytes(data)
    client.job("/api/save", {})
    assert client.get("/api/raw?ref=@&path=large.bin").body == data
    assert client.ask("HEAD", "/api/raw?ref=@&path=large.bin").body == b""


def test_a_name_that_is_not_utf8_can_be_listed_read_and_compared(own: tuple[Client, Path]) -> None:
    client, root = own
    name = b"caf\xe9 \xff.txt"
    (root / os.fsdecode(name)).write_bytes(b"old\n")
    client.job("/api/save", {})
    (root / os.fsdecode(name)).write_bytes(b"new \xff\n")
    client.job("/api/save", {})
    listed = [each["name"] for each in client.get("/api/files").json["entries"]]
    assert os.fsdecode(name) in listed
    assert client.get("/api/raw?ref=@&path=caf%E9+%FF.txt").body == b"new \xff\n"
    (row,) = client.get("/api/diff?a=@-&b=@").json["files"]
    assert row["path"] == os.fsdecode(name)
    sides = client.get("/api/diff/file?a=@-&b=@&path=caf%E9%20%FF.txt").json
    assert (sides["added"], sides["removed"]) == (1, 1)
    plan = client.post("/api/plan", {"verb": "restore", "reference": "@-", "paths": {"workspace": [os.fsdecode(name)]}})
    assert client.job("/api/apply", {"plan": plan.json["plan"]})["state"] == "done"
    assert (root / os.fsdecode(name)).read_bytes() == b"old\n"


@pytest.mark.parametrize(
    "path", ["../store/store.json", "/etc/passwd", "..%2F..%2Fetc/passwd", ".git/config", "./app.py/x", "%2e%2e"]
)
def test_nothing_outside_of_a_snapshot_can_be_read(client: Client, path: str) -> None:
    for ref in ("ref=@&", ""):
        got = client.get(f"/api/raw?{ref}path={path}")
        assert got.status in (400, 404)


def test_the_present_shows_only_what_differs_and_never_through_a_link(own: tuple[Client, Path], tmp_path: Path) -> None:
    client, root = own
    assert client.get("/api/raw?path=pixel.png").status == 404
    (root / "pixel.png").write_bytes(PIXEL + b"more")
    got = client.get("/api/raw?path=pixel.png")
    assert (got.body, got.headers["content-type"]) == (PIXEL + b"more", "image/png")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret").write_text("secret")
    (root / "link").symlink_to(tmp_path / "outside")
    assert client.get("/api/raw?path=link/secret").status == 404
    (root / "direct").symlink_to(tmp_path / "outside" / "secret")
    assert client.get("/api/raw?path=direct").status == 404


def test_a_memory_is_an_outline(client: Client) -> None:
    found = client.get("/api/value?part=memory").json
    assert found["lines"][0] == "dict of 1"
    assert any("<script>alert(1)</script>" in line for line in found["lines"])
    assert client.get("/api/value?part=workspace").status == 400
    assert client.get("/api/value?part=none").status == 404
    assert client.get("/api/value").status == 400


def test_a_long_memory_is_cut_and_says_so(tmp_path: Path, own: tuple[Client, Path]) -> None:
    client, root = own
    with tb.open(root.parent / "store") as store:
        line = store.timeline("main", sources=[tb.Workspace(root), tb.State("memory", {"many": list(range(6000))})])
        line.save()
    found = client.get("/api/value?part=memory").json
    assert len(found["lines"]) + found["left_out"]["lines"] == 6002
