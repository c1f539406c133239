"""From plain data to an agent, where the data may come from an enemy.

LangChain's `Reviver` makes LangChain's own objects, of allowed classes only; those that it cannot make are rebuilt from
a table of our own (`known`). By default the classes of langchain-core may come back: messages, prompts, documents, parsers
and runnables, whose constructors do nothing but keep their arguments. Models may not: a file could point one at any
address. They come back if the caller names their classes. Secrets are never looked for in the environment, and only go
to what may be a model, never into a message.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from takeback.adapters.persist import plain
from takeback.adapters.persist.errors import PersistConfigurationError, PersistIntegrityError, PersistUnavailableError
from takeback.adapters.persist.known import Allowed, Id, allowed, classic, ids_of
from takeback.adapters.persist.places import AGENT, Named, Place

if TYPE_CHECKING:
    from langchain_core.load.load import Reviver

AllowedObjects = Literal["messages", "core", "all"] | Iterable[type]
"""LangChain's words, or classes that may come back besides those of ``core``."""

_WORDS = ("messages", "core", "all")


class Loader:
    """One restore. ``used`` are the names in ``supply`` that were needed."""

    def __init__(
        self,
        allowed_objects: AllowedObjects = "core",
        secrets_map: Mapping[str, str] | None = None,
        supply: Mapping[str, Any] | None = None,
    ) -> None:
        self._supply = dict(supply or {})
        self._supplied = Named(frozenset(self._supply))
        self._secrets = dict(secrets_map or {})
        self._missing: set[str] = set()
        self._classes: Allowed = {}
        self._word: str = "core"
        if isinstance(allowed_objects, str):
            if allowed_objects not in _WORDS:
                raise PersistConfigurationError(
                    f"allowed_objects cannot be {allowed_objects!r}", hints=[f"one of {', '.join(_WORDS)}, or classes"]
                )
            self._word = allowed_objects
        else:
            self._classes = ids_of(allowed_objects)
        self._revivers: tuple[Reviver, Reviver] | None = None
        self.used: set[str] = set()

    def load(self, value: Any, place: Place = AGENT) -> Any:
        if place in self._supplied:
            self.used.add(place.name)
            return self._supply[place.name]
        plain.check_depth(place)
        if isinstance(value, list):
            return [self.load(inner, place.item(index)) for index, inner in enumerate(value)]
        if not isinstance(value, dict):
            return value
        if plain.is_wrapped(value):
            return plain.unwrapped(value)
        if value.get("lc") == 1 and value.get("id") is not None:
            if value.get("type") == "constructor":
                return self._object(value, place)
            if value.get("type") == "not_implemented":
                raise _empty(value, place)
            if value.get("type") == "secret":
                raise PersistIntegrityError(f"{place} asks for a secret where none belongs")
        return {name: self.load(inner, place.item(name)) for name, inner in value.items()}

    def _object(self, value: dict[str, Any], place: Place) -> Any:
        id, given = value["id"], value.get("kwargs", {})
        if not isinstance(id, list) or len(id) < 2 or not all(isinstance(each, str) for each in id):
            raise PersistIntegrityError(f"{place} is damaged: it does not say what it is")
        if not isinstance(given, dict):
            raise PersistIntegrityError(f"{place} is damaged: it has no arguments")
        core, reviver = self._langchain()
        named = self._classes.get(tuple(id)) or allowed(tuple(id))
        cls = named or classic(tuple(id))
        if cls is None and tuple(id) not in (reviver.allowed_class_paths or ()):
            raise _not_allowed(tuple(id), place)
        may_know = named is not None or (cls is None and tuple(id) not in (core.allowed_class_paths or ()))
        kwargs = {name: self._argument(inner, place.field(name), may_know) for name, inner in given.items()}
        for name in getattr(cls, "model_fields", ()):
            if name not in kwargs and place.field(name) in self._supplied:
                kwargs[name] = self.load(None, place.field(name))
        try:
            if cls is None:
                return reviver({**value, "kwargs": kwargs})
            _check_arguments(tuple(id), kwargs)
            return cls(**kwargs)
        except RecursionError:
            raise
        except Exception as error:  # a class's own constructor may raise anything
            raise self._failed(tuple(id), place, error) from error

    def _argument(self, value: Any, place: Place, may_know: bool) -> Any:
        """An argument, which may be a secret where there may be one."""
        is_secret = isinstance(value, dict) and value.get("lc") == 1 and value.get("type") == "secret"
        if not is_secret or not may_know or place in self._supplied:
            return self.load(value, place)
        match value.get("id"):
            case [str(name)]:
                if name not in self._secrets:
                    self._missing.add(name)
                return self._secrets.get(name)
        raise PersistIntegrityError(f"{place} is damaged: it does not say which secret it is")

    def _langchain(self) -> tuple[Reviver, Reviver]:
        """LangChain's way for core alone, and for what is allowed here."""
        if self._revivers is None:
            try:
                from langchain_core.load.load import Reviver
            except ImportError as error:
                raise PersistUnavailableError(
                    "the snapshot holds LangChain objects, and langchain-core is not installed",
                    hints=["pip install 'takeback[langchain]'"],
                ) from error
            self._revivers = Reviver("core"), Reviver(self._word)  # type: ignore[arg-type]
        return self._revivers

    def _failed(self, id: Id, place: Place, error: Exception) -> PersistConfigurationError:
        hints = []
        if self._missing:
            names = ", ".join(f"{name!r}: …" for name in sorted(self._missing))
            hints.append(f"it needs secrets: restore(…, secrets_map={{{names}}})")
        reason = str(error).strip().splitlines()[0][:200] if str(error).strip() else type(error).__name__
        return PersistConfigurationError(f"cannot bring back {place}, a {_name(id)}: {reason}", hints=hints)


def _check_arguments(id: Id, kwargs: dict[str, Any]) -> None:
    from langchain_core.load.load import default_init_validator

    default_init_validator(id, kwargs)


def _name(id: Id) -> str:
    return "".join(each if each.isprintable() else "?" for each in ".".join(id)[:200])


def _not_allowed(id: Id, place: Place) -> PersistConfigurationError:
    hints = [f"if you trust the file, name the class: restore(…, allowed_objects=[{_name(id[-1:])}])"]
    if place.name:
        hints.append(f"or supply the object: restore(…, supply={{{place.name!r}: …}})")
    return PersistConfigurationError(f"cannot bring back {place}: its class {_name(id)} is not allowed", hints=hints)


def _empty(value: dict[str, Any], place: Place) -> PersistConfigurationError:
    id = value["id"]
    name = _name(tuple(map(str, id))) if isinstance(id, list) else "something"
    if not place.name:
        return PersistConfigurationError(
            f"cannot bring back the agent: the file holds only the name of a {name}, not what was in it",
            hints=["take a snapshot of it with takeback, which refuses what cannot come back"],
        )
    return PersistConfigurationError(
        f"cannot bring back {place}: the snapshot was taken without this {name}",
        hints=[f"supply it: restore(…, supply={{{place.name!r}: …}})"],
    )
