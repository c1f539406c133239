"""The name that the agent SDK had before; its model is offline here."""

from __future__ import annotations

from typing import Any

from cua_agent import ComputerAgent as _ComputerAgent
from cua_agent.decorators import register_agent

from support.cua.offline import Offline, said, typed

_SCRIPT = [[typed("echo seen > /seen")], [said("done")]]


@register_agent(models=r"^anthropic/", priority=2000)
class _Scripted(Offline):
    """Answers for any model of that name."""

    def __init__(self) -> None:
        self._left = [list(step) for step in _SCRIPT]

    async def predict_step(self, messages: list[dict[str, Any]], model: str, **more: Any) -> dict[str, Any]:
        return {"output": self._left.pop(0), "usage": {}}


def ComputerAgent(**options: Any) -> Any:  # noqa: N802  # the class's own name
    """The real one, without telemetry and pauses."""
    return _ComputerAgent(**options, telemetry_enabled=False, screenshot_delay=0)
