"""One small project with a history, and one server of it, for all tests of a file that only look."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.cli import Cli
from support.web import Client, opened, record, served
from takeback.web.serving import Server


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return record(tmp_path_factory.mktemp("web"))


@pytest.fixture(scope="module")
def server(project: tuple[Path, Path]) -> Iterator[Server]:
    with served(*project) as server:
        yield server


@pytest.fixture(scope="module")
def client(server: Server) -> Client:
    """Somebody who has opened the page; not to be changed."""
    client = Client(server.address.port)
    client.enter(server)
    return client


@pytest.fixture
def stranger(server: Server) -> Client:
    """Somebody who has not."""
    return Client(server.address.port)


@pytest.fixture
def own(tmp_path: Path) -> Iterator[tuple[Client, Path]]:
    """Somebody who has opened the page of a project of the test's own, and that project's root."""
    root, store = record(tmp_path)
    with opened(root, store) as client:
        yield client, root


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> Cli:
    cli = Cli(tmp_path, capsysbinary)
    monkeypatch.chdir(cli.root)
    monkeypatch.setenv("TAKEBACK_STORE", str(cli.store))
    return cli
