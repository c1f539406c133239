"""An agent's steps as LangGraph saves them: a checkpoint that holds the whole conversation, then what the next node wrote."""

from __future__ import annotations

import random
import string
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langgraph.checkpoint.base.id import uuid6

from bench.measure import alternating, seconds
from bench.peers.sqlite_saver import close_saver, open_saver
from bench.rows import Row, against
from bench.trees import size
from takeback.adapters.langgraph import TakebackSaver

PEER = "SqliteSaver"
LENGTH = 1000
"""Characters of a message."""
BYTES = {200: 1 / 15, 800: 1 / 60}
LATEST = {"configurable": {"thread_id": "agent", "checkpoint_ns": ""}}
GETS = 11


class Kind(NamedTuple):
    open: Callable[[Path], Any]
    close: Callable[[Any], None]


KINDS = {"takeback": Kind(TakebackSaver, TakebackSaver.close), PEER: Kind(open_saver, close_saver)}


class Party:
    """One saver on a store of its own."""

    def __init__(self, kind: Kind, place: Path) -> None:
        self.kind = kind
        self.place = place
        self.saver = kind.open(place)
        self._config: Any = LATEST
        self._version: Any = None

    def put(self, messages: list[BaseMessage], step: int) -> float:
        self._version = version = self.saver.get_next_version(self._version, None)
        checkpoint = {
            "v": 4,
            "id": str(uuid6(clock_seq=step)),
            "ts": datetime.now(UTC).isoformat(),
            "channel_values": {"messages": messages},
            "channel_versions": {"messages": version, "__start__": 1, "branch:to:agent": version},
            "versions_seen": {"__input__": {}, "agent": {"branch:to:agent": version}},
            "updated_channels": ["messages"],
        }
        metadata = {"source": "loop", "step": step, "parents": {}}

        def put() -> None:
            self._config = self.saver.put(self._config, checkpoint, metadata, {"messages": version})

        return seconds(put)

    def write(self, message: BaseMessage) -> float:
        return seconds(lambda: self.saver.put_writes(self._config, [("messages", [message])], str(uuid6())))

    def get(self) -> float:
        return seconds(lambda: self.saver.get_tuple(LATEST))

    def get_anew(self) -> float:
        """By somebody who has just opened the store."""
        saver = self.kind.open(self.place)
        took = seconds(lambda: saver.get_tuple(LATEST))
        self.kind.close(saver)
        return took

    def check(self, messages: list[BaseMessage]) -> None:
        if self.saver.get_tuple(LATEST).checkpoint["channel_values"]["messages"] != messages:
            raise RuntimeError("the conversation did not come back as it was")


def measure(base: Path, steps: int) -> list[Row]:
    parties = {name: Party(kind, base / str(steps) / name) for name, kind in KINDS.items()}
    puts: dict[str, list[float]] = {name: [] for name in parties}
    both: dict[str, list[float]] = {name: [] for name in parties}
    texts = _texts()
    messages: list[BaseMessage] = []
    for step, order in alternating(parties, steps):
        message = (AIMessage if step % 2 else HumanMessage)(content=texts(), id=str(uuid6()))
        messages = [*messages, message]
        for name, party in order:
            puts[name].append(party.put(messages, step))
            both[name].append(puts[name][-1] + party.write(message))
    gets: dict[str, list[float]] = {name: [] for name in parties}
    anew: dict[str, list[float]] = {name: [] for name in parties}
    for _, order in alternating(parties, GETS):
        for name, party in order:
            party.check(messages)
            gets[name].append(party.get())
            anew[name].append(party.get_anew())
    parties["takeback"].saver.store.maintain()
    for party in parties.values():
        party.kind.close(party.saver)
    sizes = {name: [float(size(party.place))] for name, party in parties.items()}
    after = f"{steps} agent steps"
    wanted = 2.0 if steps >= 800 else None
    return [
        *against(f"bytes after {after}", "B", sizes, {PEER: BYTES.get(steps)}, "after maintain"),
        *against(f"put of a checkpoint, {after}", "s", puts, {PEER: 1.0}, "the same durability"),
        *against(f"put and put_writes, {after}", "s", both, {PEER: None}),
        *against(f"get of the latest checkpoint after {after}", "s", gets, {PEER: wanted}),
        *against(f"the same from a store just opened, {after}", "s", anew, {PEER: wanted}),
    ]


def _texts() -> Callable[[], str]:
    chance = random.Random("agent steps")
    words = ["".join(chance.choices(string.ascii_lowercase, k=chance.randint(2, 9))) for _ in range(3000)]
    return lambda: " ".join(chance.choices(words, k=LENGTH // 4))[:LENGTH]
