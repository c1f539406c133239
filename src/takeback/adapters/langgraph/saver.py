"""`TakebackSaver`: LangGraph's whole checkpointer interface over a takeback store.

Each method says what LangGraph asks for; how it is done stands in `recording`, `reading`, `copying` and `removing`. Those
for async callers are in `twins`.
"""

from __future__ import annotations

import asyncio
import os
import random
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, TypeVar, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    DeltaChannelHistory,
    get_checkpoint_id,
    get_checkpoint_metadata,
)
from langgraph.checkpoint.serde.base import SerializerProtocol

from takeback.adapters.langgraph import copying, reading, recording, removing
from takeback.adapters.langgraph.going_on import copy_of
from takeback.adapters.langgraph.memo import Memo
from takeback.adapters.langgraph.naming import Key, thread_of
from takeback.adapters.langgraph.reading import Stored
from takeback.adapters.langgraph.recording import Write
from takeback.adapters.langgraph.serializing import StrictSerializer
from takeback.adapters.langgraph.thread import Thread
from takeback.adapters.langgraph.twins import AsyncTwins
from takeback.adapters.langgraph.values import Values
from takeback.engine.store import Store
from takeback.errors import InvalidInput, NotFound
from takeback.locate import open as open_store
from takeback.model.plan import Report
from takeback.sources.protocol import Source

T = TypeVar("T")
_DELTA_COUNTERS = "counters_since_delta_snapshot"
_THREADS = 64
"""Of so many threads something is remembered."""


