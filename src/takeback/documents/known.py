"""Which classes may come back from a document: nothing is ever imported because stored data names it.

A class comes back if it was registered, if the caller allows it, if it is live in the object that is being restored, or if
the annotations of such a class name it: an agent whose list of messages is empty just now still says of which they are.
"""

from __future__ import annotations

import inspect
import sys
import typing
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from takeback.errors import InvalidInput


class Custom(NamedTuple):
    """How a registered class is written and read, if not by its attributes."""

    encode: Callable[[Any], Any]
    decode: Callable[[Any], Any]


_NAMES: dict[type, str] = {}
_REGISTERED: dict[str, type] = {}
_CUSTOM: dict[type, Custom] = {}


def register(
    cls: type,
    name: str | None = None,
    *,
    encode: Callable[[Any], Any] | None = None,
    decode: Callable[[Any], Any] | None = None,
) -> type:
    """Let a class come back wherever a document names it, under ``name`` if the class may be moved or renamed.

    With ``encode`` and ``decode`` its instances are written as what the one makes of them, and made by the other.
    """
    if not isinstance(cls, type):
        raise InvalidInput(f"{cls!r} is no class, so it cannot be registered")
    if (encode is None) != (decode is None):
        raise InvalidInput("encode and decode come together, or not at all")
    name = name or default_name(cls)
    other = _REGISTERED.get(name)
    if other is not None and other is not cls and default_name(other) != default_name(cls):
        raise InvalidInput(f"{name!r} is registered already, for {default_name(other)}")
    _REGISTERED[name] = cls
    _NAMES[cls] = name
    if encode is not None and decode is not None:
        _CUSTOM[cls] = Custom(encode, decode)
    return cls


def default_name(cls: type) -> str:
    return f"{cls.__module__}:{cls.__qualname__}"


def name_of(cls: type) -> str:
    """What documents call a class."""
    return _NAMES.get(cls) or default_name(cls)


def custom(cls: type) -> Custom | None:
    return _CUSTOM.get(cls)


class Known:
    """The classes that may come back, by name."""

    def __init__(self, allowed: Iterable[type] = ()) -> None:
        self._allowed: dict[str, type] = {}
        self.allow(allowed)

    def allow(self, classes: Iterable[type]) -> None:
        """Add classes, and those that their annotations name."""
        waiting = list(classes)
        seen: set[int] = set()
        while waiting:
            cls = waiting.pop()
            if not isinstance(cls, type):
                raise InvalidInput(f"{cls!r} is no class, so it cannot be allowed", hints=["types=[Message, …]"])
            if id(cls) not in seen and self._allowed.get(name_of(cls)) is not cls:
                seen.add(id(cls))  # two classes may have one name, and lead to each other
                self._allowed[name_of(cls)] = cls
                self._allowed.setdefault(default_name(cls), cls)
                waiting += _named_by(cls)

    def find(self, name: str) -> type | None:
        return self._allowed.get(name) or _REGISTERED.get(name)

    def expect(self, name: str) -> type:
        found = self.find(name)
        if found is None:
            raise not_known(name)
        return found


def not_known(name: str) -> InvalidInput:
    module, _, qualname = name.partition(":")
    short = qualname.rpartition(".")[2] or name
    called = f', "{name}"' if module == "__main__" else ""  # imported, the script's classes have another module
    return InvalidInput(
        f"the state holds a {qualname or name} (of {module}), a class that may not come back here",
        hints=[
            f"allow it: types=[{short}]",
            f"or once for all: takeback.documents.register({short}{called})",
        ],
    )


def _named_by(cls: type) -> list[type]:
    """Classes that the annotations of a class lead to, and that could be written as objects."""
    if cls.__module__ in ("builtins", "typing"):
        return []
    found: list[type] = []
    for annotation in _annotations(cls).values():
        _collect(annotation, found)
    return [each for each in found if each.__module__ != "builtins"]


def _annotations(cls: type) -> Mapping[str, Any]:
    """All annotations of a class and its bases; those that cannot be resolved are passed over."""
    try:
        return typing.get_type_hints(cls)
    except Exception:  # an annotation is any code of its author's
        fields = getattr(cls, "__pydantic_fields__", None) or {}
        return {name: getattr(field, "annotation", None) for name, field in dict(fields).items()} | _resolved(cls)


def _resolved(cls: type) -> dict[str, Any]:
    """Annotations that are classes, or names of classes in the module of the class."""
    found: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        module = vars(sys.modules[base.__module__]) if base.__module__ in sys.modules else {}
        for name, annotation in inspect.get_annotations(base).items():
            found[name] = module.get(annotation) if isinstance(annotation, str) else annotation
    return found


def _collect(annotation: Any, found: list[type]) -> None:
    if isinstance(annotation, type) and not typing.get_args(annotation):
        found.append(annotation)
    for inner in typing.get_args(annotation):
        if not isinstance(inner, str | int | bytes):
            _collect(inner, found)
