from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterable, Iterator

import pytest
from blake3 import blake3

from takeback.model.ids import BlobKind
from takeback.store.backends.memory import MemoryBackend
from takeback.store.packs.frames import FrameBuilder, Stored
from takeback.store.packs.pack import new_pack_id
from takeback.store.packs.packing import PackWriter
from takeback.store.packs.sealing import Sealer


@pytest.fixture
def heard() -> Iterator[threading.Event]:
    """Ctrl-C is heard once. One that comes just before somebody begins to wait does not wake them up: it has to come again."""
    once = threading.Event()

    def interrupt(*given: object) -> None:
        if not once.is_set():
            once.set()
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, interrupt)
    yield once
    signal.signal(signal.SIGINT, before)


def test_whoever_abandons_a_pack_after_a_ctrl_c_waits_until_nobody_writes_it(heard: threading.Event) -> None:
    gate = threading.Event()

    class Slow(MemoryBackend):
        written = False

        def put(self, name: str, chunks: Iterable[bytes]) -> int:
            size = super().put(name, chunks)
            while not heard.wait(0.05):
                os.kill(os.getpid(), signal.SIGINT)
            gate.wait()
            self.written = True
            return size

    backend, builder = Slow(), FrameBuilder()
    builder.add(blake3(b"data").digest(), Stored(BlobKind.DATA, b"data"))
    frame = builder.take()
    assert frame is not None
    pack = PackWriter(new_pack_id(), 1, backend, Sealer())
    pack.add(frame)
    with pytest.raises(KeyboardInterrupt):
        pack.finish()
    threading.Timer(0.2, gate.set).start()
    pack.abandon()
    assert backend.written
