"""Writing a value: its bytes, the blobs that they are split into, and what had to be left out.

Equal values give equal bytes. Plain data goes through C in one piece; only what is long is looked into.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum, Flag
from itertools import compress, count
from typing import Any, NamedTuple, TypeVar

from takeback.documents import mutables, values
from takeback.documents.blobs import HEAD, Writes, join
from takeback.documents.holes import Allowed, Hole, Places
from takeback.documents.known import custom, default_name, name_of
from takeback.documents.memory import Nowhere
from takeback.documents.mutables import MUTABLE
from takeback.documents.paths import Step, path_text
from takeback.documents.plain import SCALARS, containers_in, pack
from takeback.documents.recalling import Content, Cut, Leaf, Recall, cut_again
from takeback.documents.shapes import shape_of, take_apart
from takeback.documents.splitting import FANOUT, index, leaves
from takeback.documents.survey import Survey
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
    CUSTOM,
    DEEP,
    DEEPEST,
    EACH,
    ENUM,
    FORMAT,
    FROZENSET,
    HOLE,
    INLINE,
    INTEGER,
    LONG,
    LONGEST,
    MAP,
    OBJECT,
    ROOM,
    SET,
    SHARED,
    SPLIT,
    TEXT,
    TUPLE,
    TYPE,
    VALUE,
    array,
    extension,
    mapping,
)
from takeback.documents.tags import MUTABLE as MUTABLE_TAG
from takeback.errors import InvalidInput
from takeback.model.ids import BlobKind
from takeback.model.snapshot import NotCaptured

_WRAPPED = {A_TUPLE: TUPLE, A_MAP: MAP, A_SET: SET, A_FROZENSET: FROZENSET}

T = TypeVar("T")


class Put(NamedTuple):
    """A value that was written."""

    id: bytes
    """Of its root document."""
    size: int
    """Bytes of all its blobs."""
    holes: tuple[NotCaptured, ...]
    types: frozenset[type]
    """The classes of the objects in it."""
    recall: Recall
    """What its long lists were cut into, for whoever writes the same value again."""


def put(
    writes: Writes,
    value: Any,
    *,
    holes: Allowed = False,
    name: str = "",
    before: Recall | None = None,
    there: bool = False,
) -> Put:
    """Write a value; InvalidInput, with the path to it, if something in it cannot be held and may be no hole.

    ``before`` is how the value was cut when it was last written: only a hint, which makes it faster. ``there`` says that what
    was written then is in a snapshot that was found under the lease of ``writes``: it is then referred to, and not put again.
    """
    encoder = _Encoder(writes, Places(holes), name or type(value).__name__.lower(), before or Recall(), there)
    try:
        return encoder.root(value)
    except RecursionError:
        raise encoder.too_deep() from None


class _Encoder:
    """Writes one value. ``_documents`` and ``_contents`` are what the blob in the making leads to, in order."""

    def __init__(self, writes: Writes, allowed: Places, name: str, before: Recall, there: bool) -> None:
        self._writes = writes
        self._before = before
        self._there = there
        self._recall = Recall()
        self._allowed = allowed
        self._path: list[Step] = [name]
        self._depth = 0
        self._size = 0
        self._room = ROOM
        self._holes: list[NotCaptured] = []
        self._documents: list[bytes] = []
        self._contents: list[bytes] = []
        self._ties = 0
        """How often something was written that means something only in this document: a shared object, a hole."""
        self._numbers: dict[int, int] = {}
        self._apart: list[tuple[Any, list[Step]]] = []
        """What is written apart, by number, with the path at which it was found."""

    def root(self, value: Any) -> Put:
        self._survey = survey = Survey(value)
        body = self._write(value)
        documents, contents = self._documents, self._contents
        shared = list(self._write_apart())
        levels = 0
        if len(shared) > FANOUT:
            top, levels = index(shared, self._put_index)
            listed = [top]
        else:
            listed = shared
        self._documents, self._contents = [*listed, *documents], contents
        head = array(4) + pack(FORMAT) + pack(len(shared)) + pack(levels)
        return Put(self._put_blob(head + body), self._size, tuple(self._holes), frozenset(survey.types), self._recall)

    def _write_apart(self) -> Iterable[bytes]:
        """Shared objects, each as a document; writing one may find more."""
        done = 0
        while done < len(self._apart):
            value, self._path = self._apart[done]
            self._depth, self._documents, self._contents = 0, [], []
            yield self._put_blob(self._content(value))
            done += 1

    def _put_blob(self, body: bytes) -> bytes:
        data = join(self._documents, self._contents, body)
        self._room -= len(data) + EACH
        if self._room < 0:
            raise InvalidInput(
                f"{self._path[0]} is more than the {ROOM >> 20} MiB that one state may have, long strings aside",
                hints=["save its parts as several states"],
            )
        self._size += len(data)
        return self._writes.put(data, BlobKind.DOCUMENT)

    def _put_index(self, ids: Sequence[bytes]) -> bytes:
        self._documents, self._contents = list(ids), []
        return self._put_blob(b"")

    def _write(self, value: Any) -> bytes:
        """The bytes of any value."""
        if type(value) in SCALARS:
            return self._scalar(value)
        if id(value) in self._survey.shared or (self._depth >= DEEP and _has_identity(value)):
            return self._shared(value)
        return self._content(value)

    def _shared(self, value: Any) -> bytes:
        self._ties += 1
        number = self._numbers.setdefault(id(value), len(self._apart))
        if number == len(self._apart):
            self._apart.append((value, list(self._path)))
        return extension(SHARED, pack(number))

    def _content(self, value: Any) -> bytes:
        """The bytes of any value, whether it is shared or not."""
        kind = type(value)
        if (kind is list or kind is dict) and (data := self._plain_or_none(value)) is not None:
            return data
        if self._depth > DEEPEST:
            raise self.too_deep()
        self._depth += 1
        try:
            return self._by_kind(kind, value)
        finally:
            self._depth -= 1

    def _plain_or_none(self, value: list[Any] | dict[Any, Any]) -> bytes | None:
        """The bytes of plain data in which nothing is shared; None if it is anything else."""
        if id(value) not in self._survey.plain:
            found = containers_in(value)
            if found is None or not self._survey.shared.isdisjoint(map(id, found[1:])):
                return None
        try:
            return self._plain(value)
        except (OverflowError, UnicodeEncodeError):
            return None  # an integer or a string that msgpack has not

    def _by_kind(self, kind: type, value: Any) -> bytes:
        if kind in SCALARS:
            return self._scalar(value)
        if kind is list:
            return self._sequence(A_LIST, enumerate(value), self._element, value)
        if kind is tuple:
            return self._sequence(A_TUPLE, enumerate(value), self._element)
        if kind is dict:
            return self._dict(value)
        if kind is set or kind is frozenset:
            return self._set(A_SET if kind is set else A_FROZENSET, value)
        made = custom(kind)
        if made is not None:
            return extension(CUSTOM, array(2) + pack(name_of(kind)) + self._content(made.encode(value)))
        if isinstance(value, Enum):
            return self._enum(kind, value)
        if isinstance(value, type):
            return extension(TYPE, pack(name_of(value)))
        if kind is Hole:
            return self._hole(value.type)
        return self._built_in(kind, value) or self._object(kind, value)

    def _built_in(self, kind: type, value: Any) -> bytes | None:
        """A value or a container that has a name of its own."""
        try:
            found, code = mutables.take(value), MUTABLE_TAG
            if found is None:
                found, code = values.take(value), VALUE
        except TypeError as error:
            return self._hole(default_name(kind), str(error))
        if found is None:
            return None
        name, arguments = found
        inside = b"".join([self._content(each) for each in arguments])  # none of them has an identity of its own
        return extension(code, array(1 + len(arguments)) + pack(name) + inside)

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
        self._room -= size + EACH
        return leaf.id

    def _over(self, what: int, leaves: Sequence[bytes], count: int, outer: tuple[list[bytes], list[bytes]]) -> bytes:
        """Something long by its leaves; ``outer`` is what the blob around it leads to so far."""
        top, levels = index(leaves, self._put_index)
        self._documents, self._contents = outer
        self._documents.append(top)
        return extension(SPLIT, array(3) + pack(what) + pack(count) + pack(levels))

    def _plain_element(self, value: Any) -> bytes:
        if type(value) not in (list, dict):
            return self._scalar(value)
        return self._plain(value)

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

    def _at(self, step: Step, value: Any) -> bytes:
        self._path.append(step)
        data = self._write(value)
        self._path.pop()
        return data

    def _element(self, item: tuple[int, Any]) -> bytes:
        return self._at(*item)

    def _dict(self, value: dict[Any, Any]) -> bytes:
        items = list(value.items())  # at once: another thread may be adding to it
        if all(type(key) is str for key, _ in items):
            try:
                keys = [pack(key) for key, _ in items]
            except UnicodeEncodeError:
                pass  # a key that msgpack has not
            else:
                return self._sequence(A_DICT, zip(keys, items, strict=True), self._named)
        return self._sequence(A_MAP, items, self._item)

    def _named(self, item: tuple[bytes, tuple[str, Any]]) -> bytes:
        key, (name, value) = item
        return key + self._at((name,), value)

    def _item(self, item: tuple[Any, Any]) -> bytes:
        key, value = item
        return self._at(("key",), key) + self._at((key,), value)

    def _set(self, what: int, value: Iterable[Any]) -> bytes:
        """The elements in the order of their bytes, and of what these lead to."""
        outer = self._documents, self._contents
        found = []
        for each in self._in_order(value):
            self._documents, self._contents = [], []
            found.append((self._at("{…}", each), self._documents, self._contents))
        self._documents, self._contents = outer
        return self._sequence(what, sorted(found), self._member)

    def _in_order(self, value: Iterable[Any]) -> Iterable[Any]:
        """Objects in a set are numbered as they are met, which must not depend on where they are in memory."""
        items = list(value)
        if set(map(type, items)) <= SCALARS:
            return items
        local = _Local(self._survey, self._numbers)
        return sorted(items, key=local.key)

    def _member(self, item: tuple[bytes, list[bytes], list[bytes]]) -> bytes:
        data, documents, contents = item
        self._documents += documents
        self._contents += contents
        return data

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

    def _enum(self, kind: type, value: Enum) -> bytes:
        member: Any = value._value_ if isinstance(value, Flag) else value._name_
        return extension(ENUM, array(2) + pack(name_of(kind)) + self._scalar(member))

    def _object(self, kind: type, value: Any) -> bytes:
        shape = shape_of(kind)
        if shape is None:
            return self._hole(default_name(kind))
        kept = take_apart(shape, value)
        parts = [pack(name_of(kind)), self._attributes(kept.fields)]
        if kept.slots is not None or kept.content is not None or kept.pydantic is not None:
            parts.append(self._attributes(kept.slots) if kept.slots is not None else pack(None))
        if kept.content is not None or kept.pydantic is not None:
            parts.append(self._content(kept.content) if kept.content is not None else pack(None))
        if kept.pydantic is not None:
            private, extra, names = kept.pydantic
            some = [self._attributes(each) if each is not None else pack(None) for each in (private, extra)]
            parts.append(array(3) + b"".join(some) + pack(names))
        return extension(OBJECT, array(len(parts)) + b"".join(parts))

    def _attributes(self, fields: dict[str, Any]) -> bytes:
        data = self._plain_or_none(fields)
        if data is not None:
            return data
        items = list(fields.items())
        try:
            names = [_attribute_name(name) for name, _ in items]
        except ValueError as error:
            raise InvalidInput(f"{self._where()} has an attribute that {error}") from None
        return self._sequence(A_DICT, zip(names, items, strict=True), self._attribute)

    def _attribute(self, item: tuple[bytes, tuple[str, Any]]) -> bytes:
        key, (name, value) = item
        return key + self._at(f".{name}", value)

    def _hole(self, type: str, why: str = "") -> bytes:
        where = self._where()
        if where not in self._allowed:
            raise InvalidInput(
                f"{where} is a {type.replace(':', '.')}, which no snapshot can hold" + (f": {why}" if why else ""),
                hints=[
                    f"leave it out with holes=[{where!r}], or holes=True for all such: a restore keeps the live one",
                    "or say how it is written: takeback.documents.register(TYPE, encode=…, decode=…)",
                ],
            )
        self._ties += 1
        self._holes.append(NotCaptured(where, "live", type))
        return extension(HOLE, pack(type))

    def too_deep(self) -> InvalidInput:
        return InvalidInput(f"{self._where()} is nested too deep to be held", hints=["flatten it"])

    def _where(self) -> str:
        return path_text(self._path)


class _Local(_Encoder):
    """Writes values nowhere, and without what is shared in them, but for its type: enough to bring them into an order."""

    def __init__(self, survey: Survey, numbers: Mapping[int, int]) -> None:
        super().__init__(Nowhere(), Places(True), "", Recall(), there=False)
        self._survey = survey
        self._known = numbers

    def key(self, value: Any) -> tuple[bytes, tuple[bytes, ...], tuple[bytes, ...]]:
        self._depth, self._documents, self._contents = 0, [], []
        self._room = ROOM
        return self._content(value), tuple(self._documents), tuple(self._contents)

    def _shared(self, value: Any) -> bytes:
        number = self._known.get(id(value))
        return extension(SHARED, pack(name_of(type(value)) if number is None else number))

    def _in_order(self, value: Iterable[Any]) -> Iterable[Any]:
        return value


def local_keys(values: Sequence[Any]) -> tuple[list[Any], bool]:
    """What is equal for equal values of a list; and whether it is so only for those, because nothing is shared."""
    survey = Survey(values)
    local = _Local(survey, {})
    return [local.key(each) for each in values], not survey.shared


def _attribute_name(name: Any) -> bytes:
    if type(name) is not str:
        raise ValueError(f"is named {name!r:.60}, which is no string")
    try:
        return pack(name)
    except UnicodeEncodeError:
        raise ValueError(f"is named {name!r:.60}, which is no text") from None


def _has_identity(value: Any) -> bool:
    """Whether it can change, so that it matters which one it is, and it can be written apart."""
    if type(value) in MUTABLE:
        return True
    if isinstance(value, Enum | type) or custom(type(value)) is not None:
        return False
    shape = shape_of(type(value))
    return shape is not None and not shape.immutable


def _wrap(what: int, elements: Sequence[bytes]) -> bytes:
    data = _leaf(what, elements)
    return extension(_WRAPPED[what], data) if what in _WRAPPED else data


def _leaf(what: int, elements: Sequence[bytes]) -> bytes:
    if what == A_DICT:
        return mapping(len(elements)) + b"".join(elements)
    return array(len(elements) * (2 if what == A_MAP else 1)) + b"".join(elements)
