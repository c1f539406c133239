"""Proof, when a snapshot is taken, that it will come back: what was written is read again in memory and compared.

Secrets are no part of it (they come from whoever restores), nor are live clients, which a constructor makes anew.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from takeback.adapters.persist.dumping import secret_names
from takeback.adapters.persist.errors import PersistConfigurationError
from takeback.adapters.persist.known import id_of
from takeback.adapters.persist.loading import Loader
from takeback.adapters.persist.places import AGENT, Named, Place

_ANY_SECRET = "not-the-secret"


def prove(agent: Any, state: Any, secrets: Collection[str], left: Mapping[str, Any]) -> None:
    """Raise if ``state``, together with what was left out, does not give ``agent`` back.

    It was made a moment ago from a live agent, so any class may be loaded.
    """
    found = Loader("all", dict.fromkeys(secrets, _ANY_SECRET), left).load(state)
    _compare(agent, found, AGENT, Named(frozenset(left)))


def _compare(was: Any, found: Any, place: Place, left: Named) -> None:
    if was is found or place in left:
        return
    if not _is_of_its_class(was, found):
        raise _differs(place, f"a {type(was).__qualname__} would come back as a {type(found).__qualname__}")
    if isinstance(was, dict):
        if list(was) != list(found):
            raise _differs(place, "other keys would come back")
        for name in was:
            _compare(was[name], found[name], place.item(name), left)
    elif isinstance(was, list | tuple):
        if len(was) != len(found):
            raise _differs(place, "it would come back with another length")
        for index, (one, other) in enumerate(zip(was, found, strict=True)):
            _compare(one, other, place.item(index), left)
    elif hasattr(type(was), "model_fields"):
        _compare_fields(was, found, place, left)
    elif _is_data(was) and was != found:
        raise _differs(place, "another value would come back")


def _compare_fields(was: Any, found: Any, place: Place, left: Named) -> None:
    secret = secret_names(was) if hasattr(was, "lc_secrets") else ()
    for name, field in type(was).model_fields.items():
        if name in secret:
            continue
        one, other = getattr(was, name, None), getattr(found, name, None)
        if field.exclude or not _is_held(one):
            if one is not None and other is None and place.field(name) not in left:
                raise _differs(place.field(name), f"this {type(one).__qualname__} would not come back")
        else:
            _compare(one, other, place.field(name), left)
    for name, one in (getattr(was, "__pydantic_private__", None) or {}).items():
        if _is_data(one) and one != (found.__pydantic_private__ or {}).get(name):
            raise _differs(place.field(name), "what is private in it would not come back")
    for name, one in (getattr(was, "__pydantic_extra__", None) or {}).items():
        _compare(one, (found.__pydantic_extra__ or {}).get(name), place.field(name), left)


def _is_of_its_class(was: Any, found: Any) -> bool:
    """The very class, or one that LangChain itself gives the same name: some of its classes only differ for checkers."""
    if type(was) is type(found):
        return True
    return isinstance(was, type(found)) and hasattr(was, "lc_id") and id_of(type(was)) == id_of(type(found))


def _is_held(value: Any) -> bool:
    """Whether a field's value is something that can be compared: data, a container, or an object with fields."""
    return _is_data(value) or isinstance(value, dict | list | tuple) or hasattr(type(value), "model_fields")


def _is_data(value: Any) -> bool:
    if isinstance(value, dict):
        return all(map(_is_data, value.values()))
    if isinstance(value, list | tuple | set | frozenset):
        return all(map(_is_data, value))
    return value is None or isinstance(value, str | bytes | int | float)


def _differs(place: Place, how: str) -> PersistConfigurationError:
    hints = [f"leave it out: leave_out=[{place.name!r}]"] if place.name else []
    return PersistConfigurationError(
        f"cannot take a snapshot: {place} would not come back as it is: {how}", hints=hints
    )
