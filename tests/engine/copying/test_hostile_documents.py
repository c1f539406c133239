"""Made-up documents in an export: what leads on is bounded, and what is no document is refused."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import takeback as tb
from support import forged
from support.forged import Blob, Forgery, digest
from support.stores import noise
from takeback.documents.blobs import join
from takeback.engine.copying import wanted
from takeback.model.ids import BlobKind


def document(data: bytes) -> Blob:
    return digest(data), BlobKind.DOCUMENT, data


def with_memory(root: bytes, blobs: Sequence[Blob], kind: str = "state", **detail: Any) -> Forgery:
    """A snapshot with a memory whose root is these bytes."""

    def manifest(value: dict[str, Any]) -> None:
        value["parts"]["memory"] = {"kind": kind, "refs": {"content": digest(root).hex()}, "detail": detail}

    return Forgery(blobs=[*blobs, document(root)], manifest=manifest)


def refused(forgery: Forgery, tmp_path: Path, match: str, error: type[tb.TakebackError] = tb.Integrity) -> None:
    forgery.write(tmp_path / "x")
    with tb.open(tmp_path / "target") as target:
        with pytest.raises(error, match=match):
            target.import_(tmp_path / "x")
        assert target.timelines() == []
        assert target.verify(read_data=True).ok


def test_a_memory_of_documents_and_contents_of_any_size_is_taken(tmp_path: Path) -> None:
    content, huge = b"content", noise(200_000)
    leaf = join((), [digest(content), digest(huge)], b"leaf")
    root = join([digest(leaf), digest(leaf)], [digest(content)], b"root")
    data = [(digest(each), BlobKind.DATA, each) for each in (content, huge)]
    with_memory(root, [document(leaf), *data], pending=True, type="x").write(tmp_path / "x")
    with tb.open(tmp_path / "target") as target:
        target.import_(tmp_path / "x")
        assert target.verify(read_data=True).ok
        shown = target.timeline(root=forged.ROOT).show("@")
        assert shown.parts["memory"].content == digest(root) and shown.parts["memory"].pending


@pytest.mark.parametrize(
    "root",
    [
        b"",
        b"D1",
        b"{}",
        struct.pack("<2sII", b"D2", 0, 0),
        struct.pack("<2sII", b"D1", 1, 0) + bytes(31),
        struct.pack("<2sII", b"D1", 0xFFFFFFFF, 0xFFFFFFFF) + bytes(64),
    ],
)
def test_what_is_no_document_is_refused(tmp_path: Path, root: bytes) -> None:
    refused(with_memory(root, []), tmp_path, "a document")


def test_documents_that_are_not_there_are_refused(tmp_path: Path) -> None:
    refused(with_memory(join([bytes(32)], (), b""), []), tmp_path, "not in the store")


def test_contents_that_are_not_there_are_refused(tmp_path: Path) -> None:
    refused(with_memory(join((), [bytes(32)], b""), []), tmp_path, "not in the store")


def test_a_content_is_no_document_that_leads_on(tmp_path: Path) -> None:
    """It is data, whatever its bytes say."""
    content = join([bytes(32)], (), b"leads nowhere")
    root = join((), [digest(content)], b"")
    with_memory(root, [(digest(content), BlobKind.DATA, content)]).write(tmp_path / "x")
    with tb.open(tmp_path / "target") as target:
        target.import_(tmp_path / "x")
        assert target.verify(read_data=True).ok


def test_documents_that_unfold_without_end_are_refused(tmp_path: Path) -> None:
    data, blobs = join((), (), b"leaf"), []
    for _ in range(60):
        blobs.append(document(data))
        data = join([digest(data)] * 2, (), b"")
    refused(with_memory(data, blobs), tmp_path, "unfolds to more")


def test_documents_that_are_deeper_than_any_value_are_refused(tmp_path: Path) -> None:
    data, blobs = join((), (), b"leaf"), []
    for _ in range(wanted._DEEPEST + 2):
        blobs.append(document(data))
        data = join([digest(data)], (), b"")
    refused(with_memory(data, blobs), tmp_path, "deeper")


def test_an_unknown_kind_is_refused(tmp_path: Path) -> None:
    root = join((), (), b"x")
    refused(with_memory(root, [], kind="hologram"), tmp_path, "of the kind 'hologram'", tb.Unavailable)


@pytest.mark.parametrize(
    "detail", [{"pending": "yes"}, {"pending": 1, "held": [1]}, {"held": 7, "size": -1, "type": 3}]
)
def test_whatever_a_part_says_of_itself_does_no_harm(tmp_path: Path, detail: dict[str, Any]) -> None:
    root = join((), (), b"\xc0")
    with_memory(root, [], **detail).write(tmp_path / "x")
    with tb.open(tmp_path / "target") as target:
        target.import_(tmp_path / "x")
        part = target.timeline(root=forged.ROOT).show("@").parts["memory"]
        assert not part.pending and not part.purged
