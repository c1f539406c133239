from __future__ import annotations

from support.cli import Cli


def test_show_a_snapshot(cli: Cli) -> None:
    cli.write("a.txt", "one\n")
    cli("save", "-m", "good")
    cli.write("a.txt", "two\n")
    cli.write("b.txt", "new\n")
    id = cli.json("save")["id"]
    shown = cli.json("show", id[:6])
    assert shown["id"] == id
    assert shown["files"] == [{"path": "a.txt", "status": "modified"}, {"path": "b.txt", "status": "added"}]
    assert shown["root"] == str(cli.root)
    out = cli("show", "@").out
    assert id in out
    assert "+ b.txt" in out
    assert "~ a.txt" in out


def test_show_a_file_writes_its_bytes_as_they_are(cli: Cli) -> None:
    data = bytes(range(256)) * 9000
    cli.write("src/data.bin", data)
    cli("save", "-m", "good")
    cli.write("src/data.bin", b"")
    assert cli("show", "good:src/data.bin").raw == data
    cli("save")
    assert cli("show", "@:src/data.bin").raw == b""


def test_a_path_is_relative_to_the_current_directory(cli: Cli) -> None:
    cli.write("takeback.toml", "")
    cli.write("src/a.txt", "inside\n")
    cli.write("a.txt", "outside\n")
    cli("save")
    assert cli("-C", "src", "show", "@:a.txt").out == "inside\n"
    assert cli("-C", "src", "show", "@:../a.txt").out == "outside\n"


def test_show_a_file_as_json(cli: Cli) -> None:
    cli.write("a.txt", "text\n")
    cli.write("b.bin", b"\xff\x00")
    cli("save")
    assert cli.json("show", "@:a.txt")["content"] == "text\n"
    binary = cli.json("show", "@:b.bin")
    assert (binary["encoding"], binary["content"]) == ("base64", "/wA=")


def test_show_lists_a_directory(cli: Cli) -> None:
    cli.write("src/a.txt", "a")
    cli.write("src/deep/b.txt", "b")
    cli.write("c.txt", "c")
    cli("save")
    assert cli("show", "@:src").out.split() == ["src/a.txt", "src/deep/", "src/deep/b.txt"]
    assert cli("show", "@:").out.split() == ["c.txt", "src/", "src/a.txt", "src/deep/", "src/deep/b.txt"]
    entries = cli.json("show", "@:src")["entries"]
    assert {"path": "src/a.txt", "kind": "file", "mode": 0o644, "size": 1} in entries


def test_a_label_may_hold_a_colon(cli: Cli) -> None:
    cli.write("a.txt", "a\n")
    cli("save", "-m", "fix: it")
    assert cli.json("show", "fix: it")["labels"] == ["fix: it"]
    assert cli("show", "fix: it:a.txt", code=None).code == 10  # which is why a reference there ends at the first colon


def test_what_is_not_there_is_not_found(cli: Cli) -> None:
    cli.write("a.txt", "a\n")
    cli("save")
    for reference in ("nope", "@-7", "@:nope.txt", "ffffffffff", "3h ago", "\udcff", "@:\udcff"):
        error = cli.error("show", reference, code=10)
        assert error["kind"] == "NotFound"
        assert error["hints"]


def test_a_path_outside_the_root_is_refused(cli: Cli) -> None:
    cli.write("a.txt", "a\n")
    cli("save")
    assert "outside" in cli.error("show", "@:../../etc/passwd", code=2)["message"]
