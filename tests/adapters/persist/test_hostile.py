"""Files that an enemy made: a clear error, bounded memory, no code run."""

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

import takeback.adapters.persist as persist
from support import persist_files
from support.memory import PEAK
from takeback.adapters.persist import reading

pytest.importorskip("langchain_core")

MIB = 1 << 20


def forged(path: Path, state_text: str) -> Path:
    """A file whose hash is right, whatever its state says."""
    meta = json.dumps(persist_files.metadata(state_text))
    return persist_files.put(path, f'{{"metadata":{meta},"agent_state":{state_text}}}')


def refused(path: Path) -> str:
    """What restore says about it."""
    with pytest.raises(persist.PersistError) as caught:
        persist.restore(path, {"KEY": "the secret"})
    return caught.value.message


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("[", "]"),
        ('{"a":', "}"),
        ('[{"a":[', "]}]"),
        (
            '{"lc":1,"type":"constructor","id":["langchain","schema","messages","HumanMessage"],"kwargs":{"content":',
            "}}",
        ),
    ],
)
@pytest.mark.parametrize("times", [300, 5_000, 200_000])
def test_a_depth_bomb_is_refused(opening: str, closing: str, times: int, tmp_path: Path) -> None:
    assert "deep" in refused(forged(tmp_path / "a.json.gz", opening * times + "1" + closing * times))


def test_a_metadata_bomb_is_refused(tmp_path: Path) -> None:
    for value in ('"' + "x" * (8 * MIB) + '"', "[" * 100_000, "1" * 10_000, "{}", "null", '{"agent_id":[]}'):
        path = persist_files.put(tmp_path / "a.json.gz", f'{{"metadata":{value},"agent_state":1}}')
        for function in (persist.get_metadata, persist.verify_snapshot, persist.restore):
            with pytest.raises(persist.PersistIntegrityError):
                function(path)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        "{}",
        "{",
        '{"metadata"',
        '{"metadata":1,"metadata":2}',
        '{"agent_state":1}',
        '{"agent_state":1,}',
        '{"agent_state":1 2}',
        '{"agent_state":NaN,"metadata":{}}',
        '{"agent_state":' + "9" * 5000 + "}",
        '{"agent_state":' + "9" * 2_000_000 + "}",
        '{"agent_state":"' + "x" * 2_000_000,
        '{"agent_state":{"a":1,2:3}}',
        '{"agent_state":[' + "1," * 200_000,
        '{"agent_state":[' + "1," * 200_000 + "]}",
        '{"agent_state":{' + '"a":1,' * 100_000 + "}}",
        "{1:2}",
        " " * 1_000_000,
    ],
)
def test_text_that_is_no_snapshot_is_refused(text: str, tmp_path: Path) -> None:
    path = persist_files.put(tmp_path / "a.json.gz", text)
    for function in (persist.get_metadata, persist.verify_snapshot, persist.restore):
        with pytest.raises(persist.PersistIntegrityError):
            function(path)


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    path = persist_files.put(tmp_path / "a.json.gz", b'{"agent_state":"\xff\xfe"}')
    assert "UTF-8" in refused(path)


