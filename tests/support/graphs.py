"""Object graphs at random, with aliases and circles, and changes to them at random."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable
from random import Random
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple


class Agent:
    """An object with any attributes."""

    def __init__(self, **attributes: Any) -> None:
        vars(self).update(attributes)

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

        def __setattr__(self, name: str, value: Any) -> None: ...


class Pair(NamedTuple):
    left: Any
    right: Any


class Items(list[Any]):
    pass


_MAKE: list[Callable[[], Any]] = [
    list,
    dict,
    set,
    Items,
    Agent,
    SimpleNamespace,
    lambda: deque(maxlen=9),
    OrderedDict,
    bytearray,
]


def graph_at_random(chance: Random) -> Agent:
    """An agent, and what it leads to."""
    root = Agent()
    made: list[Any] = [root, *(chance.choice(_MAKE)() for _ in range(chance.randrange(1, 14)))]
    for value in made:
        for _ in range(chance.randrange(4)):
            _add(chance, value, _element(chance, made))
    for number, value in enumerate(made[1:]):
        if chance.random() < 0.7:
            setattr(root, f"part{number}", value)
    return root


def change_at_random(chance: Random, root: Any) -> None:
    """Change some containers in place, replace others, and alias and drop some."""
    all_of_it = list(containers_of(root).values())
    for _ in range(chance.randrange(1, 8)):
        value = chance.choice(all_of_it)
        kind = chance.randrange(4)
        if kind == 0:
            _add(chance, value, _element(chance, [*all_of_it, [1], {"new": 1}]))
        elif kind == 1:
            _remove(chance, value)
        elif kind == 2 and isinstance(value, list) and value:
            value[chance.randrange(len(value))] = _element(chance, all_of_it)
        elif kind == 3 and isinstance(value, Agent | SimpleNamespace) and vars(value):
            name = chance.choice(list(vars(value)))
            vars(value)[name] = chance.choice([None, [], {}, Agent(), _element(chance, all_of_it)])


def containers_of(root: Any) -> dict[int, Any]:
    """Everything in a graph that can change, by identity."""
    found: dict[int, Any] = {}
    waiting = [root]
    while waiting:
        value = waiting.pop()
        if id(value) in found or isinstance(value, str | bytes | int | float | None):
            continue
        if not isinstance(value, tuple | frozenset):
            found[id(value)] = value
        if isinstance(value, Agent | SimpleNamespace | Items):
            waiting += vars(value).values()
        if isinstance(value, dict):
            waiting += [*value, *value.values()]
        elif isinstance(value, list | tuple | set | frozenset | deque):
            waiting += value
    return found


Owners = dict[int, set[tuple[int, Any]]]


def owners_of(root: Any) -> Owners:
    """For everything that can change, where it stands: in which object, and under which name; None where there is none."""
    found: Owners = {}
    for owner in containers_of(root).values():
        named = vars(owner) if isinstance(owner, Agent | SimpleNamespace) else owner if type(owner) is dict else {}
        for name, value in named.items():
            found.setdefault(id(value), set()).add((id(owner), name if isinstance(name, str) else None))
        if not named and isinstance(owner, list | tuple | set | frozenset | deque | dict):
            for value in containers_of([*owner, *(owner.values() if isinstance(owner, dict) else ())]).values():
                found.setdefault(id(value), set()).add((id(owner), None))
        for value in named.values():
            if isinstance(value, tuple):
                for inner in containers_of(value).values():
                    found.setdefault(id(inner), set()).add((id(owner), None))
    return found


def anchored(root: Any, before: Owners, after: Owners) -> set[int]:
    """What stands in the same objects under the same names as before, up to the root, and nowhere else."""
    found = {id(root)}
    while True:
        more = {
            key
            for key, places in after.items()
            if places == before.get(key) and all(owner in found and name is not None for owner, name in places)
        } - found
        if not more:
            return found & containers_of(root).keys()
        found |= more


def _element(chance: Random, made: list[Any]) -> Any:
    kind = chance.randrange(8)
    if kind == 0:
        return chance.choice([None, True, 1, 1 << 70, 0.5, "text", "\ud800", b"bytes", "long" * 2000])
    if kind == 1:
        return (chance.choice(made), chance.randrange(9))
    if kind == 2:
        return Pair(chance.choice(made), chance.choice(made))
    if kind == 3:
        return [{"id": str(n), "content": [n]} for n in range(chance.randrange(5))]
    return chance.choice(made)


def _is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _add(chance: Random, container: Any, value: Any) -> None:
    if isinstance(container, list | deque):
        container.append(value)
    elif isinstance(container, dict):
        key = value if _is_hashable(value) and chance.random() < 0.2 else chance.choice(["a", "b", "c", 4])
        container[key] = value
    elif isinstance(container, set):
        container.add(value if _is_hashable(value) else chance.randrange(100))
    elif isinstance(container, bytearray):
        container += bytes([chance.randrange(256)])
    else:
        vars(container)[chance.choice("abcd")] = value


def _remove(chance: Random, container: Any) -> None:
    if isinstance(container, list | deque | bytearray) and container:
        del container[chance.choice([0, len(container) - 1])]
    elif isinstance(container, dict | Agent | SimpleNamespace):
        items = container if isinstance(container, dict) else vars(container)
        if items:
            del items[chance.choice(list(items))]
    elif isinstance(container, set) and container:
        container.pop()
