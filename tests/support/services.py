"""Which real services this machine has, for ``@pytest.mark.service("git")``.

`make test` installs and starts them (`scripts/services`; coding agents: `scripts/agents`; cua-agent:
`scripts/cua`). Under ``CI=true`` a test whose service is missing fails; on a
laptop it is skipped, and the end of the run lists what was left out.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial

from support import browser
from support.agents import installed
from support.cua import installed as cua


@dataclass(frozen=True)
class Service:
    """A service, how to tell that it is there, and what a person does to get it."""

    name: str
    present: Callable[[], bool]
    remedy: str


def _command(*names: str) -> Callable[[], bool]:
    return lambda: any(map(shutil.which, names))


def _started(name: str) -> Callable[[], bool]:
    """`scripts/services` says where what it has started is."""
    return lambda: f"TAKEBACK_TEST_{name.upper()}" in os.environ


SERVICES = {
    service.name: service
    for service in [
        Service("git", _command("git"), "install git"),
        Service("tmux", _command("tmux"), "install tmux"),
        Service("chromium", _command(*browser.PROGRAMS), "install chromium-headless-shell or chromium"),
        Service("docker", _started("docker"), "as root on Linux, `make test` installs and starts an engine"),
        Service("cua", cua.present, "run scripts/cua"),
        *(Service(agent, partial(installed.present, agent), "run scripts/agents") for agent in installed.AGENTS),
    ]
}


@cache
def missing(name: str) -> str | None:
    """None if the service is there, else why not and what to do."""
    service = SERVICES[name]
    return None if service.present() else f"no {name} on this machine: {service.remedy}"


def required() -> bool:
    """Whether a missing service is a failure."""
    return os.environ.get("CI", "").lower() in ("1", "true", "yes")
