"""Putting a value back into the object that it was captured from: the same object, and the same containers inside of it.

Whoever holds one of the lists or objects inside goes on holding the right one. First everything is matched and made ready;
then every container gets its new content, or, if that fails for one of them, all have their old one.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import compress, count
from operator import not_
from types import SimpleNamespace
from typing import Any, NamedTuple

from takeback.documents.aligning import align, twins
from takeback.documents.holding import (
    Default,
    as_map,
    hashes,
    holds,
    holds_objects,
    inside,
    is_same,
    is_same_content,
    mapped,
    placed_parts,
    present,
    set_content,
    shape_in,
)
from takeback.documents.holes import Hole
from takeback.documents.known import default_name
from takeback.documents.mutables import MUTABLE, is_array
from takeback.documents.paths import path_to
from takeback.documents.plain import SCALARS
from takeback.documents.shapes import Shape, put_together, shell, take_apart
from takeback.documents.standing import Standing
from takeback.errors import Conflict, InvalidInput

_ABSENT = object()


class _Change(NamedTuple):
    """What gives a live container its new content, and what gives it its old one again."""

    apply: Callable[[], None]
    done: Callable[[], bool]
    revert: Callable[[], None]
    hashes: bool
    """Whether it is one that asks its elements for their hashes: these must have their new content by then."""


class Graft:
    """A new value, made ready to take the place of what a live object holds; nothing has changed before `apply`."""

    def __init__(self, fresh: Any, live: Any, standing: Standing) -> None:
        if type(fresh) is not type(live) or not can_change(live):
            raise InvalidInput(
                f"what was saved is a {default_name(type(fresh))}, which cannot be put back into a "
                f"{default_name(type(live))}",
                hints=["restore into an object of the same type that can change in place"],
            )
        self._places: dict[int, Any] = {}
        """What takes the place of a fresh object, by its identity."""
        self._claimed: set[int] = set()
        """Live objects that take a place."""
        self._pairs: list[tuple[Any, Any]] = []
        """Fresh and live objects of which the second is to get the content of the first."""
        self._standing = standing.ids
        """Elements of lists in ``fresh`` that are live already, and stay as they are."""
        self._moving_in: dict[int, tuple[list[Any], list[int]]] = {}
        self._unchanged = standing.unchanged
        self._held: list[Any] = [fresh, live]
        self._match(fresh, live)
        if id(fresh) not in self._places:
            raise InvalidInput(
                f"what was saved does not fit into this {default_name(type(live))}: it has another size or kind of elements, "
                "or cannot be written to",
                hints=["restore into one that is made as the saved one was"],
            )
        self._changes = sorted(self._prepare(fresh), key=lambda change: change.hashes)

    def apply(self) -> None:
        """Give every container its new content; all of them, or none."""
        done: list[_Change] = []
        try:
            for change in self._changes:
                done.append(change)
                change.apply()
            self._read_back()
        except BaseException as error:
            _revert(done)
            if isinstance(error, Exception):
                raise Conflict(f"nothing was restored: {error!r:.200}") from error
            raise

    def _read_back(self) -> None:
        """Every container must hold what it was given, and whatever was left as it stood must be as it was."""
        if not all(change.done() for change in self._changes) or not self._unchanged():
            raise RuntimeError("it reads back differently, so something else changed it meanwhile")

    def _match(self, fresh: Any, live: Any) -> None:
        """Find the live object for every fresh one: what stands at the same place, has the same type, and is free."""
        waiting = deque([(fresh, live)])
        while waiting:
            one, other = waiting.popleft()
            if isinstance(one, Hole):
                if other is not _ABSENT:
                    self._places[id(one)] = other
                continue
            if type(one) is not type(other) or type(one) in SCALARS:
                continue
            if type(one) is tuple:
                waiting += zip(one, other, strict=False)
                continue
            if not can_change(one):
                if shape_in(one) is not None:  # a named tuple, or another object whose content cannot change
                    waiting += self._inner_pairs(one, other)
                continue
            if id(one) in self._places or id(other) in self._claimed or not _fits(one, other):
                continue
            if self._has_standing(one) or not self._take_twins(one, other):
                if one is fresh or not _is_frozen(one):
                    self._places[id(one)] = other
                    self._claimed.add(id(other))
                    self._pairs.append((one, other))
                waiting += self._inner_pairs(one, other)

    def _has_standing(self, value: Any) -> bool:
        return bool(self._standing) and type(value) is list and any(map(self._standing.__contains__, map(id, value)))

    def _take_twins(self, fresh: Any, live: Any, skip: int = 0) -> bool:
        """Leave plain data as it stands that is already as it should be, with all that is inside of it."""
        both = twins(fresh, live)
        if both is None:
            return False
        new, old = both[0][skip:], both[1][skip:]
        places, taken = dict(zip(map(id, new), old, strict=True)), set(map(id, old))
        if len(places) < len(new) or len(taken) < len(old):
            return False  # something is reached twice, perhaps on one side only
        if not self._claimed.isdisjoint(taken) or not self._places.keys().isdisjoint(places):
            return False
        self._places |= places
        self._claimed |= taken
        self._held += (new, old)
        return True

    def _inner_pairs(self, fresh: Any, live: Any) -> Iterator[tuple[Any, Any]]:
        shape = shape_in(fresh)
        if shape is None:
            yield from self._container_pairs(fresh, live)
            return
        new, old = take_apart(shape, fresh), take_apart(shape, live)
        self._held += (new.content, old.content)
        yield from _mapping_pairs(new.fields, old.fields)
        yield from _mapping_pairs(new.slots or {}, old.slots or {})
        if new.content is not None:
            yield from self._container_pairs(new.content, old.content)
        if new.pydantic is not None and old.pydantic is not None:
            for some, others in zip(new.pydantic[:2], old.pydantic[:2], strict=True):
                yield from _mapping_pairs(as_map(some), as_map(others))

    def _container_pairs(self, fresh: Any, live: Any) -> Iterator[tuple[Any, Any]]:
        if isinstance(fresh, dict):
            yield from _mapping_pairs(fresh, live)
        elif isinstance(fresh, SimpleNamespace):
            yield from _mapping_pairs(vars(fresh), vars(live))
        elif isinstance(fresh, list | deque):
            new, old = self._moving(fresh), self._moving(live)
            same, changed = align(new, old)
            if not self._take_twins([new[at] for at, _ in same], [old[at] for _, at in same], skip=1):
                changed = sorted(same + changed)
            yield from ((new[a], old[b]) for a, b in changed)
        elif isinstance(fresh, tuple):
            yield from zip(fresh, live, strict=False)

    def _moving(self, values: Collection[Any]) -> list[Any]:
        """Those that are not standing; most often few of very many."""
        if type(values) is list:
            return [values[at] for at in self._moving_places(values)]
        return [each for each in values if id(each) not in self._standing]

    def _moving_places(self, values: list[Any]) -> list[int]:
        """The same as places in a list. Each list is asked for more than once, and none changes before `apply`."""
        known = self._moving_in.get(id(values))
        if known is None:
            found = list(compress(count(), map(not_, map(self._standing.__contains__, map(id, values)))))
            known = self._moving_in[id(values)] = values, found
        return known[1]

    def _prepare(self, root: Any) -> Iterator[_Change]:
        """What is to be done: live containers wait for `apply`; new ones are nobody's yet, and get it now, but for those that
        ask live objects for their hashes."""
        matched = {id(fresh): live for fresh, live in self._pairs}
        lost: list[Hole] = []
        new_ones: list[tuple[Any, Any]] = []
        for fresh in self._containers(root, self._places.keys() - matched.keys()):
            target = matched.get(id(fresh), fresh)
            content = self._content(fresh, lost)
            if target is fresh:
                if hashes(fresh) and holds_objects(content):
                    yield _change(fresh, content)
                else:
                    new_ones.append((fresh, content))
            elif not is_same(target, content):
                yield _change(target, content)
        if lost:
            raise Conflict(
                f"nothing was restored: {path_to(root, lost[0], type(root).__name__.lower())} was not captured (a {lost[0].type}), and there is none "
                "now that could be kept",
                hints=["put one there, then restore again"],
            )
        for fresh, content in new_ones:
            set_content(fresh, content)

    def _containers(self, root: Any, without: Iterable[int]) -> Iterator[Any]:
        """Everything in a value that can change; what is in ``without``, or stands, is not looked into."""
        seen = set(without)
        waiting = [root]
        while waiting:
            value = waiting.pop()
            kind = type(value)
            if kind in SCALARS or id(value) in seen:
                continue
            if kind is tuple or kind is frozenset:
                waiting += value
                continue
            shape = shape_in(value)
            if shape is None and kind not in MUTABLE and not is_array(value):
                continue
            seen.add(id(value))
            if shape is None or not shape.immutable:
                yield value
            waiting += (
                self._moving(value if kind is list else inside(shape, value))
                if self._standing
                else inside(shape, value)
            )

    def _content(self, fresh: Any, lost: list[Hole]) -> Any:
        """A fresh container's content, with live objects in the places of fresh ones."""

        def placed(value: Any) -> Any:
            kind = type(value)
            if kind in SCALARS:
                return value
            if id(value) in self._places:
                return self._places[id(value)]
            if kind is tuple:
                inner = tuple(map(placed, value))
                return value if all(a is b for a, b in zip(inner, value, strict=True)) else inner
            if kind is frozenset:
                return frozenset(map(placed, value))
            if kind is Hole:
                lost.append(value)
            shape = shape_in(value)
            return value if shape is None or not shape.immutable else _replaced(shape, value, placed)

        shape = shape_in(fresh)
        if type(fresh) is defaultdict:
            return Default(fresh.default_factory, mapped(fresh, placed))
        if type(fresh) is list and self._standing:
            content = list(fresh)
            for at in self._moving_places(fresh):
                content[at] = placed(fresh[at])
            return content
        if shape is None:
            return mapped(fresh, placed)
        return placed_parts(take_apart(shape, fresh), placed)


