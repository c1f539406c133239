"""The locks of several objects, held at once, in whatever order their owners take them.

Nobody waits for one while it holds another: who finds one taken gives all back, waits for that one first, and tries the
others again. So there is no order to agree on, neither between timelines nor with the program itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, runtime_checkable

from takeback.sources.protocol import Source


@runtime_checkable
class Holds(Protocol):
    """A source that can have its lock before the next look."""

    def take_lock(self, *, wait: bool) -> bool:
        """Have the lock from now on; False if somebody else has it, and nobody is to ``wait``."""

    def give_lock(self) -> None:
        """Give it back; it is taken again by whatever comes next."""


def hold_at_once(sources: Iterable[Source]) -> None:
    """Hold all that can be, if it is more than one: a single one is taken when it is looked at."""
    wanted: list[Holds] = [source for source in sources if isinstance(source, Holds)]
    while len(wanted) > 1:
        try:
            taken = next((each for each in wanted if not each.take_lock(wait=each is wanted[0])), None)
        except Exception:  # only who is waited for fails: a look at it says why, and takes nothing from the others
            wanted = wanted[1:]
            continue
        if taken is None:
            return
        for each in wanted:
            each.give_lock()
        wanted = [taken, *(each for each in wanted if each is not taken)]
