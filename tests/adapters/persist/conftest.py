from __future__ import annotations

from collections.abc import Iterator

import pytest

from takeback.adapters.persist import known


@pytest.fixture(autouse=True)
def _nothing_stays_allowed() -> Iterator[None]:
    """What a test allows is not allowed in the next."""
    before = dict(known._allowed)
    yield
    known._allowed.clear()
    known._allowed.update(before)
