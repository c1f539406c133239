"""How objects are taken apart: their attributes, those in slots, the content of what they extend, what pydantic keeps.

No code of a class runs, neither here nor when it is put together again: no constructor, no property, no hook. An object
that keeps something outside of these (a socket, a lock, anything written in C) cannot be held, and neither can what is
known to be a live handle although it is written in Python.
"""

from __future__ import annotations

import datetime as dt
import types
from collections.abc import Hashable, Mapping
from enum import Enum
from functools import cache
from typing import Any, NamedTuple

from takeback.documents import values

_HEAP_TYPE = 1 << 9
_POINTER = object.__basicsize__ // 2
_UNSET = object()

BASES: tuple[type, ...] = (list, dict, set, bytearray, tuple, frozenset, str, bytes, int, float, complex)
"""What a class may extend, and whose content is written beside its attributes."""
IMMUTABLE_BASES = (tuple, frozenset, str, bytes, int, float, complex)
_MAKERS = frozenset({object, dt.tzinfo, types.SimpleNamespace, *BASES})
"""What instances are made by without any code of their class."""
_LIVE = frozenset(
    """_asyncio _io _queue _socket _ssl _thread aiohttp anthropic asyncio boto3 botocore concurrent contextvars docker
    functools grpc http httpcore httpx io logging multiprocessing openai playwright psycopg queue redis requests
    selectors selenium socket sqlalchemy sqlite3 ssl subprocess tempfile threading urllib urllib3 weakref""".split()
)
"""Packages whose objects are handles on something outside."""
_NEVER = (
    types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.ModuleType, types.GeneratorType,
    types.CoroutineType, types.AsyncGeneratorType, types.FrameType, types.CodeType, types.TracebackType, property,
    staticmethod, classmethod, memoryview,
)  # fmt: skip
_PYDANTIC = ("__pydantic_fields_set__", "__pydantic_extra__", "__pydantic_private__")


class Shape(NamedTuple):
    """What is known of a class whose instances can be taken apart."""

    slots: Mapping[str, Any]
    """Descriptors of the attributes that are kept in slots."""
    base: type | None
    """The builtin type that it extends."""
    attributes: bool
    """Whether instances have a ``__dict__``."""
    pydantic: bool

    @property
    def immutable(self) -> bool:
        """Whether an instance must be made with its content at once."""
        return self.base in IMMUTABLE_BASES


class Kept(NamedTuple):
    """An object, taken apart; what a class has not is None."""

    fields: dict[str, Any]
    slots: dict[str, Any] | None
    content: Any
    pydantic: tuple[dict[str, Any] | None, dict[str, Any] | None, list[str]] | None


def shape_of(cls: type) -> Shape | None:
    """How instances of a class are taken apart; None if they cannot be."""
    return _shape_of(cls)


@cache
def _shape_of(cls: Hashable) -> Shape | None:
    assert isinstance(cls, type)
    if cls in values.TYPES or issubclass(cls, (*_NEVER, type, Enum, BaseException)) or not cls.__flags__ & _HEAP_TYPE:
        return None
    pydantic = _is_pydantic(cls)
    if cls.__module__.partition(".")[0] in _LIVE and not (pydantic or _declares_fields(cls)):
        return None
    slots = _slots(cls)
    if pydantic:
        slots = {name: slot for name, slot in slots.items() if name not in _PYDANTIC}
    base = next((each for each in BASES if issubclass(cls, each)), None)
    if _maker(cls) not in _MAKERS or _keeps_more(cls, len(slots) + (len(_PYDANTIC) if pydantic else 0), base):
        return None
    return Shape(slots, base, bool(cls.__dictoffset__), pydantic)


def take_apart(shape: Shape, value: Any) -> Kept:
    fields = object.__getattribute__(value, "__dict__") if shape.attributes else {}
    slots = _slot_values(shape, value) if shape.slots else None
    content = _content(shape.base, value) if shape.base is not None else None
    return Kept(fields, slots, content, _pydantic_state(value) if shape.pydantic else None)


def shell(cls: type, shape: Shape, content: Any = None) -> Any:
    """A new instance without anything in it, or, where it cannot change, with its content."""
    if shape.immutable:
        assert shape.base is not None
        if type(content) is not shape.base:
            raise TypeError(f"the content of a {cls.__qualname__} is no {shape.base.__name__}")
        return shape.base.__new__(cls, content)
    return _maker(cls).__new__(cls)


