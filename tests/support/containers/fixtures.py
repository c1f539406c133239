"""What a test asks for that needs a real engine. Everything of it takes ``@pytest.mark.service("docker")`` along."""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.containers.daemon import Daemon, running

if TYPE_CHECKING:  # the SDK takes its time, and most tests have nothing to do with it
    from support.containers.boxes import Boxes, Engine

STRATEGIES = ("overlay", "stream")

PrivateEngine = Callable[..., Daemon]


@pytest.fixture(scope="session")
def engine() -> Iterator[Engine]:
    """The one engine that all tests share; `scripts/services` has started it."""
    from support.containers.boxes import Engine

    found = Engine(os.environ["TAKEBACK_TEST_DOCKER"])
    yield found
    found.close()


@pytest.fixture
def boxes(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> Iterator[Boxes]:
    """Makes containers in the shared engine, which DOCKER_HOST names meanwhile. Whatever takeback leaves behind beside them
    fails the test."""
    from support.containers.boxes import Boxes

    monkeypatch.setenv("DOCKER_HOST", engine.address)
    mine = Boxes(engine, f"t{secrets.token_hex(4)}")
    yield mine
    left = mine.remove_all()
    assert not left, f"left behind: {left}"


@pytest.fixture(params=STRATEGIES)
def strategy(request: pytest.FixtureRequest) -> str:
    """Every test of containers runs once with each."""
    return str(request.param)


@pytest.fixture
def private_engine() -> Iterator[PrivateEngine]:
    """``private_engine()`` starts an engine of the test's own, to be stopped, restarted, killed or filled
    (``data=`` another directory, on a small filesystem)."""
    with ExitStack() as stack:

        def start(*, data: Path | None = None, network: bool = False) -> Daemon:
            # Not below tmp_path: the address of a socket has to be short.
            place = Path(tempfile.mkdtemp(prefix="takeback-engine-", dir="/tmp"))
            return stack.enter_context(running(place, data=data, network=network))

        yield start
