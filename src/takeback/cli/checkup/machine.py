"""What takeback runs on, and the extras that are needed here."""

from __future__ import annotations

import os
import platform
import re
import shutil
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING

from takeback.cli.checkup.finding import Finding
from takeback.errors import TakebackError

if TYPE_CHECKING:
    from takeback.cli.call import Call
    from takeback.locate import Place

_OLDEST_SQLITE = (3, 51, 3)
"""Earlier ones have a bug that can corrupt a database in WAL mode."""

_SERVES = re.compile(rb"""takeback["']?[\s,]+["']?(?:[^\]}]{0,200}?[\s,"'])?mcp\b""")
"""How a configuration names the server, as words of a command or of a list."""
_LARGEST = 8 << 20


def python() -> Finding:
    return Finding("python", "ok", f"{platform.python_version()}, {sys.executable}")


def sqlite() -> Finding:
    from takeback.store.catalogue.sqlite import SqliteDatabase

    database = SqliteDatabase(None)
    with database.read() as tx:
        version = str(tx.execute("SELECT sqlite_version()")[0][0])
    database.close()
    if tuple(int(part) for part in version.split(".")[:3]) < _OLDEST_SQLITE:
        return Finding("sqlite", "fail", f"{version} can damage the catalogue", "pip install --upgrade apsw")
    return Finding("sqlite", "ok", version)


def git() -> Finding:
    where = shutil.which("git")
    if where is None:
        return Finding("git", "ok", "not installed; takeback reads repositories without it")
    return Finding("git", "ok", where)


def extras(call: Call, place: Place) -> Iterator[Finding]:
    """What is used here and needs a package that may be missing."""
    serving = _who_serves(place.root)
    if serving:
        yield extra("mcp", "mcp", f"{serving} starts `takeback mcp`")
    try:
        watched = call.line().show("@").context.get("by") == "watch"
    except TakebackError:
        watched = False
    if watched:
        yield extra("watch", "watchfiles", "the latest snapshot was made by `takeback watch`")


def extra(name: str, package: str, why: str) -> Finding:
    """Whether an extra is installed that is needed here."""
    if find_spec(package) is not None:
        return Finding("extra", "ok", f"takeback[{name}] is installed")
    return Finding(
        "extra",
        "warn",
        f"{why}, but {package} is not installed for {sys.executable}",
        f"{sys.executable} -m pip install 'takeback[{name}]'",
    )


def _who_serves(root: str) -> str:
    """A configuration of an agent that starts the MCP server; empty if none does."""
    from takeback import locate

    homes = locate.agents(root)
    for path in (
        f"{root}/.mcp.json",
        f"{homes.claude_code}.json",
        f"{homes.claude_code}/.claude.json",
        f"{root}/.codex/config.toml",
        f"{homes.codex}/config.toml",
        f"{root}/.gemini/settings.json",
        f"{homes.gemini_cli}/settings.json",
        f"{root}/opencode.json",
        f"{homes.opencode}/opencode.json",
    ):
        try:
            with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as file:
                if _SERVES.search(file.read(_LARGEST)):
                    return path
        except OSError:
            continue
    return ""
