"""What an agent calls, and what it may rely on: an answer in time, in the form that it expects, and exit code 0.

The work is done by a child process of its own session, for which the agent waits as long as its event allows: what takes
longer goes on without anybody waiting, also if the agent ends whom it called. What goes wrong becomes a notice that the
next command of a person shows. Only where a person has set ``strict`` does a failure stop the agent (exit 2), and only
before it does something: an agent whose end is refused goes on for ever.
"""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Iterator
from typing import NamedTuple

from takeback.adapters.hooks.agents import AGENTS, PROBE, QUESTION, Agent
from takeback.adapters.hooks.event import Event
from takeback.adapters.hooks.reading import parse, read
from takeback.engine import processes
from takeback.errors import TakebackError
from takeback.sources import clock
from takeback.sources.clock import Reading

_BLOCKS = 2
_CAN_BE_STOPPED = ("turn_start", "before_action")
_DONE, _FAILED, _LATE, _CALLED = b"ok", b"failed ", b"late", b"called"
"""How it went: what the child says, and why it is no longer waited for."""
_END = b"\n\0"
"""The child has said it all; nobody waits until it is gone, too."""


class Outcome(NamedTuple):
    """What a hook answers."""

    exit_code: int = 0
    reply: bytes = b""
    problem: str = ""
    """What an agent that is stopped is told."""


def receive(name: str, data: bytes, called: int = -1, came: Reading | None = None) -> Outcome:
    """Record an agent's event, and answer it; ``called`` is a pipe that tells when it should be answered at once, ``came`` when
    the agent called, if that was before this."""
    agent = AGENTS.get(name)
    if agent is None:
        return Outcome(1, problem=f"there is no agent {name!r}, only {', '.join(AGENTS)}")
    try:
        raw = parse(data)
        event = None if raw.get("hook_event_name") == PROBE else read(agent, raw)
    except Exception as error:  # the agent never pays for our failure
        _note(name, error)
        return Outcome(reply=agent.reply)
    if event is None:
        return Outcome(reply=agent.reply)
    event = event._replace(came=came or clock.read(), ancestry=processes.ancestry())
    went = _waited_for(name, agent, event, called)
    if went == _LATE and event.trigger in _CAN_BE_STOPPED:
        _note(name, _late())
    if went in (_DONE, _CALLED) or event.trigger not in _CAN_BE_STOPPED or not _strict(event):
        return Outcome(reply=agent.reply)
    problem = went.removeprefix(_FAILED) if went.startswith(_FAILED) else b"this step could not be recorded in time"
    return Outcome(_BLOCKS, problem=problem.decode("utf-8", "replace"))


def _late() -> TakebackError:
    return TakebackError(
        "a step began before the state before it was saved, so undo may leave some of what it changed",
        hints=[
            "`takeback config show` shows what is captured: exclude what need not be, so that a save takes less time"
        ],
    )


def _waited_for(name: str, agent: Agent, event: Event, called: int) -> bytes:
    """Let a child do the work, and wait for it no longer than the agent would."""
    ours, theirs = os.pipe()
    try:
        child = os.fork()
    except OSError:
        os.close(theirs)
        os.close(ours)
        return _recorded(name, event)
    if child == 0:
        _work_alone(name, event, ours, theirs)
    os.close(theirs)
    try:
        went = _listen(ours, child, agent.events[event.name].patience, called)
    finally:
        os.close(ours)
    if not went:
        error = TakebackError("a hook was killed before it could save", hints=["`takeback doctor` may say why"])
        _note(name, error)
        return _FAILED + _told(error)
    return went


def _work_alone(name: str, event: Event, ours: int, theirs: int) -> None:
    """The child: it holds nothing that the agent waits for, and tells its parent how it went."""
    try:
        os.setsid()
        signal.set_wakeup_fd(-1)
        os.close(ours)
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nothing, stream)
        os.write(theirs, _recorded(name, event)[:4000] + _END)
        if event.trigger == QUESTION:
            _watch_question(name, event)
    except BaseException:
        os._exit(1)
    os._exit(0)


def _watch_question(name: str, event: Event) -> None:
    from takeback.adapters.hooks.questions import watch

    try:
        watch(name, event)
    except Exception as error:
        _note(name, error)


def _listen(ours: int, child: int, patience: float, called: int) -> bytes:
    """What the child says, and nothing if it ended without a word; or why nobody waits for it any longer."""
    end = time.monotonic() + patience
    listening = [ours, called] if called >= 0 else [ours]
    said = b""
    while (left := end - time.monotonic()) > 0:
        ready = select.select(listening, [], [], left)[0]
        if ours in ready:
            piece = os.read(ours, 8192)
            said += piece
            if said.endswith(_END):
                return said.removesuffix(_END)
            if not piece:
                os.waitpid(child, 0)
                return said
        elif called in ready:
            return _CALLED
    return _LATE


def _recorded(name: str, event: Event) -> bytes:
    """Record an event; how it went."""
    try:
        from takeback.adapters.hooks.recording import record  # the parent needs nothing of the engine

        record(name, event)
        return _DONE
    except Exception as error:
        _note(name, error)
        return _FAILED + _told(error)


def _strict(event: Event) -> bool:
    from takeback import locate

    try:
        return bool(locate.place(event.cwd or "/")["strict"])
    except Exception:  # a configuration that cannot be read stops nobody
        return False


def _note(name: str, error: Exception) -> None:
    """Leave a notice in the store, or beside it if nothing can be written there."""
    try:
        from takeback.store import notices

        hints = error.hints if isinstance(error, TakebackError) else ()
        any(notices.note(place, f"hook {name}", _message(error), hints) for place in _places() if place)
    except Exception:  # there is nobody left to tell
        pass


def _places() -> Iterator[str]:
    from takeback.store import notices

    try:
        from takeback import locate

        yield locate.store_path()
    except Exception:  # the user's configuration is what is wrong
        pass
    yield notices.make_spare()


def _told(error: Exception) -> bytes:
    hints = error.hints if isinstance(error, TakebackError) else ()
    return "; ".join([_message(error), *hints]).encode("utf-8", "replace")


def _message(error: Exception) -> str:
    if isinstance(error, TakebackError):
        return error.message
    return f"this is a bug in takeback: {type(error).__name__}: {error}"
