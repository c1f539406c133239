"""From an agent to plain data, in the layout of LangChain's `dumpd`.

LangChain's own objects are written by their own `to_json`, which hides secrets; what LangChain cannot bring back is
written from its fields if it is known here (`known`), left as an empty place if the caller said so, and otherwise refused.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any

from takeback.adapters.persist import plain
from takeback.adapters.persist.errors import PersistConfigurationError
from takeback.adapters.persist.known import id_of, is_allowed, is_classic
from takeback.adapters.persist.places import AGENT, Named, Place

if TYPE_CHECKING:
    from langchain_core.load import Serializable


class Dumper:
    """One agent's way into plain data. ``secrets`` and ``left`` (by name) are what was met on it and is not in it."""

    def __init__(self, leave_out: Collection[str] = ()) -> None:
        self._leave_out = Named(frozenset(leave_out))
        self.secrets: set[str] = set()
        self.left: dict[str, Any] = {}
        self.has_objects = False
        """Whether anything is not plain data, so that LangChain is needed to bring it back."""

    def dump(self, value: Any, place: Place = AGENT) -> Any:
        if place in self._leave_out:
            return self._left_out(value, place)
        plain.check_depth(place)
        if type(value) is dict:
            return self._dict(value, place)
        if type(value) is list:
            return [self.dump(inner, place.item(index)) for index, inner in enumerate(value)]
        if plain.is_scalar(value) or not hasattr(type(value), "model_fields"):
            return plain.scalar(value, place)
        self.has_objects = True
        return self._object(value, place)

    def _dict(self, value: dict[Any, Any], place: Place) -> dict[str, Any]:
        if plain.must_be_wrapped(value):
            return plain.wrapped(plain.data(value, place))
        return {plain.key(name, place): self.dump(inner, place.item(name)) for name, inner in value.items()}

    def _object(self, value: Any, place: Place) -> dict[str, Any]:
        cls = type(value)
        is_written = getattr(cls, "is_lc_serializable", None)
        if callable(is_written) and is_written() and not is_classic(cls):
            node = self._langchain(value, place)
        elif is_classic(cls) or is_allowed(cls):
            kwargs = {name: self.dump(inner, place.field(name)) for name, inner in _fields(value)}
            node = {"lc": 1, "type": "constructor", "id": list(id_of(cls)), "kwargs": kwargs}
        else:
            raise _cannot_come_back(value, place)
        for name in cls.model_fields:
            if name not in node["kwargs"] and place.field(name) in self._leave_out:
                node["kwargs"][name] = self._left_out(getattr(value, name), place.field(name))
        return node

    def _langchain(self, value: Serializable, place: Place) -> dict[str, Any]:
        written: dict[str, Any] = dict(value.to_json())
        if written.get("type") != "constructor":
            raise _cannot_come_back(value, place)
        secret = secret_names(value)
        kwargs = {}
        for name, inner in written["kwargs"].items():
            if name in secret and _is_secret(inner):
                self.secrets.update(inner["id"])
                kwargs[name] = inner
            else:
                kwargs[name] = self.dump(_listed(inner), place.field(name))
        written["kwargs"] = kwargs
        return written

    def _left_out(self, value: Any, place: Place) -> dict[str, Any]:
        """An empty place: LangChain's own mark for what does not come back."""
        self.left[place.name] = value
        self.has_objects = True
        return {"lc": 1, "type": "not_implemented", "id": list(id_of(type(value))), "repr": None}


def _fields(value: Any) -> Iterator[tuple[str, Any]]:
    """What a constructor needs to make the same again; defaults that are no data say nothing."""
    for name, field in type(value).model_fields.items():
        inner = getattr(value, name)
        is_silent = inner is field.default and (inner is None or isinstance(inner, type))
        if not field.exclude and not is_silent:
            yield name, _listed(inner)


def _listed(value: Any) -> Any:
    """A field's tuple is written as a list: that its class makes a tuple of it again is proved (`proving`)."""
    return list(value) if type(value) is tuple else value


def secret_names(value: Serializable) -> set[str]:
    """The arguments that a class or its bases declare secret, by their aliases, too."""
    names: set[str] = set()
    for cls in type(value).__mro__:
        declared = vars(cls).get("lc_secrets")
        if isinstance(declared, property) and declared.fget is not None:
            names.update(declared.fget(value))
    fields = type(value).model_fields
    return names | {alias for name in names if name in fields and (alias := fields[name].alias)}


def _is_secret(value: Any) -> bool:
    return isinstance(value, dict) and value.get("lc") == 1 and value.get("type") == "secret"


def _cannot_come_back(value: Any, place: Place) -> PersistConfigurationError:
    name = type(value).__qualname__
    hints = [f"if its fields are plain data, allow its class here and where you restore: persist.allow({name})"]
    if place.name:
        hints.append(
            f"or leave it out, and supply it again: snapshot(…, leave_out=[{place.name!r}]), "
            f"then restore(…, supply={{{place.name!r}: …}})"
        )
    return PersistConfigurationError(
        f"cannot take a snapshot: {place} is a {name}, which LangChain cannot bring back", hints=hints
    )
