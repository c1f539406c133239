"""What happens, told as it happens."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import pytest

from support.web import Client, record, save_live, served
from takeback.errors import Unavailable
from takeback.web import hub as hubs
from takeback.web.hub import Hub, Listener


def test_a_snapshot_that_somebody_else_makes_arrives(own: tuple[Client, Path]) -> None:
    client, root = own
    with client.listening() as events:
        save_live(root, root.parent / "store", "arrives")
        event, said = next(each for each in events if each[1].get("lanes"))
        assert (event, said["lanes"]) == ("changed", [1])
        assert said["operation"] == client.get("/api/operations?limit=1").json["operations"][0]["seq"]
        assert client.get("/api/rows?limit=1").json["rows"][0]["labels"] == ["arrives"]


def test_everybody_is_told_of_work_and_its_end(own: tuple[Client, Path]) -> None:
    client, root = own
    with client.listening() as one, client.listening() as other:
        (root / "more.txt").write_text("more")
        id = client.post("/api/save").json["job"]
        for events in (one, other):
            job = next(said["job"] for event, said in events if event == "job" and said["job"]["state"] != "running")
            assert (job["id"], job["state"], job["result"]["new"]) == (id, "done", True)


def test_the_store_is_watched_only_while_somebody_listens(tmp_path: Path) -> None:
    with served(*record(tmp_path)) as server:
        client = Client(server.address.port)
        client.enter(server)
        hub = server.shared.hub
        assert not hub.watches
        for _ in range(2):
            with client.listening():
                while not hub.watches:
                    pass
                with client.listening():
                    pass
                assert hub.watches
            while hub.watches:
                pass


def test_who_listens_without_reading_is_let_go_and_nobody_waits(own: tuple[Client, Path]) -> None:
    """A page in a tab that sleeps: its socket fills up, and the others are told all the same."""
    client, root = own
    with socket.create_connection(("127.0.0.1", client.port)) as sleeper:
        sleeper.sendall(
            f"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:{client.port}\r\nCookie: {client.cookie}\r\n\r\n".encode()
        )
        with client.listening() as events:
            save_live(root, root.parent / "store", "seen by those who read")
            assert next(each for each in events if each[1].get("lanes"))


def test_a_listener_that_lags_too_far_is_ended() -> None:
    async def run() -> list[bytes]:
        listener = Listener()
        for number in range(hubs._QUEUE + 1):
            listener.tell(b"%d" % number)
        assert listener.ended
        listener.tell(b"late")
        return [message async for message in listener.messages()]

    assert len(asyncio.run(run())) == 1, "the greeting, and then the end"


def test_silence_is_broken_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hubs, "HEARTBEAT", 0.01)

    async def run() -> list[bytes]:
        messages = Listener().messages()
        return [await anext(messages), await anext(messages)]

    assert asyncio.run(run())[1].startswith(b":")


def test_there_is_an_end_to_how_many_listen() -> None:
    async def run() -> None:
        hub = Hub(None)  # type: ignore[arg-type]
        for _ in range(hubs.MOST_LISTENERS):
            hub.join()
        with pytest.raises(Unavailable):
            hub.join()

    asyncio.run(run())
