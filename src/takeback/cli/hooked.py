"""Which hooks are installed for a place, when they last ran, and whether they may record: for status and doctor."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from takeback.adapters.install import Installed
    from takeback.locate import Place
    from takeback.store.hooked import LastRun

_LARGEST = 8 << 20


class Hooks(NamedTuple):
    installed: tuple[Installed, ...]
    directory: str
    """The store that hooks record in."""
    off: str = ""
    """What keeps them from recording here, if anything does."""
    on_again: str = ""

    def last(self, agent: str) -> LastRun | None:
        """When an agent last called its hook, in any project."""
        from takeback.store import hooked

        return hooked.last(self.directory, agent)

    @property
    def agents(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(each.agent for each in self.installed))


NO_HOOKS = Hooks((), "")


def hooks_of(place: Place) -> Hooks:
    from takeback import locate
    from takeback.adapters.install import found

    off = on_again = ""
    setting = place.settings["snapshots"]
    if os.environ.get("TAKEBACK_OFF", "0") not in ("", "0"):
        off, on_again = f"TAKEBACK_OFF={os.environ['TAKEBACK_OFF']}", "unset TAKEBACK_OFF"
    elif setting.value is False:
        off = f"snapshots = false, from {setting.origin}"
        on_again = "set snapshots = true there, or take it out; sessions that are open keep what they began with"
    installed = (each for each in found(locate.agents(place.root)) if not each.problem or _names_us(each.file))
    return Hooks(tuple(installed), locate.store_path(), off, on_again)


def _names_us(file: str) -> bool:
    """Whether a configuration that cannot be understood may hold our hooks: any other is its agent's business."""
    try:
        with open(file, "rb") as opened:
            return b"takeback hook" in opened.read(_LARGEST)
    except OSError:
        return True