@pytest.mark.parametrize("dense", [False, True])
def test_a_bomb_takes_little_memory(dense: bool, tmp_path: Path) -> None:
    """A hundred kilobytes that stand for a hundred megabytes, of spaces or of empty lists."""
    piece = (b"[]," if dense else b"    ") * (MIB // 3)
    for name, stream in (
        ("gzip", zlib.compressobj(6, 8, 31)),
        ("zstd", zstandard.ZstdCompressor(level=1).compressobj()),
    ):
        with open(tmp_path / name, "wb") as out:
            out.write(
                stream.compress(b'{"metadata":%s,"agent_state":[' % json.dumps(persist_files.metadata("")).encode())
            )
            for _ in range(100):
                out.write(stream.compress(piece))
            out.write(stream.flush())
        script = PEAK + (
            "import sys, takeback.adapters.persist as persist\n"
            "before = peak_mb()\n"
            "for function in (persist.restore, persist.verify_snapshot):\n"
            "    try: function(sys.argv[1], max_size=64 << 20)\n"
            "    except persist.PersistConfigurationError as error: assert 'max_size' in str(error)\n"
            "    else: raise SystemExit('it was taken')\n"
            "assert persist.get_metadata(sys.argv[1])\n"
            "print(peak_mb() - before)"
        )
        done = subprocess.run([sys.executable, "-c", script, str(tmp_path / name)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert int(done.stdout) < 200


def node(*id: str, **kwargs: Any) -> dict[str, Any]:
    return {"lc": 1, "type": "constructor", "id": list(id), "kwargs": kwargs}


@pytest.mark.parametrize(
    "state",
    [
        node("os", "system", command="touch owned"),
        node("subprocess", "Popen", args=["touch", "owned"]),
        node("builtins", "eval"),
        node("langchain_core", "load", "load", "load"),
        node("langchain", "chat_models", "openai", "ChatOpenAI", base_url="http://enemy"),
        node(
            "langchain_classic", "memory", "chat_message_histories", "file", "FileChatMessageHistory", file_path="owned"
        ),
        node("langchain_classic", "chains", "conversation", "base", "os"),
        node("langchain_core", "language_models", "fake", "FakeListLLM", responses=["x"]),
        node(
            "langchain",
            "prompts",
            "prompt",
            "PromptTemplate",
            template="{{ x }}",
            template_format="jinja2",
            input_variables=[],
        ),
        [{"x": node("os", "system")}],
        node("langchain", "schema", "messages", "HumanMessage", content=node("os", "system", command="touch owned")),
        {"lc": 1, "type": "constructor", "id": [], "kwargs": {}},
        {"lc": 1, "type": "constructor", "id": ["os"], "kwargs": {}},
        {"lc": 1, "type": "constructor", "id": "os.system", "kwargs": {}},
        {"lc": 1, "type": "constructor", "id": [["os"], {}], "kwargs": {}},
        {"lc": 1, "type": "constructor", "id": ["os", "system"], "kwargs": []},
        {"lc": 1, "type": "not_implemented", "id": ["os", "system"]},
        {"lc": 1, "type": "not_implemented", "id": 7},
    ],
)
def test_no_class_comes_back_that_was_not_allowed(state: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for text in (persist_files.compact(state), json.dumps(persist_files.compact(state))):
        path = forged(tmp_path / "a.json.gz", text)
        if text[0] == '"' and not (isinstance(state, dict) and state.get("lc") == 1):
            continue  # a text, and no more
        with pytest.raises(persist.PersistError):
            persist.restore(path, allowed_objects="messages")
        with pytest.raises(persist.PersistError):
            persist.restore(path)
    assert not (tmp_path / "owned").exists()


def test_messages_alone_can_be_allowed(tmp_path: Path) -> None:
    message = node("langchain", "schema", "messages", "HumanMessage", content="hi")
    prompt = node("langchain", "prompts", "prompt", "PromptTemplate", template="{x}", input_variables=["x"])
    path = persist_files.write(tmp_path / "a.json.gz", [message])
    assert persist.restore(path, allowed_objects="messages")[0].content == "hi"
    path = persist_files.write(tmp_path / "a.json.gz", [prompt])
    with pytest.raises(persist.PersistConfigurationError, match="not allowed"):
        persist.restore(path, allowed_objects="messages")
    with pytest.raises(persist.PersistConfigurationError, match="cannot be 'everything'"):
        persist.restore(path, allowed_objects="everything")  # type: ignore[arg-type]


def test_a_template_that_could_run_code_is_refused_even_for_a_class_that_was_named(tmp_path: Path) -> None:
    from langchain_core.prompts import PromptTemplate

    template = node("langchain", "prompts", "prompt", "PromptTemplate", template="{{ x }}", template_format="jinja2")
    path = persist_files.write(tmp_path / "a.json.gz", template)
    for allowed in ("core", "all", [PromptTemplate]):
        with pytest.raises(persist.PersistConfigurationError, match="Jinja2 templates are not allowed"):
            persist.restore(path, allowed_objects=allowed)


@pytest.mark.parametrize(
    "state",
    [
        {"lc": 1, "type": "secret", "id": ["KEY"]},
        {"stolen": {"lc": 1, "type": "secret", "id": ["KEY"]}},
        node("langchain", "schema", "messages", "HumanMessage", content={"lc": 1, "type": "secret", "id": ["KEY"]}),
        node("langchain", "schema", "messages", "HumanMessage", content=[{"lc": 1, "type": "secret", "id": ["KEY"]}]),
        node(
            "langchain_classic",
            "memory",
            "simple",
            "SimpleMemory",
            memories={"x": {"lc": 1, "type": "secret", "id": ["KEY"]}},
        ),
        node(
            "langchain_classic",
            "memory",
            "buffer",
            "ConversationBufferMemory",
            ai_prefix={"lc": 1, "type": "secret", "id": ["KEY"]},
        ),
    ],
)
def test_a_secret_never_goes_into_a_message_or_into_data(state: Any, tmp_path: Path) -> None:
    pytest.importorskip("langchain_classic")
    assert "secret" in refused(persist_files.write(tmp_path / "a.json.gz", state))


def test_the_environment_is_never_asked_for_a_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME_SECRET", "leaked")
    path = persist_files.write(tmp_path / "a.json.gz", {"x": {"lc": 1, "type": "secret", "id": ["HOME_SECRET"]}})
    with pytest.raises(persist.PersistError):
        persist.restore(path)


def test_a_name_from_a_file_cannot_play_with_the_terminal(tmp_path: Path) -> None:
    message = refused(persist_files.write(tmp_path / "a.json.gz", node("a", "\x1b[2J" + "b" * 5000)))
    assert message.isprintable()
    assert len(message) < 500


def test_the_window_is_all_the_text_there_is_in_memory(tmp_path: Path) -> None:
    """A state of 100 MB is verified in a few."""
    path = tmp_path / "a.json.gz"
    text = "[" + ",".join(['{"content":"' + "word " * 400 + '"}'] * 50_000) + "]"
    forged(path, text)
    assert len(text) > 95 * MIB
    script = PEAK + (
        "import sys, takeback.adapters.persist as persist\n"
        "persist.get_metadata(sys.argv[1]); before = peak_mb()\n"
        "assert persist.verify_snapshot(sys.argv[1]) is True\n"
        "print(peak_mb() - before)"
    )
    done = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 20
    assert reading.WINDOW < MIB


def test_gzip_with_a_name_and_a_comment_in_its_header_is_read(tmp_path: Path) -> None:
    text = '{"a":1}'
    whole = f'{{"metadata":{json.dumps(persist_files.metadata(text))},"agent_state":{text}}}'
    with gzip.GzipFile(tmp_path / "a.json.gz", "wb") as out:
        out.write(whole.encode())
    assert persist.restore(tmp_path / "a.json.gz") == {"a": 1}
