from __future__ import annotations

import takeback as tb
from takeback.engine.candidates import Wish, candidates


def test_all_moves_are_tried_newest_first_and_no_transaction_stays_open_meanwhile() -> None:
    memory: list[int] = []
    with tb.open(":memory:") as store:
        line = store.timeline("agent", sources=[tb.State("memory", memory)])
        for number in range(100):
            with line.turn(str(number)):
                memory.append(number)
        found = []
        for moves, _ in candidates(line._line, Wish()):
            with store.blobs.database.write():
                found += [move.title for move in moves]
        assert found == [str(number) for number in reversed(range(100))]
