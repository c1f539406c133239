"""`takeback mcp`, as an agent uses it: the SDK's own client against the real process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest

from support.cli import PROGRAM, takeback
from support.mcp import Client, connected, with_client
from takeback.store.locks import root_lock

LOOKING = {"log", "show", "diff", "plan", "save"}
TAKING_BACK = {"undo", "redo", "restore"}


@pytest.mark.parametrize("allowed", [False, True])
def test_what_changes_files_is_offered_only_when_it_was_allowed(project: Path, allowed: bool) -> None:
    async def work(client: Client) -> None:
        tools = {tool.name: tool for tool in (await client.session.list_tools()).tools}
        assert set(tools) == (LOOKING | TAKING_BACK if allowed else LOOKING)
        for name, tool in tools.items():
            assert tool.description
            assert tool.annotations is not None
            assert tool.annotations.open_world_hint is False
            assert tool.annotations.read_only_hint is (name not in {"save", *TAKING_BACK})
            if name in {"save", *TAKING_BACK}:
                assert tool.annotations.destructive_hint is (name in TAKING_BACK)
            for parameter in tool.input_schema["properties"].values():
                assert parameter["description"]
        if not allowed:
            (project / "a").write_text("one")
            await client("save")
            (project / "a").write_text("two")
            assert "undo" in (await client.error("undo"))["message"]
            assert (project / "a").read_text() == "two"

    with_client(project, work, *(["--allow-restore"] if allowed else []))


def test_save_break_look_and_take_back(project: Path) -> None:
    (project / "a.txt").write_text("one\n")

    async def work(client: Client) -> None:
        saved = await client("save", label="good")
        assert (saved["new"], saved["changed"], saved["trigger"]) == (True, 1, "manual")
        assert (await client("save"))["new"] is False
        (project / "a.txt").write_text("two\n")
        (project / "b").mkdir()
        differing = await client("diff")
        assert differing["files"] == [{"path": "a.txt", "status": "modified"}]
        assert differing["directories"] == [{"path": "b", "status": "added"}]
        assert "-one\n+two\n" in differing["patch"]
        planned = await client("plan")
        assert planned["dry_run"] is True
        assert {"path": "a.txt", "action": "change"} in planned["plan"]
        assert (project / "a.txt").read_text() == "two\n"
        undone = await client("undo")
        assert undone["verified"] is True
        assert (project / "a.txt").read_text() == "one\n"
        assert (await client("plan", verb="redo"))["changed"] == undone["changed"]
        await client("redo")
        assert (project / "a.txt").read_text() == "two\n"
        assert (await client("plan", verb="restore", reference="good", paths=["a.txt"]))["changed"] == ["a.txt"]
        await client("restore", reference="good", paths=["a.txt"])
        assert (project / "a.txt").read_text() == "one\n"
        assert (project / "b").is_dir()
        found = await client("log", limit=2)
        assert [row["trigger"] for row in found["snapshots"]] == ["restore", "redo"]
        assert found["more"] is True
        shown = await client("show", reference="good")
        assert shown["labels"] == ["good"]
        assert shown["context"]["by"] == "mcp"
        assert (await client("show", reference="good", path="a.txt"))["content"] == "one\n"
        assert [each["path"] for each in (await client("show", reference="@", path=""))["entries"]] == ["a.txt", "b"]

    with_client(project, work, "--allow-restore")
    ours = json.loads(takeback("log", "--json", cwd=project).stdout)
    assert len(ours["snapshots"]) >= 4


def test_the_answers_have_the_shapes_of_the_command(project: Path) -> None:
    (project / "a.txt").write_text("one\n")

    async def work(client: Client) -> None:
        await client("save", label="good")
        (project / "a.txt").write_text("two\n")
        cases: list[tuple[str, dict[str, Any], list[str]]] = [
            ("log", {}, ["log", "-n", "20"]),
            ("show", {"reference": "good"}, ["show", "good"]),
            ("diff", {"patch": False}, ["diff"]),
            ("plan", {}, ["undo", "--dry-run"]),
            ("plan", {"verb": "restore", "reference": "good"}, ["restore", "good", "--dry-run"]),
            ("show", {"reference": "good", "path": "a.txt"}, ["show", "good:a.txt"]),
            ("show", {"reference": "good", "path": ""}, ["show", "good:"]),
        ]
        for tool, arguments, command in cases:
            said = json.loads(takeback(*command, "--json", cwd=project).stdout)
            assert await client(tool, **arguments) == said, tool

    with_client(project, work)


def test_errors_are_answers_with_hints(project: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("x")

    async def work(client: Client) -> None:
        assert (await client.error("log"))["kind"] == "NotFound"
        assert (await client.error("undo"))["kind"] == "NotFound"
        (project / "a").write_text("one")
        await client("save")
        missing = await client.error("show", reference="nonsense")
        assert (missing["kind"], missing["exit_code"]) == ("NotFound", 10)
        assert missing["hints"]
        for path in ("../secret", str(tmp_path / "secret"), "a/../../secret", "a\0b"):
            calls: list[tuple[str, dict[str, Any]]] = [
                ("show", {"path": path}),
                ("diff", {"paths": [path]}),
                ("log", {"path": path}),
                ("restore", {"reference": "@", "paths": [path]}),
                ("plan", {"verb": "restore", "reference": "@", "paths": [path]}),
            ]
            for tool, arguments in calls:
                assert (await client.error(tool, **arguments))["kind"] == "InvalidInput", (tool, path)
        assert (await client.error("plan", verb="restore"))["kind"] == "InvalidInput"
        assert (await client.error("log", limit=0))["kind"] == "InvalidInput"
        assert (await client.error("show", path="a", offset=-1))["kind"] == "InvalidInput"
        assert (await client.error("save", label="@"))["kind"] == "InvalidInput"
        assert (await client.error("undo", move="nonsense"))["kind"] == "NotFound"
        assert (await client.error("log", limit="many"))["kind"] == "Arguments"
        assert (await client.error("plan", verb="purge"))["kind"] == "Arguments"
        assert (await client("log"))["snapshots"]

    with_client(project, work, "--allow-restore")


def test_what_is_long_is_cut_and_said_to_be(project: Path) -> None:
    (project / "big.txt").write_text("é" * 1_000_000)
    (project / "image").write_bytes(bytes(range(256)) * 100)
    (project / "huge").write_bytes(b"x" * (100 << 20))

    async def work(client: Client) -> None:
        await client("save", label="before")
        for number in range(10_000):
            (project / f"{number:05}.txt").write_text("x\n" * 50)
        (project / "huge").write_bytes(b"y" * (100 << 20))
        (project / "big.txt").write_text("e")
        for tool, arguments in [
            ("diff", {}),
            ("plan", {"verb": "restore", "reference": "before"}),
            ("save", {}),
            ("show", {}),
            ("show", {"path": ""}),
            ("diff", {"a": "before", "b": "@"}),
            ("undo", {}),
        ]:
            result = await client.session.call_tool(tool, arguments)
            assert not result.is_error
            assert len(result.model_dump_json()) < 300_000, tool
            assert result.structured_content is not None
            if tool == "diff":
                left = result.structured_content["left_out"]
                assert len(result.structured_content["files"]) + left["files"] == 10_002
                lacking = len(result.structured_content["patch_lacks"]) + left["patch_lacks"]
                assert result.structured_content["patch"].count("diff --git") + lacking == 10_002
                assert result.structured_content["patch"].endswith("cut here\n")
        first = await client("show", reference="before", path="big.txt")
        assert set(first["content"]) == {"é"}
        rest = await client("show", reference="before", path="big.txt", offset=first["next_offset"])
        assert set(rest["content"]) == {"é"}
        last = await client("show", reference="before", path="big.txt", offset=1_999_990)
        assert (last["content"], "next_offset" in last) == ("é" * 5, False)
        assert (await client("show", reference="before", path="image"))["encoding"] == "binary"
        assert len((await client("show", reference="before", path="huge"))["content"]) < 50_000

    with_client(project, work, "--allow-restore")


def test_names_in_no_encoding_do_not_break_the_protocol(project: Path) -> None:
    with open(os.fsencode(project) + b"/\xff\xfe.txt", "wb") as file:
        file.write(b"\xff text \n")
    (project / "tab\tand\nline").write_text("x")

    async def work(client: Client) -> None:
        await client("save")
        listed = [each["path"] for each in (await client("show", path=""))["entries"]]
        assert sorted(listed) == ["\\xff\\xfe.txt", "tab\tand\nline"]
        (project / "tab\tand\nline").unlink()
        with open(os.fsencode(project) + b"/\xff\xfe.txt", "wb") as file:
            file.write(b"\xfe text \n")
        assert "xff" in (await client("diff"))["patch"]
        assert len((await client("undo"))["changed"]) == 2

    with_client(project, work, "--allow-restore")


def test_calls_at_once_do_not_wait_for_each_other_to_be_heard(project: Path) -> None:
    """A save that waits for the root's lock keeps nobody from asking for the log."""
    (project / "a").write_text("one")

    async def work(client: Client) -> None:
        await client("save")
        (project / "a").write_text("two")
        ended: list[str] = []

        async def saving() -> None:
            assert (await client("save"))["changed"] == 1
            ended.append("save")

        async with anyio.create_task_group() as group:
            with root_lock(str(project)):
                group.start_soon(saving)
                await client("log")
                await client("log")
                ended.append("log")
        assert ended == ["log", "save"]
        async with anyio.create_task_group() as group:
            for _ in range(5):
                group.start_soon(client, "save")
                group.start_soon(client, "diff")
        assert len((await client("log"))["snapshots"]) == 2

    with_client(project, work)


