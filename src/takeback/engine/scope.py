"""Moves as blocks of code: ``with line.turn("fix the test"): …``, and the same with ``async with``."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType

from takeback.model.snapshot import Snapshot

Save = Callable[..., Snapshot]


class Scope:
    """Opens a move on the way in and closes it on the way out, also when the block raises."""

    def __init__(
        self, save: Save, opens: str, closes: str, title: str, session: str, paths: tuple[str, ...], key: str
    ) -> None:
        self._save = save
        self._opens, self._closes = opens, closes
        self._title, self._session, self._paths, self._key = title, session, paths, key
        self.opening: Snapshot | None = None
        self.closing: Snapshot | None = None

    def __enter__(self) -> Scope:
        self.opening = self._save(
            trigger=self._opens, session=self._session, title=self._title, paths=self._paths, key=self._key
        )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        context = {"error": repr(error)} if error is not None else None
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