def _revert(changes: list[_Change]) -> None:
    """Take back changes, the last one first; one that cannot be taken back keeps no other from it."""
    failed: BaseException | None = None
    for change in reversed(changes):
        try:
            change.revert()
        except BaseException as error:
            failed = error
    if failed is not None:
        raise failed


def _replaced(shape: Shape, value: Any, placed: Callable[[Any], Any]) -> Any:
    """An object whose content cannot change; another one if something inside has to be."""
    kept = take_apart(shape, value)
    wanted = placed_parts(kept, placed)
    if all(map(is_same_content, kept[:3], wanted[:3])):
        return value
    other = shell(type(value), shape, wanted.content)
    put_together(shape, other, wanted)
    return other


def can_change(value: Any) -> bool:
    """Whether something can be given another content, and stay the same object."""
    return type(value) in MUTABLE or is_array(value) or ((shape := shape_in(value)) is not None and not shape.immutable)


def _fits(fresh: Any, live: Any) -> bool:
    """Whether the live one can get the content of the fresh one."""
    if isinstance(fresh, deque):
        return bool(fresh.maxlen == live.maxlen)
    if is_array(fresh):
        return bool(fresh.dtype == live.dtype and fresh.shape == live.shape and live.flags.writeable)
    return True


def _mapping_pairs(fresh: Mapping[Any, Any], live: Mapping[Any, Any]) -> Iterator[tuple[Any, Any]]:
    for key, value in fresh.items():
        if type(value) not in SCALARS:
            yield value, live.get(key, _ABSENT)


def _is_frozen(value: Any) -> bool:
    """Whether nobody expects it to change: another one takes its place."""
    cls = type(value)
    parameters = getattr(cls, "__dataclass_params__", None)
    config = getattr(cls, "model_config", None)
    return (
        (parameters is not None and parameters.frozen)
        or (isinstance(config, dict) and bool(config.get("frozen")))
        or (hasattr(cls, "__attrs_attrs__") and cls.__setattr__.__name__ == "_frozen_setattrs")
    )


def _change(live: Any, content: Any) -> _Change:
    old = present(live)
    return _Change(
        lambda: set_content(live, content),
        lambda: holds(live, content),
        lambda: set_content(live, old),
        hashes(live),
    )
