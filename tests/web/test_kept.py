from __future__ import annotations

import pytest

from support.agent import World
from takeback.errors import NotFound
from takeback.views.choices import Wanted
from takeback.web.kept import Plans


def test_large_plans_are_kept_only_as_long_as_they_fit(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.edit({"a": "1\n", "b": "1\n", "c": "1\n"})
    world.line.save("start")
    world.edit({"a": "2\n", "b": "2\n", "c": "2\n"})
    plan = world.line.plan("start")
    monkeypatch.setattr("takeback.web.kept._EFFECTS", 7)
    plans = Plans()
    first, second, third = (plans.keep(Wanted("restore"), plan) for _ in range(3))
    with pytest.raises(NotFound, match="no such plan any more"):
        plans.take(first)
    assert plans.take(second).plan is plans.take(third).plan is plan
    monkeypatch.setattr("takeback.web.kept._EFFECTS", 1)
    assert plans.take(plans.keep(Wanted("restore"), plan)).plan is plan, "one that was just shown can be applied"