def _maker(cls: type) -> Any:
    """The class in C that makes instances."""
    return next(base for base in cls.__mro__ if isinstance(vars(base).get("__new__"), types.BuiltinFunctionType))


def put_together(shape: Shape, value: Any, kept: Kept) -> None:
    """Give an instance exactly these attributes and this content; what it had before is gone."""
    if shape.attributes:
        fields = object.__getattribute__(value, "__dict__")
        if fields is not kept.fields:
            fields.clear()
            fields.update(kept.fields)
    elif kept.fields:
        raise TypeError(f"a {type(value).__qualname__} has no attribute {next(iter(kept.fields))!r}")
    _set_slots(shape, value, kept.slots or {})
    if shape.base is not None and not shape.immutable:
        refill(shape.base, value, kept.content)
    if shape.pydantic:
        private, extra, names = kept.pydantic or (None, None, [])
        object.__setattr__(value, "__pydantic_fields_set__", set(names))
        object.__setattr__(value, "__pydantic_extra__", extra)
        object.__setattr__(value, "__pydantic_private__", private)


def refill(base: type, value: Any, content: Any) -> None:
    """Give a list, dictionary, set or byte array another content, whatever methods its class has."""
    if base is list or base is bytearray:
        base.__setitem__(value, slice(None), content)
    else:
        base.clear(value)  # type: ignore[attr-defined]
        base.update(value, content)  # type: ignore[attr-defined]


def _content(base: type | None, value: Any) -> Any:
    """What an instance has of the builtin type that it extends, as exactly that type."""
    if base is list or base is tuple:
        return base(base.__iter__(value))
    if base is dict:
        return dict(dict.items(value))
    if base is set or base is frozenset:
        return base(base.__iter__(value))
    if base is str:
        return str.__str__(value)
    if base is int:
        return int.__int__(value)
    if base is float:
        return float.__float__(value)
    if base is complex:
        return complex(complex.real.__get__(value), complex.imag.__get__(value))
    return bytes.__getitem__(value, slice(None)) if base is bytes else bytearray.__getitem__(value, slice(None))


def _slots(cls: type) -> dict[str, Any]:
    """The descriptors of everything in slots, by the name that the class's code uses for it."""
    found: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        if base in BASES:
            continue  # the parts of a complex number are its content
        members = ((name, each) for name, each in vars(base).items() if isinstance(each, types.MemberDescriptorType))
        found.update((name, each) for name, each in members if name not in ("__dict__", "__weakref__"))
    return found


def _slot_values(shape: Shape, value: Any) -> dict[str, Any]:
    found = {}
    for name, slot in shape.slots.items():
        try:
            found[name] = slot.__get__(value)
        except AttributeError:
            continue  # never set
    return found


def _set_slots(shape: Shape, value: Any, wanted: Mapping[str, Any]) -> None:
    for name in wanted:
        if name not in shape.slots:
            raise TypeError(f"a {type(value).__qualname__} has no slot {name!r}")
    for name, slot in shape.slots.items():
        if name in wanted:
            slot.__set__(value, wanted[name])
        else:
            try:
                slot.__delete__(value)
            except AttributeError:
                continue


def _pydantic_state(value: Any) -> tuple[dict[str, Any] | None, dict[str, Any] | None, list[str]]:
    private = getattr(value, "__pydantic_private__", None)
    extra = getattr(value, "__pydantic_extra__", None)
    return private, extra, sorted(getattr(value, "__pydantic_fields_set__", ()) or ())


def _is_pydantic(cls: type) -> bool:
    return any(base.__module__ == "pydantic.main" and base.__name__ == "BaseModel" for base in cls.__mro__)


def _declares_fields(cls: type) -> bool:
    """Whether a class says itself that it is data: a dataclass, or one of attrs."""
    return hasattr(cls, "__dataclass_fields__") or hasattr(cls, "__attrs_attrs__")


def _keeps_more(cls: type, slots: int, base: type | None) -> bool:
    """Whether instances have room for something that Python cannot see, as all that are written in C do."""
    pointers = slots + bool(cls.__dictoffset__) + bool(cls.__weakrefoffset__)
    size = (base or object).__basicsize__
    return cls.__basicsize__ > size + pointers * _POINTER or (base is None and cls.__itemsize__ > 0)