def test_a_call_that_is_cancelled_ends_what_it_began_and_the_server_goes_on(project: Path) -> None:
    (project / "a").write_text("one")

    async def work(client: Client) -> None:
        await client("save")
        (project / "a").write_text("two")
        with root_lock(str(project)):
            with anyio.move_on_after(0.2) as scope:
                await client("undo")
            assert scope.cancelled_caught
            assert (await client("log"))["snapshots"]
        while (await client("log"))["snapshots"][0]["trigger"] != "undo":
            pass
        assert (project / "a").read_text() == "one"

    with_client(project, work, "--allow-restore")
    assert takeback("verify", cwd=project).returncode == 0


def test_the_root_is_that_of_the_start_and_stays_it(project: Path) -> None:
    (project / ".git").mkdir()
    (project / "sub").mkdir()
    (project / "a").write_text("one")

    async def work() -> None:
        async with connected(project / "sub") as client:
            assert (await client("save"))["changed"] == 1
            (project.parent / "takeback.toml").write_text("")
            (project / "sub" / "takeback.toml").write_text("")
            assert (await client("log"))["root"] == str(project)
            assert (await client("show", path="a"))["content"] == "one"

    anyio.run(work)


def test_a_home_directory_is_refused_unless_it_was_named(home: Path) -> None:
    (home / "a").write_text("x")

    async def work(client: Client) -> None:
        error = await client.error("save")
        assert "home" in error["message"]
        assert "-C" in error["hints"][0]

    with_client(home, work)


