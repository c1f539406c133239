"""The command itself: where it listens, what it says, how it ends."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.cli import PROGRAM, Cli, program
from support.terminal import Terminal
from support.web import Client, record
from takeback import locate
from takeback.errors import InvalidInput, Unavailable
from takeback.store.locks import root_lock
from takeback.views.desk import Desk
from takeback.web import serving
from takeback.web.addresses import Address

_ADDRESS = re.compile(r"http://([^/]+):(\d+)/\?token=([\w-]+)")
_PATIENCE = 60


@contextmanager
def command(project: tuple[Path, Path], *arguments: str) -> Iterator[tuple[subprocess.Popen[str], Client, str]]:
    """The real command, a client that has come in, and the token."""
    root, store = project
    process = subprocess.Popen(
        [*PROGRAM, "--store", str(store), "web", "--port", "0", *arguments],
        cwd=root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        found = _ADDRESS.search(process.stdout.readline())
        assert found is not None
        client = Client(int(found[2]))
        got = client.get(f"/?token={found[3]}")
        client.cookie = got.headers["set-cookie"].partition(";")[0]
        client.csrf = client.get("/api/about").json["csrf"]
        yield process, client, found[3]
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdout, process.stderr):
            assert stream is not None
            stream.close()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_cleanly_while_pages_listen(project: tuple[Path, Path], number: signal.Signals) -> None:
    with command(project) as (process, client, token), client.listening() as events, client.listening():
        process.send_signal(number)
        out, err = process.communicate(timeout=_PATIENCE)
        assert (process.returncode, err) == (0, "")
        assert all(event == "changed" for event, _ in events), "they were let go"
        assert token not in out + err, "it was in the first line, and nowhere else"


def test_nothing_that_is_asked_is_written_anywhere(project: tuple[Path, Path]) -> None:
    with command(project) as (process, client, _):
        client.get("/api/rows?text=secret")
        client.get("/?token=wrong")
        client.raw(b"nonsense secret\r\n\r\n")
        client.get("/api/rows", Host="secret.example")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=_PATIENCE)
        assert (process.returncode, err) == (0, "")
        assert "secret" not in out and "wrong" not in out


def test_what_is_under_way_is_stopped_before_the_end(tmp_path: Path) -> None:
    """A save waits for the lock of the root, which this process holds."""
    root, store = record(tmp_path)
    with command((root, store)) as (process, client, _), root_lock(str(root), 5, None):
        (root / "more.txt").write_text("more")
        id = client.post("/api/save").json["job"]
        while not client.get(f"/api/jobs/{id}").json["words"].startswith("waiting"):
            pass
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=_PATIENCE)
        assert process.returncode == 0


def test_a_second_signal_does_not_wait_for_what_cannot_be_stopped(project: tuple[Path, Path]) -> None:
    root, store = project
    go_on, ended = threading.Event(), []
    with Desk(locate.place(str(root), store=str(store))) as desk:
        server = serving.Server(desk, serving.bind("127.0.0.1", 0), "127.0.0.1")
        job = server.shared.jobs.start("something long", lambda listener: go_on.wait())
        thread = threading.Thread(target=lambda: ended.append(server.run()))
        thread.start()
        server.stop()
        while not server.shared.desk.stopped:
            pass
        assert not ended, "the first one waits"
        server.stop()
        thread.join(_PATIENCE)
        assert ended == [False], "it says that something is left"
        go_on.set()
        job.done.wait(_PATIENCE)


def test_json_is_one_object(project: tuple[Path, Path]) -> None:
    root, store = project
    process = subprocess.Popen(
        [*PROGRAM, "--store", str(store), "web", "--json", "--read-only", "--port", "0"],
        cwd=root,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        said = json.loads(process.stdout.readline())
        assert said["read_only"] is True and said["root"] == str(root) and _ADDRESS.fullmatch(said["url"])
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(_PATIENCE) == 0
        process.stdout.close()  # type: ignore[union-attr]


def test_it_listens_on_this_machine_alone() -> None:
    listening = serving.bind("127.0.0.1", 0)
    assert listening.getsockname()[0] == "127.0.0.1"
    listening.close()


def test_a_port_that_is_taken_is_said_and_without_one_another_is_found(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli("save")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        error = cli.error("web", "--port", str(port), code=15)
        assert str(port) in error["message"] and error["hints"]
        monkeypatch.setattr(serving, "PORT", port)
        other = serving.bind("127.0.0.1", None)
        assert other.getsockname()[1] not in (0, port)
        other.close()


@pytest.mark.parametrize("host", ["no.such.host.invalid", "203.0.113.7", "x" * 300, "a\x00b", "\udc80", ""])
def test_a_host_that_is_not_ours_is_refused(host: str) -> None:
    with pytest.raises((InvalidInput, Unavailable)) as caught:
        serving.bind(host, 0)
    assert caught.value.hints or caught.value.message


@pytest.mark.parametrize("port", ["65536", "-1", "x", "٣", "80.0", ""])
def test_a_port_that_is_none_is_refused(cli: Cli, port: str) -> None:
    cli.error("web", f"--port={port}", code=2)


def test_to_be_reached_from_elsewhere_is_warned_of(project: tuple[Path, Path]) -> None:
    with command(project, "--host", "0.0.0.0") as (process, client, _):
        assert client.get("/api/about", Host=f"192.0.2.1:{client.port}").status == 200, "a number is nobody's name"
        assert client.get("/api/about", Host=f"{socket.gethostname()}:{client.port}").status == 200
        assert client.get("/api/about", Host=f"evil.example:{client.port}").status == 403
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=_PATIENCE)
        assert "everybody" in err and "restore" in err and "unencrypted" in err


def test_without_history_it_says_how_to_begin(cli: Cli) -> None:
    assert cli.error("web", code=10)["hints"]


@pytest.mark.parametrize("missing", ["starlette", "uvicorn", "jinja2"])
def test_without_the_extra_it_says_how_to_get_it(tmp_path: Path, missing: str) -> None:
    (tmp_path / f"{missing}.py").write_text(f"raise ImportError('no', name={missing!r})")
    done = program("web", "--json", cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)})
    error = json.loads(done.stderr)["error"]
    assert (done.returncode, error["kind"]) == (15, "Unavailable")
    assert error["hints"] == ["pip install 'takeback[web]'"]
    assert missing in error["message"]


def test_a_browser_is_opened_with_a_pass_and_never_with_the_token(project: tuple[Path, Path], tmp_path: Path) -> None:
    """Its command line is there for everybody on the machine to read."""
    root, store = project
    opened = tmp_path / "opened"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > {opened}.part && mv {opened}.part {opened}\n')
    browser.chmod(0o755)
    command = [*PROGRAM, "--store", str(store), "web", "--port", "0"]
    terminal = Terminal(command, root, {"BROWSER": str(browser)}, columns=200)
    try:
        terminal.wait_for(b"Ctrl-C")
        terminal.wait_until(opened.exists)
        printed, given = (_ADDRESS.search(text) for text in (terminal.shown.decode(), opened.read_text()))
        assert printed is not None and given is not None
        assert (given[1], given[2]) == (printed[1], printed[2]) and given[3] != printed[3]
        client = Client(int(given[2]))
        assert [client.get(f"/?token={token}").status for token in (given[3], given[3], printed[3])] == [303, 401, 303]
        terminal.type(b"\x03")
        assert terminal.end() == 0
    finally:
        terminal.process.kill()
        terminal.process.wait()


def test_no_browser_is_opened_where_nobody_looks(
    project: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BROWSER", "touch " + str(tmp_path / "opened"))
    with command(project, "--open") as (process, _, _):
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=_PATIENCE)
        assert "no browser" in err
    assert not (tmp_path / "opened").exists()


@pytest.mark.parametrize(
    ("address", "authority", "local"),
    [
        (Address("127.0.0.1", 80), "127.0.0.1", True),
        (Address("localhost", 8000), "localhost:8000", True),
        (Address("::1", 8000), "[::1]:8000", True),
        (Address("192.168.1.5", 8000), "192.168.1.5:8000", False),
        (Address("box.example", 8000), "box.example:8000", False),
    ],
)
def test_an_address_is_written_as_a_browser_wants_it(address: Address, authority: str, local: bool) -> None:
    assert (address.authority, address.is_local) == (authority, local)
    assert address.is_ours(authority)
    assert not address.is_ours(f"evil.{authority}")
