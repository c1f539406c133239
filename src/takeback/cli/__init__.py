"""The command line. `main` is the command ``takeback``; importing this package costs nothing.

Every command is one file in `takeback.cli.commands`. `takeback.cli.run` turns what a command raises into words and an
exit code, `takeback.cli.app` finds the commands, and nothing but this package and its siblings prints.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line; its exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if arguments is None:
        _spare_the_collector()
    if given == ["--version"]:
        from takeback import __version__

        try:
            print(f"takeback {__version__}", flush=True)
            return 0
        except OSError:
            pass  # `run` fails in the same way, and says so
    if arguments is None and len(given) == 2 and given[0] == "hook" and not given[1].startswith("-"):
        from takeback.cli.hooking import hook

        os._exit(hook(given[1]))  # an agent waits: what is left of the interpreter needs no tidying
    from takeback.cli.run import run

    return run(given)


def _spare_the_collector() -> None:
    """Looking for cycles among modules and trees that live as long as the process takes a tenth of a short command, and
    once more when it ends."""
    import atexit
    import gc

    gc.set_threshold(50_000, 20, 20)
    atexit.register(gc.freeze)
