"""LangGraph's own published suite for checkpointers, every test of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from langgraph.checkpoint.conformance import checkpointer_test, validate
from langgraph.checkpoint.conformance.capabilities import Capability

from takeback.adapters.langgraph import TakebackSaver

TESTS = 81
"""Of langgraph-checkpoint-conformance 0.0.2."""


@pytest.mark.parametrize("place", ["memory", "directory"])
def test_all_capabilities_are_detected_and_every_test_passes(place: str, tmp_path: Path) -> None:
    @checkpointer_test(name=f"TakebackSaver in {place}")
    async def saver() -> AsyncIterator[TakebackSaver]:
        with TakebackSaver(":memory:" if place == "memory" else tmp_path / "store") as made:
            yield made

    report = asyncio.run(validate(saver))
    assert {name for name, result in report.results.items() if result.detected} == {each.value for each in Capability}
    assert not [failure for result in report.results.values() for failure in result.failures]
    assert sum(result.tests_passed for result in report.results.values()) == TESTS
