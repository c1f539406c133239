"""The file: Persist's layout, Persist's hash, and what takeback adds to it."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

import takeback.adapters.persist as persist
from support import persist_files
from support.memory import PEAK
from takeback.adapters.persist import layout

STATE: dict[str, Any] = {
    "b": [1, 2.5, None, True],
    "a": {"text": 'grüße " \\ \n \x7f \u2028', "lc": 2},
    "empty": [{}, []],
}

DATA = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=5) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner)
    ),
    max_leaves=20,
)


@pytest.mark.parametrize("name", ["a.json.gz", "a.json.zst"])
@given(state=DATA)
@settings(max_examples=60, deadline=None)
def test_plain_data_comes_back_as_it_was(name: str, state: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("data") / name
    persist.snapshot(state, path)
    assert persist.verify_snapshot(path) is True
    found = persist.restore(path)
    assert found == state
    assert repr(found) == repr(state), "the order of keys, the type of numbers and the sign of zero, too"


@given(state=st.dictionaries(st.sampled_from(["lc", "type", "id", "kwargs", "__lc_escaped__"]), DATA))
@settings(max_examples=60, deadline=None)
def test_dicts_that_look_like_langchains_stay_data(state: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("data") / "a.json.gz"
    evil = {"lc": 1, "type": "constructor", "id": ["os", "system"], "kwargs": {"command": "true"}}
    persist.snapshot([state, {"__lc_escaped__": evil}, evil, {"lc": 1, "type": "secret", "id": ["KEY"]}], path)
    assert persist.restore(path, {"KEY": "leaked"}) == [
        state,
        {"__lc_escaped__": evil},
        evil,
        {"lc": 1, "type": "secret", "id": ["KEY"]},
    ]


def test_what_is_written_is_what_persist_reads(tmp_path: Path) -> None:
    path = tmp_path / "agent.json.gz"
    persist.snapshot(STATE, path, agent_id="a", description="d")
    state = persist_files.persist_accepts(path)
    assert state["b"] == STATE["b"]
    one = zlib.decompressobj(31)
    one.decompress(path.read_bytes())
    assert one.eof and not one.unused_data, "Persist reads the first gzip member only"


FLOATS = [1e16, -1e16, 1.5e300, 1e-5, -1.25e-5, 1e-6, 1.5e-7, 1e15, 1e22, 0.0001, 5e-324, 0.1, 100.0, -0.0]
AS_PERSIST = "1e16,-1e16,1.5e300,0.00001,-0.0000125,1e-6,1.5e-7,1000000000000000.0,1e22,0.0001,5e-324,0.1,100.0,-0.0"


def test_floats_are_written_as_persist_writes_them(tmp_path: Path) -> None:
    path = tmp_path / "agent.json.gz"
    persist.snapshot([*FLOATS, "1e+16 in a text", 'and "1e-05"'], path)
    text = persist_files.text_of(path)
    assert f'"agent_state":[{AS_PERSIST},"1e+16 in a text","and \\"1e-05\\""]' in text
    assert persist.restore(path)[: len(FLOATS)] == FLOATS


def test_the_sizes_are_true(tmp_path: Path) -> None:
    for name in ("a.json.gz", "a.json.zst"):
        path = tmp_path / name
        persist.snapshot(STATE, path)
        found = persist.get_metadata(path)
        assert found["compressed_size"] == path.stat().st_size
        assert found["uncompressed_size"] == len(
            persist_files.compact({**STATE, "a": {"__lc_escaped__": STATE["a"]}}).encode()
        )
    theirs = persist_files.write(tmp_path / "theirs.json.gz", STATE)
    assert persist.get_metadata(theirs)["compressed_size"] == theirs.stat().st_size


def test_the_name_chooses_the_compression_and_the_bytes_say_it(tmp_path: Path) -> None:
    for name, algorithm in (("a.json.gz", "gzip"), ("a.json.zst", "zstd"), ("a.json", "gzip"), ("a", "gzip")):
        persist.snapshot(STATE, tmp_path / name)
        assert persist.get_metadata(tmp_path / name)["compression_algorithm"] == algorithm
        (tmp_path / name).rename(tmp_path / "other.txt")
        assert persist.restore(tmp_path / "other.txt") == STATE
    persist.snapshot(STATE, tmp_path / "a.json.zst")
    assert json.loads(zstandard.ZstdDecompressor().decompressobj().decompress((tmp_path / "a.json.zst").read_bytes()))


def test_a_file_by_persist_is_read_and_verified(tmp_path: Path) -> None:
    path = persist_files.write(tmp_path / "agent.json.gz", {"z": [1e16, 0.00001], "a": "é", "lc": 2})
    assert persist.verify_snapshot(path) is True
    assert persist.restore(path) == {"a": "é", "lc": 2, "z": [1e16, 0.00001]}
    assert persist.get_metadata(path)["timestamp"] == "2025-07-08T02:11:15.123456789Z"


def test_persists_own_way_of_writing_floats_verifies(tmp_path: Path) -> None:
    text = f'{{"a":[{AS_PERSIST}]}}'
    whole = f'{{"metadata":{json.dumps(persist_files.metadata(text))},"agent_state":{text}}}'
    assert persist.restore(persist_files.put(tmp_path / "a.json.gz", whole)) == {"a": FLOATS}


def test_the_same_content_in_another_layout_is_sound(tmp_path: Path) -> None:
    """Somebody's own program wrote the file again: with spaces, the state first, or as LangChain's one string."""
    meta = persist_files.metadata(persist_files.compact(STATE))
    for whole in ({"agent_state": STATE, "metadata": meta}, {"metadata": meta, "more": [1], "agent_state": STATE}):
        path = persist_files.put(tmp_path / "a.json.gz", json.dumps(whole, indent=2))
        assert persist.verify_snapshot(path) is True
        assert persist.restore(path) == STATE
        assert persist.get_metadata(path)["agent_id"] == "conversation_agent"


def test_metadata_is_read_without_the_state(tmp_path: Path) -> None:
    path = tmp_path / "agent.json.gz"
    persist.snapshot(["x" * 5_000_000], path, description="first")
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    assert persist.get_metadata(path)["description"] == "first"
    with pytest.raises(persist.PersistIntegrityError):
        persist.verify_snapshot(path)


def test_a_newer_format_is_unavailable_not_damaged(tmp_path: Path) -> None:
    path = persist_files.write(tmp_path / "a.json.gz", {}, format_version=2)
    for function in (persist.restore, persist.verify_snapshot, persist.get_metadata):
        with pytest.raises(persist.PersistUnavailableError, match="newer"):
            function(path)


def test_a_large_state_is_read_in_pieces_as_it_was_written(tmp_path: Path) -> None:
    """Larger than the window everywhere: a long list, a long text, deep inside."""
    state = {
        "deep": [{"list": [[n, str(n) * 5, {"n": n / 7}] for n in range(20_000)]}, "y" * 2_000_000, {}],
        "end": [[]],
    }
    for name in ("a.json.gz", "a.json.zst"):
        persist.snapshot(state, tmp_path / name)
        assert persist.verify_snapshot(tmp_path / name) is True
        assert persist.restore(tmp_path / name) == state
    assert persist_files.persist_accepts(tmp_path / "a.json.gz") == state
    with gzip.open(tmp_path / "b.json.gz", "wt") as out:
        json.dump(
            {"metadata": persist_files.metadata(persist_files.compact(state)), "agent_state": state}, out, indent=1
        )
    assert persist.restore(tmp_path / "b.json.gz") == state


def test_only_snapshots_look_like_snapshots(tmp_path: Path) -> None:
    persist.snapshot(STATE, tmp_path / "a.json.gz")
    assert layout.is_snapshot(str(tmp_path / "a.json.gz"))
    for content in (b"", b"text", gzip.compress(b""), gzip.compress(b"[]"), gzip.compress(b'{"other":1}')):
        (tmp_path / "b").write_bytes(content)
        assert not layout.is_snapshot(str(tmp_path / "b"))
    assert not layout.is_snapshot(str(tmp_path))
    assert not layout.is_snapshot(str(tmp_path / "nope"))


def test_a_snapshot_of_much_text_takes_little_memory_beside_it(tmp_path: Path) -> None:
    script = PEAK + (
        "import sys, takeback.adapters.persist as persist\n"
        "agent = [{'role': 'user', 'content': f'{n} ' + 'word ' * 400, 'n': [n, {}]} for n in range(30_000)]\n"
        "persist.snapshot(agent[:10], sys.argv[1]); before = peak_mb()\n"
        "persist.snapshot(agent, sys.argv[1])\n"
        "assert persist.get_metadata(sys.argv[1])['uncompressed_size'] > 60_000_000\n"
        "print(peak_mb() - before)"
    )
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path / "a.json.gz")], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 40, "the text has 60"
