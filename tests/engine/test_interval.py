from __future__ import annotations

import pytest

import takeback as tb
from support.agent import World


@pytest.mark.parametrize("interval", [0, "0s", "99999999999d", 1e30])
def test_an_interval_that_cannot_be_waited_for_is_refused_at_once(world: World, interval: str | float) -> None:
    with pytest.raises(tb.InvalidInput):
        world.line.every(interval)
