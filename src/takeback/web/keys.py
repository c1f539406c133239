"""The secrets of one run of the server: none outlives it, none is derived from another, none is ever logged.

The **token** is in the address that is printed, and is good for one thing: to be exchanged for the cookie. The **session** is
the cookie's value. The **csrf** token is what the page's scripts send with every change. A **pass** is a token that is
good once and not for long: it is handed to a browser on a command line, which others on the machine can see.
"""

from __future__ import annotations

import secrets
import threading
import time

_BYTES = 32
_PASS_SECONDS = 60.0


class Keys:
    def __init__(self) -> None:
        self.token = secrets.token_urlsafe(_BYTES)
        self.csrf = secrets.token_urlsafe(_BYTES)
        self.session = secrets.token_urlsafe(_BYTES)
        self._passes: dict[str, float] = {}
        self._lock = threading.Lock()

    def new_pass(self) -> str:
        made = secrets.token_urlsafe(_BYTES)
        with self._lock:
            self._passes[made] = time.monotonic() + _PASS_SECONDS
        return made

    def opens(self, given: str) -> bool:
        """Whether somebody may have the cookie for this; a pass is used up by asking."""
        return same(given, self.token) | self._takes(given)

    def _takes(self, given: str) -> bool:
        now = time.monotonic()
        with self._lock:
            found = [each for each in self._passes if same(given, each)]
            good = any(self._passes[each] > now for each in found)
            for each in found:
                del self._passes[each]
            return good


def same(given: str, secret: str) -> bool:
    """Whether two texts are equal, in a time that does not tell where they differ."""
    return secrets.compare_digest(given.encode("utf-8", "surrogatepass"), secret.encode())
