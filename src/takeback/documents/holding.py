"""What containers and objects hold: had as a copy, given, compared, and looked through, whatever methods their classes have."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Collection, Mapping
from operator import is_
from types import SimpleNamespace
from typing import Any, NamedTuple

from takeback.documents.known import custom
from takeback.documents.mutables import MUTABLE, is_array
from takeback.documents.plain import SCALARS
from takeback.documents.shapes import Kept, Shape, put_together, refill, shape_of, take_apart


class Items(list[tuple[Any, Any]]):
    """The content of a dictionary whose keys cannot be hashed yet."""


class Default(NamedTuple):
    """The content of a defaultdict."""

    factory: Any
    items: Any


def mapped(container: Any, placed: Callable[[Any], Any]) -> Any:
    """The content of a container, each element placed."""
    if isinstance(container, dict):
        items = Items((placed(key), placed(each)) for key, each in container.items())
        return dict(items) if all(type(key) in SCALARS for key in container) else items
    if isinstance(container, SimpleNamespace):
        return {name: placed(each) for name, each in vars(container).items()}
    if isinstance(container, list | deque | set):
        return list(map(placed, container))
    if isinstance(container, tuple | frozenset):
        return (tuple if isinstance(container, tuple) else frozenset)(map(placed, container))
    return container


def _placed_map(values: Mapping[str, Any] | None, placed: Callable[[Any], Any]) -> dict[str, Any] | None:
    return None if values is None else {name: placed(each) for name, each in values.items()}


def placed_parts(kept: Kept, placed: Callable[[Any], Any]) -> Kept:
    pydantic = kept.pydantic
    if pydantic is not None:
        private, extra, names = pydantic
        pydantic = _placed_map(private, placed), _placed_map(extra, placed), names
    return Kept(
        {name: placed(each) for name, each in kept.fields.items()},
        _placed_map(kept.slots, placed),
        None if kept.content is None else mapped(kept.content, placed),
        pydantic,
    )


def present(live: Any) -> Any:
    """A copy of what a container holds now."""
    if is_array(live):
        return live.copy()
    if type(live) is defaultdict:
        return Default(live.default_factory, dict(live))
    shape = shape_in(live)
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


def set_content(target: Any, content: Any) -> None:
    shape = shape_in(target)
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


def holds(live: Any, content: Any) -> bool:
    """Whether a container has exactly this content now."""
    if is_array(live):
        return bool(live.tobytes() == content.tobytes())
    now = present(live)
    if isinstance(content, Default):
        return now.factory is content.factory and is_same_content(now.items, content.items)
    if not isinstance(content, Kept):
        return is_same_content(now, content)
    found = all(map(is_same_content, now[:3], content[:3]))
    return found and (now.pydantic is None or all(map(is_same_content, now.pydantic, content.pydantic or ())))


def is_same(live: Any, content: Any) -> bool:
    """Whether a list or dictionary holds exactly this already."""
    return type(live) in (list, dict) and is_same_content(live, content)


def is_same_content(now: Any, content: Any) -> bool:
    if isinstance(content, Items):
        keys, values = [key for key, _ in content], [value for _, value in content]
        return _are_same(now, keys) and _are_same(now.values(), values)
    if isinstance(now, dict):
        return _are_same(now, content) and _are_same(now.values(), content.values())
    if isinstance(now, list | tuple):
        return _are_same(now, content)
    if isinstance(now, set | frozenset):
        return {*map(id, now)} == {*map(id, content)}
    return bool(now == content)


def _are_same(some: Collection[Any], others: Collection[Any]) -> bool:
    return len(some) == len(others) and (all(map(is_, some, others)) or all(map(_is_one, some, others)))


def _is_one(a: Any, b: Any) -> bool:
    return a is b or (type(a) is type(b) and type(a) in (str, int, bytes) and a == b)


def holds_objects(content: Any) -> bool:
    """Whether the content of a dictionary or set has keys or elements that may be live objects."""
    if isinstance(content, Kept | Default):
        content = content.content if isinstance(content, Kept) else content.items
    return isinstance(content, Items) or (
        isinstance(content, list) and any(type(each) not in SCALARS for each in content)
    )


def hashes(value: Any) -> bool:
    shape = shape_in(value)
    return isinstance(value, dict | set) if shape is None else shape.base in (dict, set)


def shape_in(value: Any) -> Shape | None:
    kind = type(value)
    return None if kind in MUTABLE or kind in SCALARS or custom(kind) is not None else shape_of(kind)


def inside(shape: Shape | None, value: Any) -> list[Any]:
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
        inner += as_map(some).values()
    return inner


def as_map(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
