"""Moves as blocks of code: ``with line.turn("fix the test"): …``, and the same with ``async with``.

An error that the block raises is what its caller gets, also if takeback cannot record the end: that is then a note on it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import TracebackType

from takeback.engine import processes
from takeback.model.snapshot import Snapshot

Save = Callable[..., Snapshot]


class Scope:
    """Opens a move on the way in and closes it on the way out, also when the block raises."""

    def __init__(
        self, save: Save, opens: str, closes: str, title: str, session: str, paths: tuple[str, ...], key: str
    ) -> None:
        self._save = save
        self._opens, self._closes = opens, closes
        self._level = closes.removeprefix("after_").removesuffix("_end")
        self._title, self._session, self._paths, self._key = title, session, paths, key
        self.opening: Snapshot | None = None
        self.closing: Snapshot | None = None

    def __enter__(self) -> Scope:
        self.opening = self._save(
            trigger=self._opens,
            session=self._session,
            title=self._title,
            paths=self._paths,
            key=self._key,
            agent=processes.ancestry(),
        )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self._close(None)
            return
        try:
            self._close({"error": repr(error)})
        except Exception as failure:
            error.add_note(f"takeback could not record that this {self._level} ended: {failure}")

    def _close(self, context: Mapping[str, str] | None) -> None:
        self.closing = self._save(
            trigger=self._closes,
            session=self._session,
            title=self._title,
            paths=self._paths,
            key=self._key,
            context=context,
        )

    async def __aenter__(self) -> Scope:
        import asyncio  # costs more than the rest of a command's start

        return await asyncio.to_thread(self.__enter__)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        import asyncio

        await asyncio.to_thread(self.__exit__, kind, error, trace)
