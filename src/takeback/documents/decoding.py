"""Reading a value back. What is stored may be damaged, or made to harm: anything but what was written is an Integrity error.

No class of a document's choosing is ever imported, and no code of a class runs. Shared objects are made empty when they are
first met and filled afterwards, one after the other, so no chain of them is too long and no circle is a trap.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from enum import Enum, Flag
from typing import Any, Literal

from msgspec import MsgspecError
from msgspec.msgpack import Decoder

from takeback.documents import mutables, tags, values
from takeback.documents.blobs import Links, Reads, split
from takeback.documents.gathering import GATHER, distinct, paired
from takeback.documents.holes import Hole, Record
from takeback.documents.known import Known, custom
from takeback.documents.peeking import head, leading, peek
from takeback.documents.shapes import Kept, Shape, put_together, shape_of, shell, take_apart
from takeback.documents.standing import Standing
from takeback.errors import Integrity, InvalidInput, TakebackError
from takeback.model.ids import BlobKind

Unknown = Literal["refuse", "record"]
"""What becomes of objects whose class may not come back."""

_LEVELS = 8
_WRONG = (
    MsgspecError, ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError, re.error, Warning
)  # fmt: skip
"""Errors of what builds a value. A warning is one where the program says so (``python -W error``)."""


def get(
    reads: Reads,
    id: bytes,
    *,
    types: Iterable[type] | Known = (),
    unknown: Unknown = "refuse",
    standing: Standing | None = None,
) -> Any:
    """The value of a document, new but for what is ``standing``; Integrity if it is none, InvalidInput if a class in it may
    not come back."""
    known = types if isinstance(types, Known) else Known(types)
    return _Decoder(reads, known, unknown, standing or Standing()).root(id)


class _TooDeep(Exception):
    """There is no room on the stack for a shared object that is needed at once."""

    def __init__(self, number: int) -> None:
        self.number = number


class _Decoder:
    def __init__(self, reads: Reads, known: Known, unknown: Unknown, standing: Standing) -> None:
        self._standing = standing
        self._reads = reads
        self._known = known
        self._records = unknown == "record"
        self._room = tags.ROOM
        self._unpack = Decoder(ext_hook=self._extension).decode
        self._documents: Iterator[bytes] = iter(())
        self._contents: Iterator[bytes] = iter(())
        self._long_ones: dict[tuple[bytes, int, int], str | bytes] = {}
        """Each is one object however often it occurs, as it is one blob."""
        self._patterns: set[tuple[Any, ...]] = set()
        self._shared: list[bytes] = []
        self._made: dict[int, Any] = {}
        self._waiting: dict[int, Callable[[], None]] = {}
        self._at_once = 0
        """Inside of what needs its elements whole: keys, and elements of sets, are hashed."""

    def root(self, id: bytes) -> Any:
        try:
            return self._root(id)
        except TakebackError:
            raise
        except _WRONG as error:
            raise Integrity(
                f"document {id.hex()[:12]} cannot be read, and was not written by takeback: {error!s:.200}",
                hints=["`takeback verify` names every snapshot that is harmed"],
            ) from error

    def _root(self, id: bytes) -> Any:
        links, body = self._blob(id)
        count, levels, start = head(body)
        top = links.documents[: count if not levels else 1]
        self._shared = list(self._leaves(top, levels)) if count else []
        if len(self._shared) != count:
            raise ValueError("it lists another number of shared objects than it has")
        value = self._run(lambda: self._body(Links(links.documents[len(top) :], links.contents), body[start:]))
        while self._waiting:
            self._run(self._waiting.pop(next(iter(self._waiting))))
        return value

    def _run(self, task: Callable[[], Any]) -> Any:
        """Do something; what it needs at once and cannot have, because it lies too deep, is done before."""
        tasks = [task]
        while True:
            try:
                found = tasks[-1]()
            except _TooDeep as needed:
                self._documents, self._contents, self._at_once = iter(()), iter(()), 0
                tasks.append(self._waiting.pop(needed.number))
                continue
            tasks.pop()
            if not tasks:
                return found

    def _body(self, links: Links, body: bytes) -> Any:
        if links.documents or links.contents:
            with self._inside(links):
                return self._unpack(body)
        outer = self._documents, self._contents
        self._documents = self._contents = iter(())  # as of nearly all leaves: so nothing can be left over, either
        found = self._unpack(body)
        self._documents, self._contents = outer
        return found

    def _blob(self, id: bytes) -> tuple[Links, bytes]:
        data = self._reads.get(id, BlobKind.DOCUMENT)
        self._spend(len(data) + tags.EACH)
        return split(data)

    def _spend(self, size: int) -> None:
        self._room -= size
        if self._room < 0:
            raise Integrity(f"a document unfolds to more than the {tags.ROOM >> 20} MiB that any has")

    @contextmanager
    def _inside(self, links: Links) -> Iterator[None]:
        """While a body is read, what it takes comes from its own blob; and it takes all of that."""
        outer = self._documents, self._contents
        self._documents, self._contents = iter(links.documents), iter(links.contents)
        yield
        if next(self._documents, None) is not None or next(self._contents, None) is not None:
            raise ValueError("a blob leads to more than its body takes")
        self._documents, self._contents = outer

    def _leaves(self, ids: Iterable[bytes], levels: int) -> Iterator[bytes]:
        """The documents below some indexes."""
        if not 0 <= levels <= _LEVELS:
            raise ValueError(f"an index of {levels} levels")
        for id in ids:
            if levels == 0:
                yield id
                continue
            links, body = self._blob(id)
            if body or links.contents:
                raise ValueError("an index holds more than documents")
            yield from self._leaves(links.documents, levels - 1)

    def _extension(self, code: int, data: memoryview) -> Any:
        read = _READ.get(code)
        if read is None:
            raise ValueError(f"there is no extension {code}")
        return read(self, data)

    def _array(self, data: memoryview, *lengths: int) -> list[Any]:
        found = self._unpack(data)
        if type(found) is not list or (lengths and len(found) not in lengths):
            raise ValueError("an extension holds another array than it should")
        return found

    def _integer(self, data: memoryview) -> int:
        return int.from_bytes(data, signed=True)

    def _text(self, data: memoryview) -> str:
        return bytes(data).decode("utf-8", "surrogatepass")

    def _tuple(self, data: memoryview) -> tuple[Any, ...]:
        return tuple(self._array(data))

    def _map(self, data: memoryview) -> dict[Any, Any]:
        with self._whole():
            return paired(self._array(data))

    def _set(self, data: memoryview) -> Any:
        with self._whole():
            return distinct(set, self._array(data))

    def _frozenset(self, data: memoryview) -> Any:
        with self._whole():
            return distinct(frozenset, self._array(data))

    @contextmanager
    def _whole(self) -> Iterator[None]:
        self._at_once += 1
        yield
        self._at_once -= 1

    def _value(self, data: memoryview) -> Any:
        name, *arguments = self._array(data)
        if name == "pattern" and tuple(arguments) not in self._patterns:
            self._patterns.add(tuple(arguments))
            self._spend(tags.PATTERN * len(arguments[0]))
        return values.make(name, arguments)

    def _mutable(self, data: memoryview) -> Any:
        name, *arguments = self._array(data)
        return mutables.make(name, arguments)

    def _enum(self, data: memoryview) -> Any:
        name, member = self._array(data, 2)
        cls = self._class(name)
        if cls is None:
            return Record(name, {}, member)
        if not issubclass(cls, Enum):
            raise InvalidInput(f"{name} is no enumeration any more")
        if issubclass(cls, Flag):
            if type(member) is not int:
                raise ValueError("a flag without an integer")
            return cls(member)
        if member not in cls.__members__:
            raise InvalidInput(f"{name} has no member {member!r:.60} any more")
        return cls.__members__[member]

    def _type(self, data: memoryview) -> Any:
        name = self._unpack(data)
        return self._class(name) or Record(name, {})

    def _hole(self, data: memoryview) -> Hole:
        what = self._unpack(data)
        if type(what) is not str:
            raise ValueError("a hole without a type")
        return Hole(what)

    def _custom(self, data: memoryview) -> Any:
        name, made = self._array(data, 2)
        cls = self._class(name)
        if cls is None:
            return Record(name, {}, made)
        how = custom(cls)
        if how is None:
            raise InvalidInput(
                f"a {name} was written by an encoder of its own, which is not registered here",
                hints=["takeback.documents.register(TYPE, encode=…, decode=…)"],
            )
        return how.decode(made)

    def _class(self, name: Any) -> type | None:
        if type(name) is not str:
            raise ValueError("a class without a name")
        return self._known.find(name) if self._records else self._known.expect(name)

    def _object(self, data: memoryview) -> Any:
        value, fill = self._begin_object(self._array(data, 2, 3, 4, 5))
        fill()
        return value

    def _begin_object(self, parts: list[Any]) -> tuple[Any, Callable[[], None]]:
        """An object without attributes, and what gives it those."""
        name, fields, slots, content, pydantic = parts + [None] * (5 - len(parts))
        _check_attributes(fields)
        cls = self._class(name)
        if cls is None:
            record = Record(name, {**fields, **(slots or {}), **_extras(pydantic)}, content)
            return record, lambda: None
        shape = shape_of(cls)
        if shape is None:
            raise InvalidInput(f"{name} is no class any more whose objects can be put together")
        value = shell(cls, shape, content)
        return value, lambda: _finish(cls, shape, value, Kept(fields, slots, content, _pydantic(pydantic)))

    def _long(self, data: memoryview) -> str | bytes:
        what, size = self._array(data, 2)
        id = next(self._contents, None)
        if id is None:
            raise ValueError("a long string has no content")
        if (id, what, size) not in self._long_ones:
            raw = self._reads.get(id)
            if len(raw) != size:
                raise ValueError("a long string is not as long as it says")
            self._long_ones[id, what, size] = raw if what == tags.A_BYTES else raw.decode("utf-8", _LONG_TEXT[what])
        return self._long_ones[id, what, size]

    def _split(self, data: memoryview) -> Any:
        what, count, levels = self._array(data, 3)
        top = next(self._documents, None)
        if top is None or what not in GATHER or type(levels) is not int:
            raise ValueError("something long has no document")
        with self._whole() if what in (tags.A_MAP, tags.A_SET, tags.A_FROZENSET) else nullcontext():
            value, found = GATHER[what](self._elements(list(self._leaves([top], levels)), what))
        if found != count:
            raise ValueError("something long has another number of elements than it says")
        return value

    def _elements(self, leaves: list[bytes], what: int) -> Iterator[Any]:
        """What each leaf holds."""
        ahead = getattr(self._reads, "ahead", None)
        kind = dict if what == tags.A_DICT else list
        with ahead(leaves) if ahead is not None and len(leaves) > 1 else nullcontext():
            for id in leaves:
                if what == tags.A_LIST and (there := self._standing.take(id)) is not None:
                    self._spend(64)
                    yield there
                    continue
                found = self._body(*self._blob(id))
                if type(found) is not kind:
                    raise ValueError("a leaf is not of the kind that it should be")
                yield found

    def _reference(self, data: memoryview) -> Any:
        number = self._unpack(data)
        if type(number) is not int or not 0 <= number < len(self._shared):
            raise ValueError("a reference to a shared object that there is not")
        if number not in self._made:
            self._make(number)
        if self._at_once and number in self._waiting:
            self._fill(number)
        return self._made[number]

    def _fill(self, number: int) -> None:
        fill = self._waiting.pop(number)
        try:
            fill()
        except _TooDeep:
            self._waiting[number] = fill
            raise
        except RecursionError:
            self._waiting[number] = fill
            raise _TooDeep(number) from None

    def _make(self, number: int) -> None:
        """An empty object for a number; it is filled when its turn comes."""
        links, body = self._blob(self._shared[number])
        kind, content = peek(body)
        if kind is list or kind is dict:
            self._promise(number, kind(), links, body)
        elif kind == tags.MAP:
            self._promise(number, {}, links, body)
        elif kind == tags.SET:
            self._promise(number, set(), links, body)
        elif kind == tags.SPLIT:
            what = leading(content, 1)[0]
            self._promise(number, {tags.A_LIST: list, tags.A_SET: set}.get(what, dict)(), links, body)
        elif kind == tags.MUTABLE:
            name, first = leading(content, 2) if leading(content, 1) == ["deque"] else (*leading(content, 1), None)
            if name == "array":  # which holds no objects, so it is in no circle
                self._made[number] = self._body(links, body)
            else:
                self._promise(number, mutables.shell(name, first), links, body)
        elif kind == tags.OBJECT:
            self._promise_object(number, leading(content, 1)[0], links, body)
        else:
            raise ValueError("a shared object is one that cannot be shared")

    def _promise(self, number: int, value: Any, links: Links, body: bytes) -> None:
        def fill() -> None:
            found = self._body(links, body)
            if type(found) is not type(value):
                raise ValueError("a shared object is not of the kind that it seemed to be")
            _move(found, value)

        self._made[number] = value
        self._waiting[number] = fill

    def _promise_object(self, number: int, name: Any, links: Links, body: bytes) -> None:
        cls = self._class(name)
        shape = shape_of(cls) if cls is not None else None
        if cls is None:
            value: Any = Record(name, {})
        elif shape is None or shape.immutable:
            raise InvalidInput(f"{name} is no class any more whose objects can be put together")
        else:
            value = shell(cls, shape)

        def fill() -> None:
            found = self._body(links, body)
            if type(found) is not type(value):
                raise ValueError("a shared object is not of the kind that it seemed to be")
            if isinstance(found, Record):
                value.fields, value.content = found.fields, found.content
            else:
                assert shape is not None
                put_together(shape, value, take_apart(shape, found))

        self._made[number] = value
        self._waiting[number] = fill


def _finish(cls: type, shape: Shape, value: Any, kept: Kept) -> None:
    try:
        put_together(shape, value, kept)
    except TypeError as error:
        raise InvalidInput(
            f"{cls.__qualname__} has changed since the state was saved: {error}",
            hints=["use the version of the code that saved it, or takeback.documents.get(…, unknown='record')"],
        ) from error


def _move(found: Any, value: Any) -> None:
    """Give an empty container what another one of its type has."""
    if isinstance(value, list | bytearray):
        value[:] = found
    elif isinstance(value, deque):
        value.extend(found)
    elif hasattr(value, "update"):
        if hasattr(value, "default_factory"):
            value.default_factory = found.default_factory
        value.update(found)
    else:
        vars(value).update(vars(found))


def _check_attributes(fields: Any) -> None:
    if type(fields) is not dict or not set(map(type, fields)) <= {str}:
        raise ValueError("an object without attributes")


def _pydantic(raw: Any) -> tuple[dict[str, Any] | None, dict[str, Any] | None, list[str]] | None:
    if raw is None:
        return None
    private, extra, names = raw
    if not all(each is None or type(each) is dict for each in (private, extra)) or type(names) is not list:
        raise ValueError("what pydantic keeps is not as it should be")
    return private, extra, names


def _extras(raw: Any) -> dict[str, Any]:
    kept = _pydantic(raw)
    return {} if kept is None else {**(kept[1] or {}), **(kept[0] or {})}


_LONG_TEXT = {tags.A_STRING: "strict", tags.A_SURROGATE_STRING: "surrogatepass"}

_READ: dict[int, Callable[[_Decoder, memoryview], Any]] = {
    tags.INTEGER: _Decoder._integer,
    tags.TEXT: _Decoder._text,
    tags.TUPLE: _Decoder._tuple,
    tags.MAP: _Decoder._map,
    tags.SET: _Decoder._set,
    tags.FROZENSET: _Decoder._frozenset,
    tags.VALUE: _Decoder._value,
    tags.ENUM: _Decoder._enum,
    tags.OBJECT: _Decoder._object,
    tags.TYPE: _Decoder._type,
    tags.HOLE: _Decoder._hole,
    tags.SHARED: _Decoder._reference,
    tags.SPLIT: _Decoder._split,
    tags.LONG: _Decoder._long,
    tags.MUTABLE: _Decoder._mutable,
    tags.CUSTOM: _Decoder._custom,
}
