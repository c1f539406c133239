"""CUA's computer, standing in for a desktop: it is the container that the test has made."""

from __future__ import annotations

import os
from typing import Any

from support.cua.offline import Computer as _Computer


class Computer(_Computer):
    def __init__(self, os_type: str = "linux", provider_type: str = "docker") -> None:
        super().__init__(os.environ["CUA_TEST_CONTAINER"])

    async def __aenter__(self) -> Computer:
        return self

    async def __aexit__(self, *error: Any) -> None:
        pass
