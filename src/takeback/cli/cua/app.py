"""The group of ``cua-snapshot``: its options, and the manager that they lead to."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Coroutine
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

import click

from takeback.cli.call import Call
from takeback.views.text import age, visible

if TYPE_CHECKING:
    from takeback.adapters.cua import SnapshotConfig, SnapshotManager

T = TypeVar("T")

MODULES = {
    "create": "changing",
    "list": "looking",
    "restore": "changing",
    "delete": "changing",
    "cleanup": "changing",
    "stats": "looking",
    "validate": "looking",
    "import": "importing",
}


@dataclass
class CuaCall(Call):
    """One call: the options before the command, and the manager."""

    storage_path: str | None = None
    config: str | None = None
    _manager: SnapshotManager | None = field(default=None, repr=False)

    @property
    def settings(self) -> SnapshotConfig:
        from takeback.adapters.cua import SnapshotConfig

        place: dict[str, Any] = {} if self.storage_path is None else {"storage_path": self.storage_path}
        return SnapshotConfig(**place) if self.config is None else SnapshotConfig.loaded(self.config, **place)

    @property
    def manager(self) -> SnapshotManager:
        from takeback.adapters.cua import SnapshotManager

        if self._manager is None:
            self._manager = SnapshotManager(config=self.settings)
            self._tell(str(self._manager.storage.base_path))
        return self._manager

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """What a coroutine of the manager's gives."""
        return asyncio.run(work)

    def close(self) -> None:
        super().close()
        if self._manager is not None:
            self._manager.storage.close()

    def _tell(self, store: str) -> None:
        """Say, once, what went wrong while nobody looked."""
        from takeback.store import notices

        for place in (store, notices.spare()):
            for notice in notices.take(place) if place else ():
                lines = [f"{notice.where}, {age(notice.time_ns)}: {notice.message}"]
                for line in (*lines, *(f"hint: {hint}" for hint in notice.hints)):
                    print(f"{self.program}: {visible(line)}", file=sys.stderr)


class Commands(click.Group):
    """Finds a command when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(MODULES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in MODULES:
            return None
        found = getattr(import_module(f"takeback.cli.cua.{MODULES[cmd_name]}"), f"{cmd_name}_")
        assert isinstance(found, click.Command)
        return found


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80})
@click.option("--storage-path", metavar="DIR", help="The store; .snapshots if no configuration says otherwise.")
@click.option("--config", metavar="FILE", help="A JSON file with what SnapshotConfig takes.")
@click.option("--verbose", "-v", is_flag=True, help="Log what is done to stderr.")
@click.pass_obj
def app(call: CuaCall, storage_path: str | None, config: str | None, verbose: bool) -> None:
    """Save, list and restore the container that a computer-use agent works in.

    The store is a takeback store: `takeback --store DIR log` shows the same snapshots.
    """
    if verbose:
        import logging

        logging.basicConfig(level=logging.DEBUG, stream=sys.stderr)
    call.storage_path, call.config = storage_path, config
