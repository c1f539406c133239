"""Putting a value back into the object that it was captured from: the same object, and the same containers inside of it.

Whoever holds one of the lists or objects inside goes on holding the right one. First everything is matched and made ready;
then every container gets its new content, or, if that fails for one of them, all have their old one.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import compress, count
from operator import is_, not_
from types import SimpleNamespace
from typing import Any, NamedTuple

from takeback.documents.aligning import align, twins
from takeback.documents.holes import Hole
from takeback.documents.known import custom, default_name
from takeback.documents.mutables import MUTABLE, is_array
from takeback.documents.paths import path_to
from takeback.documents.plain import SCALARS
from takeback.documents.shapes import Kept, Shape, put_together, refill, shape_of, shell, take_apart
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
                if _shape(one) is not None:  # a named tuple, or another object whose content cannot change
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
        shape = _shape(fresh)
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
                yield from _mapping_pairs(_map(some), _map(others))

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
                if _hashes(fresh) and _holds_objects(content):
                    yield _change(fresh, content)
                else:
                    new_ones.append((fresh, content))
            elif not _is_same(target, content):
                yield _change(target, content)
        if lost:
            raise Conflict(
                f"nothing was restored: {path_to(root, lost[0], type(root).__name__.lower())} was not captured (a {lost[0].type}), and there is none "
                "now that could be kept",
                hints=["put one there, then restore again"],
            )
        for fresh, content in new_ones:
            _set_content(fresh, content)

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
            shape = _shape(value)
            if shape is None and kind not in MUTABLE and not is_array(value):
                continue
            seen.add(id(value))
            if shape is None or not shape.immutable:
                yield value
            waiting += (
                self._moving(value if kind is list else _inside(shape, value))
                if self._standing
                else _inside(shape, value)
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
            shape = _shape(value)
            return value if shape is None or not shape.immutable else _replaced(shape, value, placed)

        shape = _shape(fresh)
        if type(fresh) is defaultdict:
            return _Default(fresh.default_factory, _mapped(fresh, placed))
        if type(fresh) is list and self._standing:
            content = list(fresh)
            for at in self._moving_places(fresh):
                content[at] = placed(fresh[at])
            return content
        if shape is None:
            return _mapped(fresh, placed)
        return _placed_parts(take_apart(shape, fresh), placed)


class _Items(list[tuple[Any, Any]]):
    """The content of a dictionary whose keys cannot be hashed yet."""


class _Default(NamedTuple):
    """The content of a defaultdict."""

    factory: Any
    items: Any


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


def _placed_parts(kept: Kept, placed: Callable[[Any], Any]) -> Kept:
    pydantic = kept.pydantic
    if pydantic is not None:
        private, extra, names = pydantic
        pydantic = _placed_map(private, placed), _placed_map(extra, placed), names
    return Kept(
        {name: placed(each) for name, each in kept.fields.items()},
        _placed_map(kept.slots, placed),
        None if kept.content is None else _mapped(kept.content, placed),
        pydantic,
    )


def _replaced(shape: Shape, value: Any, placed: Callable[[Any], Any]) -> Any:
    """An object whose content cannot change; another one if something inside has to be."""
    kept = take_apart(shape, value)
    wanted = _placed_parts(kept, placed)
    if all(map(_is_same_content, kept[:3], wanted[:3])):
        return value
    other = shell(type(value), shape, wanted.content)
    put_together(shape, other, wanted)
    return other


def _placed_map(values: Mapping[str, Any] | None, placed: Callable[[Any], Any]) -> dict[str, Any] | None:
    return None if values is None else {name: placed(each) for name, each in values.items()}


def _mapped(container: Any, placed: Callable[[Any], Any]) -> Any:
    """The content of a container, each element placed."""
    if isinstance(container, dict):
        items = _Items((placed(key), placed(each)) for key, each in container.items())
        return dict(items) if all(type(key) in SCALARS for key in container) else items
    if isinstance(container, SimpleNamespace):
        return {name: placed(each) for name, each in vars(container).items()}
    if isinstance(container, list | deque | set):
        return list(map(placed, container))
    if isinstance(container, tuple | frozenset):
        return (tuple if isinstance(container, tuple) else frozenset)(map(placed, container))
    return container


def can_change(value: Any) -> bool:
    """Whether something can be given another content, and stay the same object."""
    return type(value) in MUTABLE or is_array(value) or ((shape := _shape(value)) is not None and not shape.immutable)


def _shape(value: Any) -> Shape | None:
    kind = type(value)
    return None if kind in MUTABLE or kind in SCALARS or custom(kind) is not None else shape_of(kind)


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


def _map(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _inside(shape: Shape | None, value: Any) -> list[Any]:
    if shape is None:
        if isinstance(value, dict):
            return [*value.keys(), *value.values()]
        if isinstance(value, SimpleNamespace):
            return list(vars(value).values())
        return list(value) if isinstance(value, list | set | deque) else []
    kept = take_apart(shape, value)
    inner = [*kept.fields.values(), *(kept.slots or {}).values()]
    if isinstance(kept.content, dict):
        inner += [*kept.content.keys(), *kept.content.values()]
    elif isinstance(kept.content, list | set | tuple | frozenset):
        inner += kept.content
    for some in (kept.pydantic or ())[:2]:
        inner += _map(some).values()
    return inner


def _is_same(live: Any, content: Any) -> bool:
    """Whether a list or dictionary holds exactly this already."""
    return type(live) in (list, dict) and _is_same_content(live, content)


def _are_same(some: Collection[Any], others: Collection[Any]) -> bool:
    return len(some) == len(others) and (all(map(is_, some, others)) or all(map(_is_one, some, others)))


def _is_one(a: Any, b: Any) -> bool:
    return a is b or (type(a) is type(b) and type(a) in (str, int, bytes) and a == b)


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
    old = _present(live)
    return _Change(
        lambda: _set_content(live, content),
        lambda: _holds(live, content),
        lambda: _set_content(live, old),
        _hashes(live),
    )


def _hashes(value: Any) -> bool:
    shape = _shape(value)
    return isinstance(value, dict | set) if shape is None else shape.base in (dict, set)


def _holds_objects(content: Any) -> bool:
    """Whether the content of a dictionary or set has keys or elements that may be live objects."""
    if isinstance(content, Kept | _Default):
        content = content.content if isinstance(content, Kept) else content.items
    return isinstance(content, _Items) or (
        isinstance(content, list) and any(type(each) not in SCALARS for each in content)
    )


def _holds(live: Any, content: Any) -> bool:
    """Whether a container has exactly this content now."""
    if is_array(live):
        return bool(live.tobytes() == content.tobytes())
    now = _present(live)
    if isinstance(content, _Default):
        return now.factory is content.factory and _is_same_content(now.items, content.items)
    if not isinstance(content, Kept):
        return _is_same_content(now, content)
    found = all(map(_is_same_content, now[:3], content[:3]))
    return found and (now.pydantic is None or all(map(_is_same_content, now.pydantic, content.pydantic or ())))


def _is_same_content(now: Any, content: Any) -> bool:
    if isinstance(content, _Items):
        keys, values = [key for key, _ in content], [value for _, value in content]
        return _are_same(now, keys) and _are_same(now.values(), values)
    if isinstance(now, dict):
        return _are_same(now, content) and _are_same(now.values(), content.values())
    if isinstance(now, list | tuple):
        return _are_same(now, content)
    if isinstance(now, set | frozenset):
        return {*map(id, now)} == {*map(id, content)}
    return bool(now == content)


def _present(live: Any) -> Any:
    """A copy of what a container holds now."""
    if is_array(live):
        return live.copy()
    if type(live) is defaultdict:
        return _Default(live.default_factory, dict(live))
    shape = _shape(live)
    if shape is None:
        return _copied_content(live)
    kept = take_apart(shape, live)
    pydantic = kept.pydantic
    if pydantic is not None:
        pydantic = _copied(pydantic[0]), _copied(pydantic[1]), pydantic[2]
    return Kept(dict(kept.fields), kept.slots, kept.content, pydantic)


def _copied_content(live: Any) -> Any:
    if isinstance(live, dict):
        return dict(live)
    if isinstance(live, SimpleNamespace):
        return dict(vars(live))
    if isinstance(live, bytearray):
        return bytes(live)
    return set(live) if isinstance(live, set) else list(live)


def _copied(values: dict[str, Any] | None) -> dict[str, Any] | None:
    return None if values is None else dict(values)


def _set_content(target: Any, content: Any) -> None:
    shape = _shape(target)
    if shape is not None:
        _keep_maps(shape, target, content)
    elif is_array(target):
        target[...] = content
    elif isinstance(target, deque):
        target.clear()
        target.extend(content)
    elif isinstance(target, SimpleNamespace):
        vars(target).clear()
        vars(target).update(content)
    elif isinstance(target, OrderedDict | defaultdict):
        if isinstance(target, defaultdict):
            target.default_factory, content = content
        target.clear()
        target.update(content)
    else:
        refill(type(target), target, content)


def _keep_maps(shape: Shape, target: Any, content: Kept) -> None:
    """Objects keep the dictionaries in which pydantic has private and extra attributes."""
    if content.pydantic is not None:
        private, extra, names = content.pydantic
        now = take_apart(shape, target).pydantic
        assert now is not None
        content = content._replace(pydantic=(_refilled(now[0], private), _refilled(now[1], extra), names))
    put_together(shape, target, content)


def _refilled(now: dict[str, Any] | None, wanted: dict[str, Any] | None) -> dict[str, Any] | None:
    if now is None or wanted is None or now is wanted:
        return wanted
    now.clear()
    now.update(wanted)
    return now