def test_stdout_is_the_protocols_and_the_end_of_stdin_the_end(project: Path) -> None:
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {"roots": {"listChanged": True}},
            "clientInfo": {"name": "test", "version": "1"},
        },
    }
    lines = [hello, {"jsonrpc": "2.0", "method": "notifications/initialized"}]
    lines.append({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "save", "arguments": {}}})
    text = "".join(json.dumps(line) + "\n" for line in lines) + "no json\n"
    with subprocess.Popen(
        [*PROGRAM, "mcp"], cwd=project, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(text.encode())
        server.stdin.flush()
        answers: list[dict[str, Any]] = []
        while not any(each.get("id") == 2 for each in answers):
            answers.append(json.loads(server.stdout.readline()))
        server.stdin.close()
        rest = server.stdout.read()
        assert all(json.loads(line)["jsonrpc"] == "2.0" for line in rest.splitlines())
        assert server.wait() == 0
    assert all(each["jsonrpc"] == "2.0" for each in answers)
    assert not any(each.get("method") == "roots/list" for each in answers)


def test_without_the_extra_it_says_what_to_install(project: Path) -> None:
    script = "import sys; sys.modules['mcp'] = None\nfrom takeback.cli import main; sys.exit(main(['mcp']))"
    done = subprocess.run([sys.executable, "-c", script], cwd=project, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (15, "")
    assert "pip install 'takeback[mcp]'" in done.stderr
