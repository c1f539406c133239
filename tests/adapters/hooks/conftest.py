from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.faults.zygote import Zygote
from support.hooks.forked import Hooks


@pytest.fixture(scope="module")
def hooks() -> Iterator[Hooks]:
    """``hooks(agent, data)`` calls the hook, which must answer that all is well."""
    with Zygote() as zygote:
        yield Hooks(zygote)
