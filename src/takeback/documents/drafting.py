"""The blobs of a document in the making: what is long is cut, put and led to; what was put before is referred to.

What a value is, is nobody's business here; `takeback.documents.encoding` says it, and gives elements as bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import compress, count
from typing import Any, TypeVar

from takeback.documents.blobs import HEAD, Writes, join
from takeback.documents.paths import Step
from takeback.documents.plain import pack
from takeback.documents.recalling import Content, Cut, Leaf, Recall, cut_again
from takeback.documents.splitting import index, leaves
from takeback.documents.tags import (
    A_BYTES,
    A_DICT,
    A_FROZENSET,
    A_LIST,
    A_MAP,
    A_SET,
    A_STRING,
    A_SURROGATE_STRING,
    A_TUPLE,
    EACH,
    FROZENSET,
    INLINE,
    INTEGER,
    LONG,
    LONGEST,
    MAP,
    ROOM,
    SET,
    SPLIT,
    TEXT,
    TUPLE,
    array,
    extension,
    mapping,
)
from takeback.errors import InvalidInput
from takeback.model.ids import BlobKind

T = TypeVar("T")
_WRAPPED = {A_TUPLE: TUPLE, A_MAP: MAP, A_SET: SET, A_FROZENSET: FROZENSET}


class Draft:
    """``_documents`` and ``_contents`` are what the blob in the making leads to, in order."""

    def __init__(self, writes: Writes, name: str, before: Recall, there: bool) -> None:
        self._writes = writes
        self._before = before
        self._there = there
        self._recall = Recall()
        self._path: list[Step] = [name]
        self._size = 0
        self._room = ROOM
        self._documents: list[bytes] = []
        self._contents: list[bytes] = []
        self._ties = 0
        """How often something was written that means something only in this document: a shared object, a hole."""

    def _put_blob(self, body: bytes) -> bytes:
        data = join(self._documents, self._contents, body)
        self._spend(len(data) + EACH)
        self._size += len(data)
        return self._writes.put(data, BlobKind.DOCUMENT)

    def _spend(self, size: int) -> None:
        """Take some of the room, as whoever reads it will."""
        self._room -= size
        if self._room < 0:
            raise InvalidInput(
                f"{self._path[0]} is more than the {ROOM >> 20} MiB that one state may have, long strings aside",
                hints=["save its parts as several states"],
            )

    def _put_index(self, ids: Sequence[bytes]) -> bytes:
        self._documents, self._contents = list(ids), []
        return self._put_blob(b"")

    def _scalar(self, value: Any) -> bytes:
        kind = type(value)
        if kind is str:
            return self._string(value)
        if kind is bytes:
            return self._long(A_BYTES, value, value) if len(value) > LONGEST else pack(value)
        if kind is int and not -(1 << 63) <= value < 1 << 64:
            return extension(
                INTEGER, value.to_bytes(((value if value >= 0 else ~value).bit_length() >> 3) + 1, signed=True)
            )
        return pack(value)

    def _string(self, value: str) -> bytes:
        try:
            if len(value) <= LONGEST >> 2:
                return pack(value)
            if (known := self._written(value)) is not None:
                return self._taken(known)
            data = value.encode()
        except UnicodeEncodeError:
            data = value.encode("utf-8", "surrogatepass")
            return extension(TEXT, data) if len(data) <= LONGEST else self._long(A_SURROGATE_STRING, value, data)
        return pack(value) if len(data) <= LONGEST else self._long(A_STRING, value, data)

    def _long(self, what: int, value: str | bytes, data: bytes) -> bytes:
        known = self._written(value)
        return self._taken(known or Content(value, what, self._writes.put(data, BlobKind.DATA), len(data)))

    def _written(self, value: str | bytes) -> Content | None:
        """A long string that was written just now, or before."""
        return self._recall.contents.get(id(value)) or (self._before.contents.get(id(value)) if self._there else None)

    def _taken(self, content: Content) -> bytes:
        """A content that is written, and remembered."""
        self._recall.contents[id(content.value)] = content
        self._contents.append(content.id)
        self._size += content.size
        return extension(LONG, array(2) + pack(content.what) + pack(content.size))

    def _plain(self, value: list[Any] | dict[str, Any]) -> bytes:
        """A plain list or dictionary; only elements that are long are looked into."""
        if self._before.cuts and type(value) is list:
            cut = self._before.cuts.get(tuple(self._path))
            if cut is not None and cut.plain and (data := self._cut_again(cut, value)) is not None:
                return data
        whole = pack(value)
        if len(whole) <= LONGEST:
            return whole
        marks = len(self._documents), len(self._contents)
        inner: Sequence[Any]
        keys: list[bytes] | None = None
        if isinstance(value, list):
            inner = list(value)  # at once: another thread may be changing it
            elements = list(map(pack, inner))
        else:
            items = list(value.items())
            keys = [pack(key) for key, _ in items]
            inner = [each for _, each in items]
            elements = list(map(bytes.__add__, keys, map(pack, inner)))
        ends: dict[int, tuple[int, int]] = {}
        for at in list(compress(count(), map(LONGEST.__lt__, map(len, elements)))):
            key = keys[at] if keys is not None else b""
            elements[at] = key + self._plain_element(inner[at])
            ends[at] = len(self._documents), len(self._contents)
        if isinstance(value, list):
            return self._joined(A_LIST, elements, marks, ends, value)
        return self._joined(A_DICT, elements, marks, ends)

    def _plain_element(self, value: Any) -> bytes:
        if type(value) not in (list, dict):
            return self._scalar(value)
        return self._plain(value)

    def _cut_again(self, cut: Cut, values: list[Any]) -> bytes | None:
        """A plain list that was cut before; None if it has to be looked at as if it were new."""
        found = cut_again(cut, values, self._there)
        if found is None or sum(leaf.size for leaf in found) <= INLINE:
            return None
        outer, (self._documents, self._contents) = (self._documents, self._contents), ([], [])
        ids = [self._put_blob(leaf.body) if leaf.body is not None else self._refer(leaf) for leaf in found]
        self._recall.note(
            tuple(self._path),
            values,
            ((leaf.begin, leaf.end, id, leaf.size) for leaf, id in zip(found, ids, strict=True)),
        )
        return self._over(A_LIST, ids, len(values), outer)

    def _refer(self, leaf: Leaf) -> bytes:
        """A leaf that is in the store already counts as if it were put."""
        assert leaf.id is not None
        size = leaf.size + len(array(leaf.end - leaf.begin))
        self._size += size + HEAD
        self._spend(size + EACH)
        return leaf.id

    def _over(self, what: int, leaves: Sequence[bytes], count: int, outer: tuple[list[bytes], list[bytes]]) -> bytes:
        """Something long by its leaves; ``outer`` is what the blob around it leads to so far."""
        top, levels = index(leaves, self._put_index)
        self._documents, self._contents = outer
        self._documents.append(top)
        return extension(SPLIT, array(3) + pack(what) + pack(count) + pack(levels))

    def _sequence(
        self, what: int, items: Iterable[T], write: Callable[[T], bytes], origin: list[Any] | None = None
    ) -> bytes:
        marks = now = len(self._documents), len(self._contents)
        elements: list[bytes] = []
        ends: dict[int, tuple[int, int]] = {}
        tied, ties = set[int](), self._ties
        for at, item in enumerate(items):
            elements.append(write(item))
            if (len(self._documents), len(self._contents)) != now:
                ends[at] = now = len(self._documents), len(self._contents)
            if self._ties != ties:
                tied.add(at)
                ties = self._ties
        return self._joined(what, elements, marks, ends, origin, tied)

    def _joined(
        self,
        what: int,
        elements: list[bytes],
        marks: tuple[int, int],
        ends: dict[int, tuple[int, int]],
        origin: list[Any] | None = None,
        tied: set[int] | None = None,
    ) -> bytes:
        """Elements as one container, split into leaves if they are long together. ``origin`` is the list of them, ``tied``
        those that do not stand for themselves, None if the list is plain."""
        lengths = list(map(len, elements))
        if sum(lengths) <= INLINE:
            return _wrap(what, elements)
        documents, contents = self._documents[marks[0] :], self._contents[marks[1] :]
        outer = self._documents[: marks[0]], self._contents[: marks[1]]
        ids = []
        used = marks
        alone: list[tuple[int, int, bytes, int]] = []
        for begin, end in leaves(elements, lengths):
            upto = used
            if ends:
                upto = next((ends[at] for at in range(end - 1, begin - 1, -1) if at in ends), used)
            self._documents = documents[used[0] - marks[0] : upto[0] - marks[0]]
            self._contents = contents[used[1] - marks[1] : upto[1] - marks[1]]
            ids.append(self._put_blob(_leaf(what, elements[begin:end])))
            used = upto
            if not (self._documents or self._contents or (tied and not tied.isdisjoint(range(begin, end)))):
                alone.append((begin, end, ids[-1], sum(lengths[begin:end])))
        if origin is not None:
            self._recall.note(tuple(self._path), origin, alone, plain=tied is None)
        return self._over(what, ids, len(elements), outer)


def _wrap(what: int, elements: Sequence[bytes]) -> bytes:
    data = _leaf(what, elements)
    return extension(_WRAPPED[what], data) if what in _WRAPPED else data


def _leaf(what: int, elements: Sequence[bytes]) -> bytes:
    if what == A_DICT:
        return mapping(len(elements)) + b"".join(elements)
    return array(len(elements) * (2 if what == A_MAP else 1)) + b"".join(elements)