class TakebackSaver(AsyncTwins):
    """Checkpoints of LangGraph's threads in a takeback store.

    ``store`` is one, or the place of one. With ``sources`` each checkpoint carries the workspace, container or state of
    the same moment, which `restore` puts back with it. ``serde`` is used for every value; without one only LangGraph's
    safe types come back as what they were, and those that are ``allowed``.
    """

    def __init__(
        self,
        store: Store | str | os.PathLike[str],
        sources: Iterable[Source] = (),
        *,
        serde: SerializerProtocol | None = None,
        allowed: Iterable[type | tuple[str, ...]] = (),
    ) -> None:
        super().__init__(serde=serde if serde is not None else StrictSerializer(allowed))
        self._opened = None if isinstance(store, Store) else open_store(store)
        self.store = store if isinstance(store, Store) else cast(Store, self._opened)
        self.sources = tuple(sources)
        self._root = self.store.timeline(sources=self.sources).root
        self._memo = Memo()
        self._threads: dict[str, Thread] = {}
        self._lock = threading.Lock()

    def close(self) -> None:
        """Close the store, if it was opened here."""
        if self._opened is not None:
            self._opened.close()

    def __enter__(self) -> TakebackSaver:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # -- reading

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        thread, namespace, id = self._place(config)
        with self.store.blobs.reader() as reader:
            found = thread.find(reader, namespace, id)
            if found is None:
                return None
            return reading.as_tuple(reader, _given(config), Stored(*found, thread.near(namespace)), self._values)

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """Checkpoints of a thread, or of all, the greatest id first."""
        wanted: Mapping[str, Any] = config["configurable"] if config else {}
        threads = [self._thread(wanted["thread_id"])] if config else self._every_thread()
        namespace, id = wanted.get("checkpoint_ns"), get_checkpoint_id(config) if config else None
        bound = get_checkpoint_id(before) if before else None
        with self.store.blobs.reader() as reader:
            found = [
                (key, row, thread)
                for thread in threads
                for key, row in thread.every().items()
                if (namespace is None or key.namespace == namespace)
                and (not id or key.id == id)
                and (not bound or key.id < bound)
            ]
            found.sort(key=lambda each: (each[0].id, each[1].seq), reverse=True)
            for key, row, thread in found:
                if limit is not None and limit <= 0:
                    return
                name = wanted.get("thread_id", thread.id)
                checkpoint = reading.stored(reader, thread, key, row)
                if checkpoint is None:
                    continue
                tuple_ = reading.as_tuple(reader, name, checkpoint, self._values, filter)
                if tuple_ is not None:
                    limit = None if limit is None else limit - 1
                    yield tuple_

    def get_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        if not channels:
            return {}
        thread, namespace, id = self._place(config)
        with self.store.blobs.reader() as reader:
            found = thread.find(reader, namespace, id)
            if found is None:
                return {channel: {"writes": []} for channel in channels}
            return reading.delta_history(reader, thread, found[0], channels, self._values)

    # -- writing

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Record a checkpoint, and the sources as they are now, as one snapshot."""
        thread, namespace, parent = self._place(config)
        key, values = Key(namespace, checkpoint["id"]), self._values
        known = cast(dict[str, Any], get_checkpoint_metadata(config, metadata))
        bare = {name: value for name, value in checkpoint.items() if name != "channel_values"}
        document = {
            "about": values.whole({"checkpoint": bare, "metadata": known}),
            "values": {name: values.pack(value) for name, value in checkpoint["channel_values"].items()},
        }
        said = {
            "thread": thread.id,
            "namespace": namespace,
            "checkpoint": key.id,
            "parent": parent,
            "run": known.get("run_id"),
            "source": known.get("source"),
            "step": known.get("step"),
            "delta": sorted(known.get(_DELTA_COUNTERS) or ()) or None,
        }
        said = {name: value for name, value in said.items() if value is not None}
        recording.put_checkpoint(thread, key, document, said)
        return cast(RunnableConfig, reading.config_of(_given(config), key))

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Record what a task wrote, durably, before the checkpoint that it leads to."""
        thread, namespace, id = self._place(config)
        if id is None:
            raise InvalidInput("writes need the checkpoint that they belong to", hints=["give checkpoint_id"])
        packed = [
            Write(task_id, task_path, WRITES_IDX_MAP.get(channel, number), channel, self._values.pack(value))
            for number, (channel, value) in enumerate(writes)
        ]
        recording.put_writes(thread, Key(namespace, id), packed)

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy all checkpoints and writes; what the target has stays, except checkpoints of the same id."""
        copying.copy(self._thread(source_thread_id), self._thread(target_thread_id))

    # -- removing

    def delete_thread(self, thread_id: str) -> None:
        """Drop all snapshots of a thread. `takeback.Store.undrop` takes that back until a maintenance."""
        removing.delete_thread(self._thread(thread_id))

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Drop the checkpoints that some runs made, with their writes, in every thread."""
        runs = set(run_ids)
        if runs:
            for thread in self._every_thread():
                removing.delete_runs(thread, runs)

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Keep the latest checkpoint of each namespace, and what its delta channels are made of; or delete all."""
        if strategy not in ("keep_latest", "delete"):
            raise InvalidInput(f"{strategy!r} is no way to prune", hints=["keep_latest or delete"])
        for id in thread_ids:
            remove = removing.prune if strategy == "keep_latest" else removing.delete_thread
            remove(self._thread(id))

    # -- sources

    def restore_sources(self, config: RunnableConfig) -> Report:
        """Put back the sources as they were at a checkpoint, or at the latest; the present is saved first.

        They are as they were when LangGraph saved it: in the middle of a run that is while the next step is at work, unless
        the run's ``durability`` is "sync".
        """
        thread, namespace, id = self._place(config)
        with self.store.blobs.reader() as reader:
            found = thread.find(reader, namespace, id)
        if found is None:
            raise NotFound(f"the thread {thread.id!r} has no such checkpoint", hints=["saver.list(config) lists them"])
        key, snapshot = found
        parts = [source.name for source in self.sources if source.name in snapshot.parts]
        if not parts:
            raise InvalidInput(
                f"the checkpoint {key.id!r} carries none of this saver's sources",
                hints=["TakebackSaver(store, sources=[takeback.Workspace('.')]) carries one from then on"],
            )
        with thread.lock:
            return thread.timeline.restore(snapshot.id, only=parts)

    async def arestore_sources(self, config: RunnableConfig) -> Report:
        return await asyncio.to_thread(self.restore_sources, config)

    def restore(self, config: RunnableConfig) -> Report:
        """Put back the sources as `restore_sources` does, and the graph with them: its thread goes on from that checkpoint.

        Checkpoints that came later stay, and can be restored in the same way. A task that had ended after that checkpoint,
        while another was interrupted, runs again.
        """
        found = self.get_tuple(config)
        if found is None:
            return self.restore_sources(config)  # which says so
        report = self.restore_sources(found.config)
        namespace = found.config["configurable"]["checkpoint_ns"]
        latest = self.get_tuple({"configurable": {"thread_id": _given(config), "checkpoint_ns": namespace}})
        if latest is None or latest.config != found.config:
            self.put(*copy_of(found), {})
        return report

    async def arestore(self, config: RunnableConfig) -> Report:
        return await asyncio.to_thread(self.restore, config)

    # -- what LangGraph asks beside

    def get_next_version(self, current: Any, channel: None) -> Any:
        """Whole numbers; in the form of other savers where a thread came from one."""
        if not isinstance(current, str):
            return 1 if current is None else current + 1
        return f"{int(current.split('.')[0]) + 1:032}.{random.random():016}"

    def with_allowlist(self, extra_allowlist: Collection[tuple[str, ...]]) -> TakebackSaver:
        """The same saver, with more types that come back as what they were."""
        return cast(TakebackSaver, super().with_allowlist(extra_allowlist))

    # -- inside

    @property
    def _values(self) -> Values:
        return Values(self.serde, self._memo)

    def _place(self, config: RunnableConfig) -> tuple[Thread, str, str | None]:
        given = config["configurable"]
        return self._thread(given["thread_id"]), given.get("checkpoint_ns") or "", get_checkpoint_id(config) or None

    def _thread(self, id: Any) -> Thread:
        name = str(id)
        with self._lock:
            thread = self._threads.pop(name, None) or Thread(self.store, name, self.sources)
            self._threads[name] = thread
            if len(self._threads) > _THREADS:
                del self._threads[next(iter(self._threads))]  # whoever still uses it is served; the catalogue knows all
            return thread

    def _every_thread(self) -> Sequence[Thread]:
        names = (thread_of(row.name) for row in self.store.timelines() if row.root == self._root)
        return [self._thread(name) for name in names if name is not None]


def _given(config: RunnableConfig) -> Any:
    return config["configurable"]["thread_id"]
