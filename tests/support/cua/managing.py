"""Coroutines in tests, and managers of one store."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from takeback.adapters.cua import SnapshotManager

T = TypeVar("T")

MakeManager = Callable[..., SnapshotManager]


def wait(work: Coroutine[Any, Any, T]) -> T:
    """What a coroutine gives, in a loop of its own."""
    return asyncio.run(work)
