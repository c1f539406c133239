"""What a snapshot lacks by choice is not absent from the world: the guard says which paths that concerns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from takeback.errors import Integrity
from takeback.model.ids import BlobKind
from takeback.model.snapshot import NotCaptured, Part
from takeback.model.tree import encode_tree, name_text
from takeback.sources.workspace.guard import Guard, decode_ignored, encode_ignored
from takeback.sources.workspace.ignore import RulesRecord
from takeback.sources.workspace.ignore.texts import DEFAULTS, GIT_IGNORE, Patterns, Text
from takeback.store.blobstore import open_memory
from takeback.store.writer import Writer

MakeGuard = Callable[..., Guard]


@pytest.fixture
def writer() -> Iterator[Writer]:
    with open_memory() as store, store.writer() as writer:
        yield writer


@pytest.fixture
def make_guard(writer: Writer) -> MakeGuard:
    def make(ignored: Iterable[str] = (), left_out: Iterable[NotCaptured] = (), rules: Iterable[Text] = ()) -> Guard:
        record = RulesRecord("", Patterns(), False, tuple(sorted(rules)))
        refs = {
            "content": writer.put(encode_tree({}), BlobKind.TREE),
            "rules": writer.put(record.encode(), BlobKind.DOCUMENT),
        }
        if ignored:
            refs["ignored"] = writer.put(encode_ignored((path, 0) for path in ignored), BlobKind.DOCUMENT)
        return Guard(writer.reader, Part("workspace", "workspace", refs, {}, tuple(left_out)))

    return make


def test_without_anything_left_out_absence_is_absence(make_guard: MakeGuard) -> None:
    guard = make_guard()
    assert guard.stands_uncaptured("a/b") == ""
    assert guard.absent_by_choice("a/b", False) == ""
    assert guard.holders() == set()


def test_what_was_not_captured_stands_with_all_that_is_below_it(make_guard: MakeGuard) -> None:
    guard = make_guard(left_out=[NotCaptured("a/big", "too large"), NotCaptured("locked", "unreadable")])
    assert guard.stands_uncaptured("a/big") == "too large"
    assert guard.stands_uncaptured("locked/deep/inside") == "unreadable"
    assert guard.stands_uncaptured("a") == ""
    assert guard.stands_uncaptured("a/bigger") == ""
    assert "too large" in guard.absent_by_choice("a/big", False)
    assert guard.holders() == {"a"}


def test_a_file_that_only_lost_its_setuid_bit_is_captured(make_guard: MakeGuard) -> None:
    guard = make_guard(left_out=[NotCaptured("a/tool", "setuid")])
    assert guard.stands_uncaptured("a/tool") == ""
    assert guard.absent_by_choice("a/tool", False) == ""
    assert guard.holders() == set()


def test_ignored_files_and_directories_stand(make_guard: MakeGuard) -> None:
    guard = make_guard(ignored=["a/x.log", "deep/er/node_modules/"])
    assert guard.stands_uncaptured("a/x.log") == "ignored"
    assert guard.stands_uncaptured("deep/er/node_modules") == "ignored"
    assert guard.stands_uncaptured("deep/er/node_modules/lib/index.js") == "ignored"
    assert guard.stands_uncaptured("a/x.lo") == guard.stands_uncaptured("deep/er") == ""
    assert guard.holders() == {"a", "deep", "deep/er"}


def test_what_would_have_been_ignored_then_is_not_absent_although_nobody_saw_it(make_guard: MakeGuard) -> None:
    rules = [
        Text("", GIT_IGNORE, b"*.log\nbuild/\n"),
        Text("sub/", GIT_IGNORE, b".env\n"),
        Text("", DEFAULTS, b"out/\n"),
    ]
    guard = make_guard(rules=rules)
    for path, is_directory in [("x.log", False), ("a/b.log", False), ("build", True), ("build/x", False), ("sub/.env", False), ("out/a/b", False)]:  # fmt: skip
        assert "ignored" in guard.absent_by_choice(path, is_directory)
        assert guard.stands_uncaptured(path) == ""
    for path, is_directory in [("x.txt", False), ("build", False), (".env", False), ("sub/env", False)]:
        assert guard.absent_by_choice(path, is_directory) == ""


@pytest.mark.parametrize("path", [".git", ".git/config", "sub/.git/HEAD", ".GIT", ".takeback-stage-0011223344556677/1"])
def test_what_is_never_captured_is_never_absent(make_guard: MakeGuard, path: str) -> None:
    assert "ignored" in make_guard().absent_by_choice(path, False)


@given(st.dictionaries(st.binary(min_size=1).map(name_text), st.integers(min_value=0)))
def test_ignored_paths_come_back_whatever_bytes_they_are(listed: dict[str, int]) -> None:
    assert decode_ignored(encode_ignored(listed.items())) == listed
    assert encode_ignored(reversed(listed.items())) == encode_ignored(listed.items())


@given(st.binary())
def test_other_bytes_are_no_list_of_ignored_paths(data: bytes) -> None:
    try:
        assert all(isinstance(path, str) for path in decode_ignored(data))
    except Integrity:
        pass


@pytest.mark.parametrize(
    "data", [b"", b"1", b"[1]", b'"a"', b"[", b"\xff", b"[[]]", b'[["a"]]', b'[["a","b"]]', b"[[[],1]]", b"[" * 100_000]
)
def test_a_damaged_list_of_ignored_paths_is_refused(data: bytes) -> None:
    with pytest.raises(Integrity):
        decode_ignored(data)
