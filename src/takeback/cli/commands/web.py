"""takeback web"""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from takeback.cli import given as beside
from takeback.cli import shapes
from takeback.cli.app import Command
from takeback.cli.call import Call
from takeback.cli.people import say
from takeback.views.text import visible

if TYPE_CHECKING:
    from takeback.engine.timeline import Timeline
    from takeback.locate import Place
    from takeback.web.serving import Server

_HIGHEST = 65_535


def _port(value: str) -> int:
    if not (value.isascii() and value.isdigit() and len(value) <= 5 and int(value) <= _HIGHEST):
        raise click.BadParameter(f"{value!r} is not a port: write 0 to {_HIGHEST}")
    return int(value)


@click.command("web", cls=Command)
@click.option("--port", type=_port, metavar="N", help="Listen on this port; 0 is any that is free.")
@click.option(
    "--host", default="127.0.0.1", metavar="ADDRESS", help="Listen there, so that other machines can connect."
)
@click.option("--read-only", is_flag=True, help="Only look: nothing can be saved, restored or marked.")
@click.option("--open/--no-open", "opened", default=None, help="Open a browser, or do not; on a terminal it is opened.")
@beside.options
@click.pass_obj
def command(call: Call, port: int | None, host: str, read_only: bool, opened: bool | None, given: beside.Given) -> int:
    """Show the timeline as a page in a browser.

    The address that is printed has a token in it, without which nothing is shown; it is good until the server ends, by
    Ctrl-C. Only programs on this machine can connect, unless --host says otherwise. It needs takeback[web].

    For example:
      takeback web
      takeback web --port 8000 --no-open
      takeback web --read-only
    """
    from takeback.views.desk import Desk
    from takeback.web import serving

    serving.check_installed()
    place = call.place()
    for warning in (*place.warnings, *place.to_agree):
        print(f"takeback: {visible(warning)}", file=sys.stderr)
    desk = Desk(place, more=lambda line: _add(given, call, line))
    call.closing(desk)
    listening = serving.bind(host, port)
    call.closing(listening)
    server = serving.Server(desk, listening, host, read_only=read_only, told=_tell_of_a_bug)
    if not server.address.is_local:
        _warn(server.address.host)

    def begin() -> None:
        _tell(call, server, place, read_only)
        if opened or (opened is None and not call.json and sys.stdout.isatty()):
            _open(server, asked=bool(opened))

    if server.run(begin):
        return 0
    sys.stdout.flush()
    print("takeback: stopped in the middle; the next command finishes it or takes it back", file=sys.stderr, flush=True)
    os._exit(130)  # as a second Ctrl-C asked for: nothing waits for the threads that are still at it


def _add(given: beside.Given, call: Call, line: Timeline) -> None:
    """Have what was named at hand, on each timeline that is acted on, without saying so each time."""
    given.add(replace(call, json=True, _opened=[]), line)


def _tell(call: Call, server: Server, place: Place, read_only: bool) -> None:
    if call.json:
        told = {"url": server.url(), "port": server.address.port, "root": place.root, "read_only": read_only}
        shapes.print_json({**told, "store": str(place["store"])})
    else:
        say(
            [("takeback web ", "head"), (server.url(), "name")],
            [
                ("shows ", "quiet"),
                place.root,
                (", to look only" if read_only else "", "quiet"),
                ("; Ctrl-C ends it", "quiet"),
            ],
        )
    sys.stdout.flush()


def _warn(host: str) -> None:
    say(
        [
            ("takeback: warning: ", "warn"),
            f"everybody who can reach {host} and has this address can read all that was recorded,",
        ],
        ["  and restore it over your files. It travels unencrypted: whoever sees it pass has it, too."],
        [("hint: ", "quiet"), "ssh -L PORT:127.0.0.1:PORT HOST reaches a server that only listens on its own machine"],
        stream=sys.stderr,
    )
    sys.stderr.flush()


def _open(server: Server, *, asked: bool) -> None:
    """Have a browser open the page, with a pass that is good once: others on the machine can see its command line."""
    environment = os.environ
    there = sys.platform == "darwin" or any(environment.get(name) for name in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY"))
    if not there or not sys.stdout.isatty():
        if asked:
            say("takeback: there is no browser to open here: copy the address into one", stream=sys.stderr)
        return
    import threading
    import webbrowser

    # Some browsers are waited for until they end.
    opening = threading.Thread(target=webbrowser.open, args=(server.url(server.keys.new_pass()),), daemon=True)
    opening.start()


def _tell_of_a_bug(error: Exception) -> None:
    import traceback

    from takeback.cli.run import written  # which has found this command

    where = written("".join(traceback.format_exception(error)))
    what = f"this is a bug in takeback: {type(error).__name__}"
    say(f"takeback: {what}; the traceback is in {where}", stream=sys.stderr)
