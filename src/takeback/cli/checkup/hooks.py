"""Hooks: whether those that are installed run, were called, and may record."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING

from takeback.cli.checkup.finding import Finding
from takeback.cli.checkup.machine import extra
from takeback.cli.hooked import Hooks, hooks_of
from takeback.views.text import age

if TYPE_CHECKING:
    from takeback.adapters.install import Installed
    from takeback.cli.call import Call
    from takeback.locate import Place


def hooks(call: Call, place: Place) -> Iterator[Finding]:
    found = hooks_of(place)
    if found.off:
        yield Finding("snapshots", "warn", f"hooks record nothing here: {found.off}", found.on_again)
    if not found.installed:
        yield Finding("hooks", "ok", "none is installed; `takeback install AGENT` adds them")
    for installed in found.installed:
        if installed.problem and installed.agent == "docker-agent" and find_spec("yaml") is None:
            yield extra("docker-agent", "yaml", f"{installed.file} holds hooks of takeback's")
        else:
            yield _one(found, installed, place.root)


def _one(found: Hooks, installed: Installed, root: str) -> Finding:
    from takeback import locate
    from takeback.adapters.hooks.unheard import unheard
    from takeback.adapters.install import by_name
    from takeback.adapters.install.probing import problem_of
    from takeback.adapters.install.silenced import silenced

    name, title = installed.agent, by_name(installed.agent).title
    check = f"hooks {name}"
    again = f"`takeback install {name}{_where(installed)}`"
    if problem := problem_of(installed, root):
        next = f"correct the file, then {again}" if installed.problem else f"{again} puts them right"
        return Finding(check, "fail", f"{installed.file}: {problem}", next)
    if off := silenced(name, locate.agents(root)):
        return Finding(
            check, "warn", f"{title} runs no hooks: {off.setting} in {off.file}", f"take {off.setting} out of that file"
        )
    if installed.lacks:
        told = ", ".join(installed.lacks)
        return Finding(
            check,
            "warn",
            f"{installed.file} is of an earlier takeback: it does not tell of {told}, so more changes are undecided",
            f"{again} adds them",
        )
    session = unheard(found.directory, name, locate.agent_homes()[name], root, _changed_ns(installed.file))
    if session is not None:
        return Finding(
            check,
            "warn",
            f"{title} began a session here {age(session.began_ns)} and did not call them",
            f"type /hooks in {title}: it must list takeback's, and may ask you to trust them; then start it again "
            "(with TAKEBACK_OFF=1, this is as it should be)",
        )
    last = found.last(name)
    ran = f"last ran {age(last.time_ns)}" if last is not None else "not called yet"
    return Finding(check, "ok", f"{installed.file}; {ran}")


def _where(installed: Installed) -> str:
    """How install is told which configuration is meant."""
    if installed.agent == "docker-agent" and installed.scope == "project":
        return f" {shlex.quote(installed.file)}"
    return "" if installed.scope == "user" else f" --{installed.scope}"


def _changed_ns(file: str) -> int:
    """When hooks were installed, at the latest."""
    try:
        return os.stat(file).st_mtime_ns
    except OSError:
        return 0
