"""Containers that can change and are neither lists, dictionaries nor sets: each is a name and arguments.

============  ==========================================================================================================
name          arguments
============  ==========================================================================================================
bytearray     its bytes
deque         its greatest length or nil, and its elements as a list
ordered       a dictionary that minds its order (``OrderedDict``), as a dictionary
defaultdict   the name of the type that makes what is missing (``list``, ``dict``, ``set``, ``int``, …) or nil, and a
              dictionary
namespace     its attributes as a dictionary
array         of numpy: its type, as ``dtype.str`` has it, its shape as a list, and its bytes in C order
============  ==========================================================================================================
"""

from __future__ import annotations

import sys
from collections import OrderedDict, defaultdict, deque
from types import SimpleNamespace
from typing import Any

from takeback.documents.values import Taken, array_parts, make_array

MUTABLE = frozenset({list, dict, set, bytearray, deque, OrderedDict, defaultdict, SimpleNamespace})
"""The builtin types of what can change."""
_FACTORIES: dict[Any, str] = {list: "list", dict: "dict", set: "set", int: "int", float: "float", str: "str"}
_FACTORY_OF = {name: factory for factory, name in _FACTORIES.items()}


def take(value: Any) -> Taken | None:
    """The name and the arguments of a container; None if it is none of these, TypeError if it cannot be written."""
    kind = type(value)
    if kind is bytearray:
        return "bytearray", (bytes(value),)
    if kind is deque:
        return "deque", (value.maxlen, list(value))
    if kind is OrderedDict:
        return "ordered", (dict(value),)
    if kind is defaultdict:
        factory = value.default_factory
        if factory is not None and factory not in _FACTORIES:
            raise TypeError("its default factory is code")
        return "defaultdict", (_FACTORIES.get(factory), dict(value))
    if kind is SimpleNamespace:
        return "namespace", (vars(value),)
    return ("array", array_parts(value)) if is_array(value) else None


def shell(name: str, most: int | None = None) -> Any:
    """An empty one, with the greatest length of a deque; ValueError if there is none of that name."""
    if name == "deque":
        return deque(maxlen=most)
    made = {"bytearray": bytearray, "ordered": OrderedDict, "defaultdict": defaultdict, "namespace": SimpleNamespace}
    if name not in made:
        raise ValueError(f"there is no container called {name!r:.40}")
    return made[name]()


def make(name: str, arguments: list[Any]) -> Any:
    """The container of a name and arguments; ValueError or TypeError if there is none."""
    if name == "array":
        return make_array(*arguments)
    value = shell(name, arguments[0] if name == "deque" else None)
    fill(value, arguments)
    return value


def fill(value: Any, arguments: list[Any]) -> None:
    """Give an empty container its content."""
    if isinstance(value, bytearray):
        value[:] = _checked(bytes, *arguments)
    elif isinstance(value, deque):
        value.extend(_checked(list, arguments[1]))
    elif isinstance(value, defaultdict):
        factory, items = arguments
        value.default_factory = None if factory is None else _FACTORY_OF[factory]
        value.update(_checked(dict, items))
    elif isinstance(value, SimpleNamespace):
        vars(value).update(_checked(dict, *arguments))
    else:
        value.update(_checked(dict, *arguments))


def is_array(value: Any) -> bool:
    numpy = sys.modules.get("numpy")  # whoever has one has loaded it
    return numpy is not None and type(value) is numpy.ndarray


def _checked(kind: type, value: Any) -> Any:
    if type(value) is not kind:
        raise TypeError(f"a {kind.__name__} is expected")
    return value
