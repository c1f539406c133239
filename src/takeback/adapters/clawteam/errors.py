"""What this adapter raises where code that was written for ClawTeam expects a ValueError.

::

    TakebackError
    ├── NotFound
    │   └── NotThere         also a ValueError: no such team, no such snapshot
    └── InvalidInput
        └── NoBundle         also a ValueError: a file that is no bundle, or one that must not be restored

Whatever else goes wrong (members are running, a disk is full) is the engine's own error.
"""

from __future__ import annotations

from takeback.errors import InvalidInput, NotFound


class NotThere(NotFound, ValueError):
    """There is no such team, or no such snapshot."""


class NoBundle(InvalidInput, ValueError):
    """What was read is no bundle of this team; nothing of it was written anywhere."""
