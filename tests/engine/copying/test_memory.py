"""Memory stays bounded, however large what is copied is, or says it is. Each copy runs in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import takeback as tb
from support import campaigns, forged
from support.forged import Forgery, digest, make_pack, raw_tree
from support.memory import PEAK
from support.stores import noise
from takeback.model.ids import BlobKind
from takeback.store.packs.chunking import LARGEST
from takeback.store.packs.recipe import MOST_CHUNKS, Chunk, encode_recipe

LIMIT_MB = 300
LARGE = campaigns.size(1 << 29, 1 << 30)
"""A program with takeback loaded takes about 60."""

COPY = f"""{PEAK}
import sys
import takeback as tb
with tb.open(sys.argv[1]) as origin, tb.open(sys.argv[3]) as target:
    origin.export(sys.argv[2])
    copied = target.import_(sys.argv[2])
    print(copied.snapshots, copied.bytes)
print(peak_mb())
"""

REFUSE = f"""{PEAK}
import sys
import takeback as tb
with tb.open(sys.argv[1]) as target:
    for file in sys.argv[2:]:
        try:
            target.import_(file)
        except tb.Integrity:
            continue
        sys.exit(f"{{file}} was taken")
print(peak_mb())
"""


def _run(script: str, *arguments: str | Path) -> Sequence[int]:
    done = subprocess.run([sys.executable, "-c", script, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return [int(word) for word in done.stdout.split()]


@pytest.mark.campaign("large-workspaces")
def test_a_large_file_goes_through_a_file_in_bounded_memory(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    with (root / "large").open("wb") as file:
        for number in range(16):
            file.seek(number * LARGE // 16)
            file.write(noise(4 << 20, number))
        file.truncate(LARGE)
    for number in range(60):
        (root / f"small-{number}").write_bytes(noise(1_000_000, ("small", number)))
    with tb.open(tmp_path / "store") as store:
        store.timeline(sources=[tb.Workspace(root, max_file_size="1TiB")]).save()
    snapshots, moved, peak = _run(COPY, tmp_path / "store", tmp_path / "x", tmp_path / "other")
    assert snapshots == 1 and moved > LARGE
    assert peak < LIMIT_MB


def test_what_claims_to_be_without_end_is_refused_in_bounded_memory(tmp_path: Path) -> None:
    chunk, whole = b"c" * LARGEST, digest(b"a whole")
    most = [Chunk(digest(chunk), LARGEST)] * (MOST_CHUNKS // 4)

    def giant(kind: BlobKind, **more: object) -> Forgery:
        blobs = [(whole, int(BlobKind.RECIPE), encode_recipe(whole, kind, most)), (digest(chunk), 1, chunk)]
        return Forgery(blobs=blobs, **more)  # type: ignore[arg-type]

    made = {
        "tree": giant(BlobKind.TREE, tree=raw_tree([(b"d", b"d", 0o755, 0, whole)])),
        "manifest": giant(BlobKind.MANIFEST, rows={"snapshots": [(0, "manifest", whole.hex())]}),
        "history": giant(BlobKind.HISTORY, pages=lambda _: [whole]),
        "nested": Forgery(history=b"[" * (15 << 20)),
        "nested manifest": Forgery(manifest=lambda _: b"[" * (15 << 20)),
    }
    for name, forgery in made.items():
        forgery.write(tmp_path / name)
    bomb = make_pack([(whole, BlobKind.DATA, bytes(60 << 20))], raw_length=8)
    forged.write(tmp_path / "bomb", [bomb], [whole])
    (peak,) = _run(REFUSE, tmp_path / "target", *(tmp_path / name for name in (*made, "bomb")))
    assert peak < LIMIT_MB
    assert sum((tmp_path / name).stat().st_size for name in made) < 10 << 20
