"""pydantic-ai: message histories, and whole conversations behind its ConversationStore, on a timeline.

Messages are kept in the form of ``ModelMessagesTypeAdapter``, which is pydantic-ai's own for storing them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from takeback.adapters.remembering import Room, Where, finished, missing, plain
from takeback.engine.references import Reference
from takeback.engine.timeline import Timeline

try:
    from pydantic import TypeAdapter
    from pydantic_ai.conversation_store import (
        ConversationConflict,
        ConversationEntry,
        ConversationRecord,
        ConversationStore,
    )
    from pydantic_ai.messages import ModelMessage, ModelMessagesTypeAdapter
except ImportError as error:
    raise missing("pydantic-ai-slim", "pydantic-ai") from error

_RECORD: TypeAdapter[ConversationRecord] = TypeAdapter(ConversationRecord)


class TakebackMessages:
    """The messages of one conversation, for ``agent.run(…, message_history=await messages.load())``."""

    def __init__(self, conversation: str, where: Where) -> None:
        self._room = Room(where, "pydantic-ai")
        self._messages = self._room.remembered(conversation, f"messages:{conversation}", list)

    @property
    def line(self) -> Timeline:
        """The timeline that they are on: to undo, restore, label or look back."""
        return self._messages.line

    async def load(self) -> list[ModelMessage]:
        return _messages(await finished(self._messages.now, lambda messages: messages))

    async def load_from(self, reference: Reference) -> list[ModelMessage]:
        """As another snapshot has them; the timeline stays as it is."""
        return _messages(await finished(self.line.value, reference, self._messages.name))

    async def save(self, messages: Sequence[ModelMessage]) -> None:
        """Keep these, ``result.all_messages()``, instead of what was there; what both have is stored once."""
        new = _plain(messages)

        def replace(there: list[Any]) -> None:
            there[:] = new

        await finished(self._messages.change(replace))

    def close(self) -> None:
        """Close the store, if it was given as a path."""
        self._room.close()


class TakebackConversationStore(ConversationStore):
    """Every conversation of an application, as one part: they may share entries, so they move together.

    `delete` removes the entries that no other conversation's history reaches; older snapshots still have them.
    """

    def __init__(self, where: Where, part: str = "conversations") -> None:
        self._room = Room(where, "pydantic-ai")
        self._kept = self._room.remembered(part, part, lambda: {"records": {}, "entries": {}})

    @property
    def line(self) -> Timeline:
        """The timeline that they are on: to undo, restore, label or look back."""
        return self._kept.line

    async def read_record(self, conversation_id: str) -> ConversationRecord | None:
        found = await finished(self._kept.now, lambda kept: kept["records"].get(conversation_id))
        return None if found is None else _RECORD.validate_python(found)

    async def read_records(self, *, scope: str | None = None, limit: int | None = None) -> Sequence[ConversationRecord]:
        every = await finished(self._kept.now, lambda kept: list(kept["records"].values()))
        records = [_RECORD.validate_python(each) for each in every if scope is None or each["scope"] == scope]
        return sorted(records, key=lambda record: record.updated_at, reverse=True)[:limit]

    async def write_record(
        self,
        record: ConversationRecord,
        *,
        new_entries: Sequence[ConversationEntry] = (),
        expected_revision: str | None,
    ) -> None:
        id, document = record.conversation_id, plain(_RECORD.dump_python(record, mode="json"), "record")
        entries = {
            entry.id: {"parent_id": entry.parent_id, "message": _plain([entry.message])[0]} for entry in new_entries
        }

        def write(kept: dict[str, Any]) -> None:
            _check_revision(kept, id, expected_revision)
            if record.head_id is not None and record.head_id not in kept["entries"] and record.head_id not in entries:
                raise ConversationConflict(id)
            kept["entries"].update(entries)
            kept["records"][id] = document

        await finished(self._kept.change(write))

    async def delete_record(self, conversation_id: str, *, expected_revision: str) -> None:
        def delete(kept: dict[str, Any]) -> None:
            _check_revision(kept, conversation_id, expected_revision)
            del kept["records"][conversation_id]
            reached: set[str] = set()
            for record in kept["records"].values():
                for at in (record["head_id"], *record["branches"]):
                    while at is not None and at not in reached:
                        reached.add(at)
                        at = kept["entries"][at]["parent_id"]
            kept["entries"] = {id: entry for id, entry in kept["entries"].items() if id in reached}

        await finished(self._kept.change(delete))

    async def read_entry(self, entry_id: str) -> ConversationEntry:
        return (await finished(self._kept.now, lambda kept: _entries(kept, entry_id, 1)))[0]

    async def read_history(self, head_id: str | None, *, limit: int | None = None) -> list[ConversationEntry]:
        return await finished(self._kept.now, lambda kept: _entries(kept, head_id, limit))

    def close(self) -> None:
        """Close the store, if it was given as a path."""
        self._room.close()


def _check_revision(kept: dict[str, Any], id: str, expected: str | None) -> None:
    if kept["records"].get(id, {"revision": None})["revision"] != expected:
        raise ConversationConflict(id)


def _entries(kept: dict[str, Any], head: str | None, limit: int | None) -> list[ConversationEntry]:
    """The newest entries of a history, in order; KeyError if one of them is not there."""
    found: list[tuple[str, Any]] = []
    while head is not None and (limit is None or len(found) < limit):
        found.append((head, kept["entries"][head]))
        head = found[-1][1]["parent_id"]
    found.reverse()
    messages = _messages([entry["message"] for _, entry in found])
    return [
        ConversationEntry(id=id, parent_id=entry["parent_id"], message=message)
        for (id, entry), message in zip(found, messages, strict=True)
    ]


def _plain(messages: Sequence[ModelMessage]) -> list[Any]:
    kept: list[Any] = plain(ModelMessagesTypeAdapter.dump_python(list(messages), mode="json"), "messages")
    return kept


def _messages(kept: list[Any]) -> list[ModelMessage]:
    return ModelMessagesTypeAdapter.validate_python(kept)
