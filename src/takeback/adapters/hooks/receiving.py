"""What an agent calls, and what it may rely on: an answer in time, in the form that it expects, and exit code 0.

The work is done by a child process of its own session, for which the agent waits as long as its event allows: what takes
longer goes on without anybody waiting, also if the agent kills whom it called. What goes wrong becomes a notice that the
next command of a person shows. Only where a person has set ``strict`` does a failure stop the agent (exit 2).
"""

from __future__ import annotations

import os
import select
import time
from typing import NamedTuple

from takeback.adapters.hooks.agents import AGENTS, PROBE, Agent
from takeback.adapters.hooks.event import Event
from takeback.adapters.hooks.reading import parse, read
from takeback.errors import TakebackError

_BLOCKS = 2
_STRICT = b"strict "


class Outcome(NamedTuple):
    """What a hook answers."""

    exit_code: int = 0
    reply: bytes = b""
    problem: str = ""
    """What an agent that is stopped is told."""


def receive(name: str, data: bytes) -> Outcome:
    """Record an agent's event, and answer it."""
    agent = AGENTS.get(name)
    if agent is None:
        return Outcome(1, problem=f"there is no agent {name!r}, only {', '.join(AGENTS)}")
    try:
        raw = parse(data)
        if raw.get("hook_event_name") == PROBE:
            return Outcome(reply=agent.reply)
        event = read(agent, raw)
    except Exception as error:  # the agent never pays for our failure
        _note(name, error)
        return Outcome(reply=agent.reply)
    return Outcome(reply=agent.reply) if event is None else _waited_for(name, agent, event)


def _waited_for(name: str, agent: Agent, event: Event) -> Outcome:
    """Let a child do the work, and wait for it no longer than the agent would."""
    ours, theirs = os.pipe()
    said: bytes | None
    try:
        child = os.fork()
    except OSError:
        os.close(theirs)
        said = _recorded(name, event)
    else:
        if child == 0:
            _work_alone(name, event, ours, theirs)
        os.close(theirs)
        said = _listen(ours, child, agent.events[event.name].patience)
        if said == b"":
            _note(
                name, TakebackError("a hook was killed before it could save", hints=["`takeback doctor` may say why"])
            )
    finally:
        os.close(ours)
    if said is not None and said.startswith(_STRICT):
        return Outcome(_BLOCKS, b"", said.removeprefix(_STRICT).decode("utf-8", "replace"))
    return Outcome(reply=agent.reply)


def _work_alone(name: str, event: Event, ours: int, theirs: int) -> None:
    """The child: it holds nothing that the agent waits for, and tells its parent how it went."""
    try:
        os.setsid()
        os.close(ours)
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nothing, stream)
        os.write(theirs, _recorded(name, event)[:4000])
    except BaseException:
        os._exit(1)
    os._exit(0)


def _listen(ours: int, child: int, patience: float) -> bytes | None:
    """What the child says; None if it is still at work, nothing if it ended without a word."""
    end = time.monotonic() + patience
    said = b""
    while (left := end - time.monotonic()) > 0:
        if select.select([ours], [], [], left)[0]:
            piece = os.read(ours, 8192)
            if not piece:
                os.waitpid(child, 0)
                return said
            said += piece
    return None


def _recorded(name: str, event: Event) -> bytes:
    """Record an event; ``ok``, or what went wrong, and whether that is to stop the agent."""
    try:
        from takeback.adapters.hooks.recording import record  # the parent needs nothing of the engine

        record(name, event)
        return b"ok"
    except Exception as error:
        _note(name, error)
        return _STRICT + _message(error).encode("utf-8", "replace") if _strict(event) else b"failed"


def _strict(event: Event) -> bool:
    from takeback import locate

    try:
        return bool(locate.place(event.cwd or "/")["strict"])
    except Exception:  # a configuration that cannot be read stops nobody
        return False


def _note(name: str, error: Exception) -> None:
    """Leave a notice in the store, or beside it if nothing can be written there."""
    from takeback.store import notices

    try:
        from takeback import locate

        directory = locate.store_path()
    except Exception:  # the user's configuration is what is wrong
        directory = ""
    hints = error.hints if isinstance(error, TakebackError) else ()
    noted = bool(directory) and notices.note(directory, f"hook {name}", _message(error), hints)
    if not noted and (spare := notices.spare()):
        notices.note(spare, f"hook {name}", _message(error), hints)


def _message(error: Exception) -> str:
    if isinstance(error, TakebackError):
        return error.message
    return f"this is a bug in takeback: {type(error).__name__}: {error}"[:1000]
