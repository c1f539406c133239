"""``cua-snapshot``: snapshots of an agent's container, with the commands and options of the CUA snapshot manager.

`main` is the command; `takeback.cli.run` makes words and an exit code of what it raises. The store that it works on is a
takeback store, so every command of ``takeback --store DIR`` works on it, too.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line; its exit code."""
    from takeback.cli.cua.app import CuaCall, app
    from takeback.cli.run import run

    return run(list(sys.argv[1:] if arguments is None else arguments), app, CuaCall(program="cua-snapshot"))
