"""How a thread goes on from an earlier checkpoint: a copy of it becomes the latest, as the ``__copy__`` of LangGraph's own
`update_state` makes one. Nothing is removed, so whatever came after can be gone back to in the same way."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import Checkpoint, CheckpointMetadata, CheckpointTuple
from langgraph.checkpoint.base.id import uuid6

_OF_THE_VALUES = ("parents", "counters_since_delta_snapshot")
"""What a checkpoint's metadata says of its values, which are the copy's, too."""


def copy_of(found: CheckpointTuple) -> tuple[RunnableConfig, Checkpoint, CheckpointMetadata]:
    """A checkpoint with the same values and the same parent under a new id, which is the greatest; all that `put` needs."""
    step = found.metadata.get("step", -1)
    place = found.config["configurable"]
    beginning = {"configurable": {name: place[name] for name in ("thread_id", "checkpoint_ns")}}
    known = {name: value for name, value in found.metadata.items() if name in _OF_THE_VALUES}
    return (
        found.parent_config or cast(RunnableConfig, beginning),
        {**found.checkpoint, "id": str(uuid6(clock_seq=step)), "ts": datetime.now(UTC).isoformat()},
        cast(CheckpointMetadata, {"parents": {}, **known, "source": "fork", "step": step + 1}),
    )
