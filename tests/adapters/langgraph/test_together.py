"""Several threads, processes and tasks at once."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from support.langgraph_parts import put, thread, values
from takeback.adapters.langgraph import TakebackSaver

TESTS = Path(__file__).parents[2]


def test_threads_that_write_to_one_checkpoint_lose_nothing(saver: TakebackSaver) -> None:
    config = put(saver, {"a": 0})

    def write(number: int) -> None:
        saver.put_writes(config, [("a", number)], f"task {number:02}")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(40)))
    found = saver.get_tuple(config)
    assert found is not None
    assert [value for _, _, value in found.pending_writes or ()] == list(range(40))


def test_threads_that_put_checkpoints_of_one_thread_lose_nothing(saver: TakebackSaver) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: put(saver, {"a": number}, id=f"{number:02}"), range(40)))
    assert [each.checkpoint["channel_values"]["a"] for each in saver.list(thread())] == list(range(39, -1, -1))


def test_tasks_of_one_loop(saver: TakebackSaver) -> None:
    config = put(saver, {"a": 0})

    async def everything() -> int:
        await asyncio.gather(*(saver.aput_writes(config, [("a", number)], str(number)) for number in range(30)))
        found = await saver.aget_tuple(config)
        return len(found.pending_writes or ()) if found is not None else 0

    assert asyncio.run(everything()) == 30


def test_two_savers_of_one_store_see_what_the_other_wrote(saver: TakebackSaver, tmp_path: Path) -> None:
    with TakebackSaver(tmp_path / "store") as other:
        config = put(saver, {"a": 0}, id="0")
        for number in range(1, 10):
            mine, theirs = (saver, other) if number % 2 else (other, saver)
            assert values(theirs, thread()) == {"a": number - 1}
            mine.put_writes(config, [("a", number)], f"task {number}")
            config = put(mine, {"a": number}, config, id=str(number))
            assert values(theirs, config) == {"a": number}
            found = theirs.get_tuple(thread(checkpoint_ns="", checkpoint_id=str(number - 1)))
            assert found is not None and found.pending_writes == [(f"task {number}", "a", number)]
        other.delete_thread("t")
        assert saver.get_tuple(thread()) is None


def test_processes_that_work_on_the_same_threads_lose_nothing(saver: TakebackSaver, tmp_path: Path) -> None:
    config = put(saver, {"a": 0}, id="0")
    script = f"""
import multiprocessing
from support.langgraph_parts import put, thread
from takeback.adapters.langgraph import TakebackSaver

def work(me):
    with TakebackSaver({str(tmp_path / "store")!r}) as saver:
        for number in range(15):
            saver.put_writes({config!r}, [("a", number)], f"{{me}} {{number:02}}")
            put(saver, {{"a": number}}, id=f"{{me}}{{number:02}}")
            put(saver, {{"a": number}}, thread(me), id=f"{{number:02}}")

processes = [multiprocessing.get_context("fork").Process(target=work, args=name) for name in "pqr"]
for process in processes:
    process.start()
for process in processes:
    process.join()
    assert process.exitcode == 0
"""
    assert subprocess.run([sys.executable, "-c", script], cwd=TESTS).returncode == 0
    found = saver.get_tuple(config)
    assert found is not None and len(found.pending_writes or ()) == 45
    assert len(list(saver.list(thread()))) == 46
    for name in ("p", "q", "r"):
        assert len(list(saver.list(thread(name)))) == 15
    assert len(saver.store.timeline("langgraph/t").log().snapshots) == 1 + 45 + 45


def test_a_forked_child_goes_on_with_the_same_saver(saver: TakebackSaver) -> None:
    import os

    put(saver, {"a": 1}, id="1")
    child = os.fork()
    if child == 0:
        try:
            put(saver, {"a": 2}, id="2")
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    assert values(saver, thread()) == {"a": 2}


def test_without_langgraph_the_extra_is_named() -> None:
    script = "import sys; sys.modules['langgraph'] = None; import takeback.adapters.langgraph"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert run.returncode == 1
    assert "pip install 'takeback[langgraph]'" in run.stderr
