"""Changes that touch no file: saves, names, pins, forks, and snapshots that are dropped."""

from __future__ import annotations

import os
from collections.abc import Callable

from takeback import shapes
from takeback.errors import InvalidInput
from takeback.model.progress import Listener
from takeback.shapes import Shape
from takeback.web.asked import Asked
from takeback.web.shared import Shared

_BY_WEB = {"by": "web"}
"""The context of snapshots that the page asked for."""


def save(shared: Shared, asked: Asked) -> Shape:
    lane, label = shared.lane(asked), asked.maybe("label")

    def work(listener: Listener) -> Shape:
        with shared.desk.act(lane, listener) as line:
            before = line.head
            saved = line.save(label, context=_BY_WEB)
        return {**shapes.snapshot(saved), "label": label, "new": saved.id != before}

    return {"job": shared.jobs.start("save", work).id}


def label(shared: Shared, asked: Asked) -> Shape:
    name = asked.must("name")
    return _marked(shared, asked, lambda line, id: line.label(id, name))


def unlabel(shared: Shared, asked: Asked) -> Shape:
    name = asked.must("name")
    return _marked(shared, asked, lambda line, id: line.unlabel(id, name))


def pin(shared: Shared, asked: Asked) -> Shape:
    return _marked(shared, asked, lambda line, id: line.pin(id))


def unpin(shared: Shared, asked: Asked) -> Shape:
    return _marked(shared, asked, lambda line, id: line.unpin(id))


def drop(shared: Shared, asked: Asked) -> Shape:
    """Remove a snapshot; until the next maintenance it can be brought back."""
    line = shared.line(asked)
    return {"id": line.drop(line.show(asked.must("ref")).id), "dropped": True}


def undrop(shared: Shared, asked: Asked) -> Shape:
    """Bring a dropped snapshot back, as long as its content was not freed."""
    return {"id": shared.desk.store.undrop(asked.must("ref")), "dropped": False}


def fork(shared: Shared, asked: Asked) -> Shape:
    """Begin another timeline at a snapshot; without ``to``, in a directory of its name beside this one."""
    lane, name = shared.lane(asked), asked.must("name")
    if not name.isprintable() or not name.strip():
        raise InvalidInput("a timeline's name is of printable characters")
    root = shared.desk.lane(lane).root
    to = asked.maybe("to")
    if to is None and (os.sep in name or name in (".", "..") or not root):
        raise InvalidInput("the fork's directory has to be named", hints=["`to` says where its files go"])
    origin = shared.line(asked).show(asked.must("ref")).id
    place = os.path.normpath(os.path.join(root, os.path.expanduser(to) if to else os.path.join(os.pardir, name)))

    def work(listener: Listener) -> Shape:
        with shared.desk.act(lane, listener) as line:
            made = line.fork(origin, name, place)
        number = next(
            (each.number for each in shared.desk.lanes() if (each.root, each.name) == (made.root, made.name)), 0
        )
        return {"timeline": made.name, "root": made.root, "id": made.head, "fork_of": origin, "lane": number}

    return {"job": shared.jobs.start(f"fork {name}", work).id}


def _marked(shared: Shared, asked: Asked, mark: Callable[..., None]) -> Shape:
    line = shared.line(asked)
    id = line.show(asked.must("ref")).id
    mark(line, id)
    found = line.show(id)
    return {"id": id, "labels": list(found.labels), "pinned": found.pinned}


ROUTES = (
    ("POST", "/api/save", save),
    ("POST", "/api/label", label),
    ("POST", "/api/unlabel", unlabel),
    ("POST", "/api/pin", pin),
    ("POST", "/api/unpin", unpin),
    ("POST", "/api/drop", drop),
    ("POST", "/api/undrop", undrop),
    ("POST", "/api/fork", fork),
)
