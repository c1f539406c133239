"""The hook with its real child, in a small process of its own: a child of the tests' own one, which holds every framework, costs
ten times as much."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping

from support.faults.zygote import Zygote
from takeback.adapters.hooks import recording  # noqa: F401 - here once, instead of in the child of every event
from takeback.adapters.hooks.agents import AGENTS
from takeback.adapters.hooks.receiving import Outcome, receive
from takeback.sources import clock
from takeback.sources.clock import Reading


class Hooks:
    """Tells each event to the hook, as if an agent had called it in the environment of this moment."""

    def __init__(self, zygote: Zygote) -> None:
        self._zygote = zygote

    def __call__(self, agent: str, data: bytes, environment: Mapping[str, str] | None = None) -> None:
        own = {**os.environ, "TMPDIR": os.environ["HOME"]}  # where no other test leaves notices
        came = clock.read()  # when an agent would start the program
        ended = self._zygote.call(_received, os.getcwd(), dict(environment or own), agent, data, came)
        assert ended.result == (0, AGENTS[agent].reply, ""), ended


def _received(directory: str, environment: Mapping[str, str], agent: str, data: bytes, came: Reading) -> Outcome:
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(directory)
    tempfile.tempdir = None
    return receive(agent, data, came=came)
