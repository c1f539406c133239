"""Writing a value: its bytes, the blobs that they are split into, and what had to be left out.

Equal values give equal bytes. Plain data goes through C in one piece; only what is long is looked into.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum, Flag
from typing import Any, NamedTuple, TypeVar

from takeback.documents import mutables, values
from takeback.documents.blobs import Writes
from takeback.documents.drafting import Draft
from takeback.documents.holes import Allowed, Hole, Places
from takeback.documents.known import custom, default_name, name_of
from takeback.documents.memory import Nowhere
from takeback.documents.mutables import MUTABLE
from takeback.documents.paths import Step, path_text
from takeback.documents.plain import SCALARS, containers_in, pack
from takeback.documents.recalling import Recall
from takeback.documents.shapes import shape_of, take_apart
from takeback.documents.splitting import FANOUT, index
from takeback.documents.survey import Survey
from takeback.documents.tags import (
    A_DICT,
    A_FROZENSET,
    A_LIST,
    A_MAP,
    A_SET,
    A_TUPLE,
    CUSTOM,
    DEEP,
    DEEPEST,
    ENUM,
    FORMAT,
    HOLE,
    OBJECT,
    PATTERN,
    ROOM,
    SHARED,
    TYPE,
    VALUE,
    array,
    extension,
)
from takeback.documents.tags import MUTABLE as MUTABLE_TAG
from takeback.errors import InvalidInput
from takeback.model.snapshot import NotCaptured

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


class _Encoder(Draft):
    """Writes one value."""

    def __init__(self, writes: Writes, allowed: Places, name: str, before: Recall, there: bool) -> None:
        super().__init__(writes, name, before, there)
        self._allowed = allowed
        self._depth = 0
        self._holes: list[NotCaptured] = []
        self._patterns: set[tuple[Any, ...]] = set()
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
        if name == "pattern" and arguments not in self._patterns:
            self._patterns.add(arguments)
            self._spend(PATTERN * len(arguments[0]))
        inside = b"".join([self._content(each) for each in arguments])  # none of them has an identity of its own
        return extension(code, array(1 + len(arguments)) + pack(name) + inside)

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
