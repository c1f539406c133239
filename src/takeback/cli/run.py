"""From a command line to an exit code: what a command raises becomes words on stderr, never a traceback.

::

    TakebackError       its message, its hints, its exit code
    click's own         2, with the usage of the command
    Ctrl-C              130
    a closed pipe       141, silently, as other commands in a pipe do
    a full disk         1, if it is the output that cannot be written
    anything else       1: a bug in takeback; the traceback goes to a file, or to stderr with TAKEBACK_DEBUG=1
"""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Sequence

import click

from takeback.cli import progress
from takeback.cli.app import COMMANDS, app
from takeback.cli.call import Call
from takeback.errors import Cancelled, InvalidInput, TakebackError
from takeback.sources.container.marks import noted
from takeback.views.text import visible

_PIPE_CLOSED = 128 + 13


def run(arguments: Sequence[str], group: click.Group = app, call: Call | None = None) -> int:
    call = call or Call()
    call.typed = tuple(arguments)
    if _open_what_is_closed():
        return _fail(call, TakebackError("cannot write the output: stdout is closed"))
    _escape_what_cannot_be_written()
    if "_TAKEBACK_COMPLETE" in os.environ and group is app:
        app.main(prog_name="takeback", obj=call)  # answers the shell and exits
    if noted():
        _let_go()
    try:
        code = _invoke(arguments, group, call)
        sys.stdout.flush()
        return code
    except TakebackError as error:
        return _fail(call, error)
    except click.ClickException as error:
        call.json = call.json or _asks_for_json(arguments)
        return _fail(call, _usage(error, arguments, call.program))
    except (KeyboardInterrupt, click.Abort, EOFError):
        return _fail(call, Cancelled("stopped"))
    except BrokenPipeError:
        _drop_output()
        return _PIPE_CLOSED
    except OSError as error:
        if not _is_of_output(error):
            return _bug(call, error)
        _drop_output()
        return _fail(call, TakebackError(f"cannot write the output: {error.strerror}"))
    except Exception as error:
        return _bug(call, error)
    finally:
        call.close()


def _let_go() -> None:
    """Let containers run again that a takeback had paused when it was killed."""
    from takeback.sources.container.pausing import let_go

    try:
        for name in let_go():
            print(f"takeback: the container {visible(name)} had been left paused, and runs again", file=sys.stderr)
    except TakebackError as error:
        print(f"takeback: {visible(str(error))}", file=sys.stderr)


def _invoke(arguments: Sequence[str], group: click.Group, call: Call) -> int:
    try:
        with group.make_context(call.program, list(arguments), obj=call) as context:
            return int(group.invoke(context) or 0)
    except click.exceptions.Exit as end:
        return end.exit_code


def _asks_for_json(arguments: Sequence[str]) -> bool:
    """Whether the error must be JSON although the command line could not be understood."""
    ours = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return "--json" in ours


def _usage(error: click.ClickException, arguments: Sequence[str], program: str) -> InvalidInput:
    context = getattr(error, "ctx", None)
    if context is not None:
        path = context.command_path
    else:  # the parser itself does not say where it was
        path = " ".join([program, *[word for word in arguments if word in COMMANDS][:1]])
    return InvalidInput(error.format_message().rstrip("."), hints=[f"{path} --help"])


def _fail(call: Call, error: TakebackError) -> int:
    if call.json:
        _say_json(type(error).__name__, error.message, list(error.hints), error.exit_code)
    else:
        lines = [f"{call.program}: {error.message}", *(f"hint: {hint}" for hint in error.hints)]
        _say("\n".join(visible(line) for text in lines for line in text.split("\n")))
    return error.exit_code


def _bug(call: Call, error: Exception) -> int:
    import traceback

    whole = "".join(traceback.format_exception(error))
    what = f"this is a bug in takeback: {type(error).__name__}: {visible(str(error))}".replace("\n", " ")
    if os.environ.get("TAKEBACK_DEBUG"):
        _say(whole.rstrip())
        hints = []
    else:
        hints = [f"the traceback is in {written(whole)}; TAKEBACK_DEBUG=1 shows it here"]
    if call.json:
        _say_json("Bug", what, hints, 1)
    else:
        _say("\n".join([f"{call.program}: {what}", *(f"hint: {hint}" for hint in hints)]))
    return 1


def written(whole: str) -> str:
    """Where a traceback was put, for whoever is to report it."""
    import tempfile

    try:
        with tempfile.NamedTemporaryFile("w", prefix="takeback-bug-", suffix=".txt", delete=False) as file:
            file.write(whole.encode("utf-8", "backslashreplace").decode())
            return file.name
    except OSError:
        return "no file, because none could be written"


def _say_json(kind: str, message: str, hints: list[str], exit_code: int) -> None:
    error = {"kind": kind, "message": message, "hints": hints, "exit_code": exit_code}
    _say(json.dumps({"error": error}))


def _say(text: str) -> None:
    try:
        progress.clear()
        print(text, file=sys.stderr, flush=True)
    except OSError:
        pass  # nobody listens; the exit code still tells


def _open_what_is_closed() -> bool:
    """Give streams that were closed (``>&-``) to /dev/null, lest a file of the store gets their number; whether stdout was."""
    names = ("stdin", "stdout", "stderr")
    closed = [name for name in names if getattr(sys, name) is None]
    for name in closed:
        setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), "r" if name == "stdin" else "w"))
    return "stdout" in closed


def _is_of_output(error: OSError) -> bool:
    """Whether it is stdout that could not be written: what it has left to write cannot be, either."""
    try:
        sys.stdout.flush()
    except OSError:
        return True
    return error.filename is None and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def _drop_output() -> None:
    """What is still buffered has nowhere to go, and must not fail again when the interpreter ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _escape_what_cannot_be_written() -> None:
    """Write what the terminal's encoding does not have as an escape instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
