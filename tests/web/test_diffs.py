"""Differences, through the API."""

from __future__ import annotations

from pathlib import Path

from support.web import HOSTILE, Client


def test_a_diff_lists_files_and_places_in_values(client: Client) -> None:
    row = client.get("/api/rows?session=session-1").json["rows"][0]
    found = client.get(f"/api/diff?a={row['before']}&b={row['snapshot']}&lane=1").json
    assert [(each["path"], each["status"], each["image"]) for each in found["files"]] == [
        (HOSTILE, "added", False),
        ("app.py", "modified", False),
    ]
    assert [each["part"] for each in found["state"]] == ["memory"]
    assert (found["a"], found["b"], found["left_out"]) == (row["before"], row["snapshot"], {})


def test_a_file_is_shown_line_by_line(client: Client) -> None:
    sides = client.get("/api/diff/file?a=begin&b=@&path=app.py&context=1").json
    (hunk,) = sides["hunks"]
    changed = next(row for row in hunk["rows"] if row["kind"] == "~")
    assert "".join(text for _, text in changed["left"]) == "    return 1"
    assert "".join(text for _, text in changed["right"]) == "    return 2"
    got = client.get("/api/diff/file?a=begin&b=@&path=notes.txt")
    assert got.status == 404
    assert client.get("/api/diff/file?a=begin&b=@&path=app.py&context=-1").status == 400


def test_conversations_are_shown_side_by_side_as_text(client: Client) -> None:
    (found,) = client.get("/api/diff/messages?a=begin&b=@").json["conversations"]
    assert found["part"] == "memory"
    assert found["pairs"][-1]["status"] == "added"
    assert found["pairs"][-1]["after"] == {"role": "assistant", "text": "<script>alert(1)</script>"}


def test_a_diff_with_the_present_is_of_the_world_as_it_is(own: tuple[Client, Path]) -> None:
    client, root = own
    assert client.get("/api/diff?a=@").json["files"] == []
    (root / "app.py").write_text("gone\n")
    assert [each["path"] for each in client.get("/api/diff?a=@").json["files"]] == ["app.py"]
    sides = client.get("/api/diff/file?a=@&path=app.py").json
    assert (sides["added"], sides["removed"]) == (1, 2)
    assert client.get("/api/diff/messages?a=@").json["conversations"] == []
