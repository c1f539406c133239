"""Whether a hook that is installed runs: its command is called as the agent would, with an event that records nothing.

Only a command that is ours to the word is called, and where a file of the project holds it, only if the interpreter is
not the project's own: such a file comes with a cloned repository, and must not make us run anything.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess

from takeback.adapters.hooks.agents import AGENTS, PROBE
from takeback.adapters.install.agent import command
from takeback.adapters.install.looking import Installed

_PATIENCE = 20.0


def problem_of(installed: Installed, root: str) -> str:
    """Why an installed hook does not do what its agent expects; empty if it does."""
    if installed.problem:
        return installed.problem
    if not installed.runs:
        return f"the Python that they call is gone: {installed.interpreter}"
    if installed.command != command(installed.agent, installed.interpreter):
        return f"their command was changed, so it was not tried: {installed.command}"
    if not os.path.isabs(installed.interpreter):
        return f"they call {installed.interpreter}, which is another program in each directory"
    if installed.scope != "user" and _is_inside(installed.interpreter, root):
        return f"they call a program of the project itself, which was not tried: {installed.interpreter}"
    return _called(installed, root)


def _called(installed: Installed, root: str) -> str:
    event = json.dumps({"hook_event_name": PROBE, "cwd": root}).encode()
    try:
        done = subprocess.run(
            shlex.split(installed.command), input=event, cwd=root, capture_output=True, timeout=_PATIENCE
        )
    except subprocess.TimeoutExpired:
        return f"they do not end within {_PATIENCE:.0f} seconds"
    except OSError as error:
        return f"they cannot be started: {error.strerror}"
    if done.returncode != 0:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        return f"they end with {done.returncode}" + (f": {said[-1][:200]}" if said else "")
    if done.stdout != AGENTS[installed.agent].reply:
        return f"they print what the agent does not expect: {done.stdout[:80].decode('utf-8', 'replace')!r}"
    return ""


def _is_inside(program: str, root: str) -> bool:
    """Whether a program, or what it is a link to, lies in a directory."""
    return any(
        os.path.commonpath([form, os.path.realpath(root)]) == os.path.realpath(root)
        for form in (os.path.normpath(program), os.path.realpath(os.path.dirname(program)))
    )
