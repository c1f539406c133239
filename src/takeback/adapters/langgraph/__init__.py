"""LangGraph's checkpoints as snapshots: `TakebackSaver` is a checkpointer for `graph.compile(checkpointer=…)`.

A thread is a timeline, a checkpoint is a snapshot on it, and with ``sources`` the snapshot also holds the workspace of
the same moment. There is no second store: what LangGraph keeps, `takeback log`, `verify`, `export` and `prune` see too.
"""

from __future__ import annotations

from takeback.errors import Unavailable

try:
    from takeback.adapters.langgraph.saver import TakebackSaver
except ImportError as error:
    if (error.name or "").partition(".")[0] == "takeback":
        raise
    raise Unavailable(
        f"LangGraph's checkpointer needs {error.name}, which is not installed here",
        hints=["pip install 'takeback[langgraph]'"],
    ) from error

__all__ = ["TakebackSaver"]
