"""claude-agent-sdk: a SessionStore that mirrors transcripts into timelines.

A session's transcripts, the main one and those of its subagents, are one part, and what is listed of it another, small one:
both change in the same save.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, cast
from urllib.parse import quote

from takeback.adapters.remembering import Remembered, Room, Where, finished, missing, plain
from takeback.engine.timeline import Timeline

try:
    from claude_agent_sdk import fold_session_summary
    from claude_agent_sdk.types import (
        SessionKey,
        SessionListSubkeysKey,
        SessionStore,
        SessionStoreEntry,
        SessionStoreListEntry,
        SessionSummaryEntry,
    )
except ImportError as error:
    raise missing("claude-agent-sdk", "claude-agent-sdk") from error

_FRAMEWORK = "claude-agent-sdk"
_MAIN = ""
"""The main transcript among those of the subagents, whose subpaths are never empty."""


class TakebackSessionStore(SessionStore):
    """All sessions: each on a timeline of its own in a store (by path, too), or all on one timeline."""

    def __init__(self, where: Where) -> None:
        self._room = Room(where, _FRAMEWORK)

    async def append(self, key: SessionKey, entries: list[SessionStoreEntry]) -> None:
        """Add what is new; an entry whose ``uuid`` is there already came before."""
        if not entries:
            return
        given = cast("list[SessionStoreEntry]", plain(entries, "entries"))
        new: list[SessionStoreEntry] = []

        def add(transcripts: dict[str, Any]) -> None:
            there = transcripts.setdefault(key.get("subpath") or _MAIN, [])
            known = {entry.get("uuid") for entry in there} - {None}
            new[:] = [entry for entry in given if entry.get("uuid") not in known]
            there.extend(new)

        def fold(summary: dict[str, Any]) -> None:
            if new and not key.get("subpath"):
                folded = fold_session_summary(cast("SessionSummaryEntry | None", summary or None), key, new)
                stamp = max(time.time_ns() // 1_000_000, summary.get("mtime", 0) + 1)
                summary.update(plain({**folded, "mtime": stamp}, "summary"))

        name = _name(key)
        await finished(self._transcripts(name).change(add, [(self._summary(name), fold)]))

    async def load(self, key: SessionKey) -> list[SessionStoreEntry] | None:
        subpath = key.get("subpath") or _MAIN
        return await finished(self._transcripts(_name(key)).now, lambda transcripts: transcripts.get(subpath))

    async def list_sessions(self, project_key: str) -> list[SessionStoreListEntry]:
        summaries = await self.list_session_summaries(project_key)
        return [{"session_id": each["session_id"], "mtime": each["mtime"]} for each in summaries]

    async def list_session_summaries(self, project_key: str) -> list[SessionSummaryEntry]:
        return await finished(lambda: list(self._summaries(project_key)))

    async def delete(self, key: SessionKey) -> None:
        """Forget a session, or one subagent's transcript; older snapshots still have it."""

        def remove(transcripts: dict[str, Any]) -> None:
            if subpath := key.get("subpath"):
                transcripts.pop(subpath, None)
            else:
                transcripts.clear()

        def forget(summary: dict[str, Any]) -> None:
            if not key.get("subpath"):
                summary.clear()

        name = _name(key)
        if await finished(self._transcripts(name).now, bool):
            await finished(self._transcripts(name).change(remove, [(self._summary(name), forget)]))

    async def list_subkeys(self, key: SessionListSubkeysKey) -> list[str]:
        found = await finished(self._transcripts(_name(key)).now, list)
        return [subpath for subpath in found if subpath != _MAIN]

    def line(self, key: SessionListSubkeysKey | SessionKey) -> Timeline:
        """The timeline that a session is on: to undo, restore, label or look back."""
        return self._transcripts(_name(key)).line

    def close(self) -> None:
        """Close the store, if it was given as a path."""
        self._room.close()

    def _transcripts(self, name: str) -> Remembered:
        return self._room.remembered(name, f"transcripts:{name}", dict)

    def _summary(self, name: str) -> Remembered:
        self._transcripts(name)  # which is to be captured first
        return self._room.remembered(name, f"summary:{name}", dict)

    def _summaries(self, project_key: str) -> Iterator[SessionSummaryEntry]:
        for name in self._room.sessions("summary", f"{quote(project_key, safe='')}/"):
            if summary := self._summary(name).now(lambda summary: summary):
                yield summary


def _name(key: SessionKey | SessionListSubkeysKey) -> str:
    return f"{quote(key['project_key'], safe='')}/{quote(key['session_id'], safe='')}"
