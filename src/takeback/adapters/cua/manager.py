"""`SnapshotManager`: snapshots of containers, made, listed, put back and let go, under the names of the CUA snapshot manager.

It is a face of the engine: a snapshot here is a snapshot on the container's timeline, and nothing is known of it that is not
in the store. All that takes time happens in threads; a cancelled call ends what it began.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Mapping
from datetime import datetime
from types import TracebackType
from typing import Any

from takeback.adapters.cua import describing, retention
from takeback.adapters.cua.config import SnapshotConfig, as_trigger
from takeback.adapters.cua.errors import SnapshotError, told_as
from takeback.adapters.cua.messages import PART as MESSAGES
from takeback.adapters.cua.messages import Messages
from takeback.adapters.cua.provider import DockerSnapshotProvider
from takeback.adapters.cua.restoring import restore
from takeback.adapters.cua.storage import FileSystemSnapshotStorage, Listed
from takeback.adapters.cua.values import RestoreOptions, SnapshotMetadata, SnapshotTrigger
from takeback.adapters.remembering import finished
from takeback.errors import InvalidInput, TakebackError
from takeback.sources.protocol import Source
from takeback.store import notices

logger = logging.getLogger(__name__)

SESSION = "cua"
"""Whose moves runs and actions are: a run that begins ends one of the same container that was left open."""
_FREED_AFTER = 10
"""So many snapshots that limits let go are freed together: that takes longer than a snapshot."""


class SnapshotManager:
    """Snapshots in the store at ``config.storage_path``. Close it, or use it in an ``async with`` block."""

    def __init__(
        self,
        provider: DockerSnapshotProvider | None = None,
        storage: FileSystemSnapshotStorage | None = None,
        config: SnapshotConfig | None = None,
    ) -> None:
        for given, kind in ((provider, DockerSnapshotProvider), (storage, FileSystemSnapshotStorage)):
            if given is not None and not isinstance(given, kind):
                raise InvalidInput(
                    f"{given!r:.60} is no {kind.__name__}",
                    hints=[
                        "snapshots of all kinds go through takeback's one engine: see takeback.testing for backends"
                    ],
                )
        if config is None:
            config = SnapshotConfig() if storage is None else SnapshotConfig(storage_path=str(storage.base_path))
        self.config = config
        self.provider = provider or DockerSnapshotProvider()
        self.storage = storage or FileSystemSnapshotStorage(config.storage_path)
        self._owned: dict[str, _Own] = {}
        self._guard = threading.Lock()
        self._dropped = 0

    async def create_snapshot(
        self,
        container_id: str,
        trigger: SnapshotTrigger | str = SnapshotTrigger.MANUAL,
        description: str | None = None,
        action_context: str | None = None,
        run_id: str | None = None,
        labels: Mapping[str, str] | None = None,
        *,
        agent_metadata: Mapping[str, Any] | None = None,
        messages: Iterable[Any] | None = None,
        action: Mapping[str, Any] | None = None,
        title: str = "",
    ) -> SnapshotMetadata:
        """A snapshot of a container, by its name or id, also if nothing changed; then limits are kept.

        ``messages`` become a part of it, ``action`` is what the agent is doing, ``title`` what its run or action is about.
        """
        said = {
            "description": description,
            "action_context": action_context,
            "run_id": run_id,
            "labels": describing.checked_labels(labels),
            "agent_metadata": dict(agent_metadata or {}),
            "action": dict(action or {}),
        }
        spoken = None if messages is None else list(messages)
        return await finished(self._create, container_id, as_trigger(trigger), said, spoken, title)

    def _create(
        self,
        container: str,
        trigger: SnapshotTrigger,
        said: Mapping[str, Any],
        spoken: list[Any] | None,
        title: str,
    ) -> SnapshotMetadata:
        box = self.provider.inspected(container)
        now = datetime.now()
        name = "" if self.config.name_needs_id else self.config.named(box.name, trigger, now, "")
        told = describing.context(container_id=box.id, name=name, **said)
        if trigger is SnapshotTrigger.RUN_START:
            told["marks"] = False  # in its sandbox an agent is alone
        with told_as(SnapshotError), self._own(box.name) as own:
            sources = [own.source]
            if spoken is not None:
                own.messages.say(spoken)
                sources.append(own.messages)
            line = self.storage.line(box.name, sources)
            snapshot = line.save(
                name or None,
                trigger=trigger.recorded,
                session=SESSION if trigger is not SnapshotTrigger.MANUAL else "",
                title=title or said["description"] or said["action_context"] or "",
                context=told,
                always=True,
            )
            if not name:
                line.label(snapshot.id, self.config.named(box.name, trigger, now, snapshot.id[:8]))
        self._keep_limits()
        return self.storage.described(self.storage.find(snapshot.id))

    async def restore_snapshot(self, snapshot_id: str, options: RestoreOptions | None = None) -> str:
        """Make a container of a snapshot; its id. By default it is a new one beside the one that there is."""
        chosen = options or RestoreOptions()

        def work() -> str:
            with told_as(SnapshotError):
                found = self.storage.find(snapshot_id)
                with self._own(found.timeline.name) as own:
                    return restore(self.provider, self.storage, own.source, found, chosen)

        return await finished(work)

    async def delete_snapshot(self, snapshot_id: str) -> None:
        """Remove a snapshot, the image that was made with it, and the bytes that only it needs."""

        def work() -> None:
            made = self.storage.described(self.storage.find(snapshot_id))
            self.storage.delete(made.snapshot_id)
            if made.image_tag and made.image_tag not in self.storage.images():
                self.provider.remove_images([made.image_tag])

        with told_as(SnapshotError):
            await finished(work)

    async def list_snapshots(self, container_id: str | None = None, limit: int | None = None) -> list[SnapshotMetadata]:
        """Newest first; of one container by its name or id."""
        with told_as(SnapshotError):
            return await self.storage.list_snapshots(container_id, limit)

    async def get_snapshot(self, snapshot_id: str) -> SnapshotMetadata | None:
        """A snapshot by its id, a unique beginning of it, or its name; None if there is none."""
        with told_as(SnapshotError):
            return await self.storage.load_metadata(snapshot_id)

    async def get_messages(self, snapshot_id: str) -> list[Any]:
        """What the agent had said and seen when a snapshot was made; empty if that was not known."""

        def look() -> list[Any]:
            found = self.storage.find(snapshot_id)
            line = self.storage.line(found.timeline.name)
            if MESSAGES not in line.show(found.row.id).parts:
                return []
            return list(line.value(found.row.id, MESSAGES, unknown="record"))

        with told_as(SnapshotError):
            return await finished(look)

    async def cleanup_old_snapshots(self, max_age_days: float | None = None) -> int:
        """Let snapshots go that are older than so many days, by default ``auto_cleanup_days``; how many went."""

        def work() -> int:
            gone = self.storage.let_go(self._old(max_age_days))
            if gone:
                self._free()
            return len(gone)

        with told_as(SnapshotError):
            return await finished(work)

    async def find_old_snapshots(self, max_age_days: float | None = None) -> list[SnapshotMetadata]:
        """Exactly those that `cleanup_old_snapshots` would let go now, oldest first."""
        with told_as(SnapshotError):
            return await finished(lambda: [self.storage.described(each) for each in self._old(max_age_days)])

    async def get_storage_stats(self) -> dict[str, Any]:
        """How many snapshots there are, and what the store takes."""
        with told_as(SnapshotError):
            return await self.storage.get_storage_stats()

    async def should_create_snapshot(self, trigger: SnapshotTrigger | str) -> bool:
        """Whether a trigger is among those of the configuration."""
        return as_trigger(trigger) in self.config.triggers

    async def close(self) -> None:
        """Let go of what has become too old, if the configuration says so, and close the store."""

        def work() -> None:
            try:
                if self.config.cleanup_on_exit and self.storage.exists:
                    self.storage.let_go(self._old(None))
            finally:
                self.storage.close()

        with told_as(SnapshotError):
            await finished(work)

    async def __aenter__(self) -> SnapshotManager:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def note_failure(self, where: str, error: BaseException) -> None:
        """Have the next command of a person say what went wrong here."""
        message, hints = (error.message, error.hints) if isinstance(error, TakebackError) else (str(error), ())
        place = str(self.storage.base_path) if self.storage.exists else notices.make_spare()
        notices.note(place, where, message or type(error).__name__, hints)

    def _old(self, max_age_days: float | None) -> list[Listed]:
        days = self.config.auto_cleanup_days if max_age_days is None else max_age_days
        return retention.too_old(self.storage, days)

    def _keep_limits(self) -> None:
        """Let go of what is beyond the limits. The snapshot before has been made, whatever becomes of old ones."""
        try:
            large = retention.is_too_large(self.storage, self.config)
            self._dropped += len(self.storage.let_go(retention.beyond_limits(self.storage, self.config)))
            if large or self._dropped >= _FREED_AFTER:
                self._free()
        except TakebackError as error:
            logger.warning("old snapshots could not be let go: %s", error)
            self.note_failure("cua: old snapshots could not be let go", error)

    def _free(self) -> None:
        """Free what only snapshots needed that are gone."""
        self.storage.open().maintain()
        self._dropped = 0

    def _own(self, container: str) -> _Own:
        with self._guard:
            if container not in self._owned:
                self._owned[container] = _Own(self.provider.source(container, self.config))
            return self._owned[container]


class _Own:
    """What is kept of a container from one snapshot to the next; one at a time has it."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.messages = Messages()
        self._lock = threading.Lock()

    def __enter__(self) -> _Own:
        self._lock.acquire()
        return self

    def __exit__(self, *error: object) -> None:
        self._lock.release()
