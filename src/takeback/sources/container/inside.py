"""Paths as a container knows them, for those who name one: ``/etc/hosts`` is what the area that is mounted there has."""

from __future__ import annotations

import posixpath

from takeback.model.jsontext import parse_object
from takeback.sources.container.content import settings_in
from takeback.sources.container.daemon import escaped
from takeback.sources.container.found import FILESYSTEM
from takeback.sources.trees import TreeView
from takeback.store.reader import Reader


def path_of(reader: Reader, content: bytes, path: str) -> str:
    """Where a part has what stands at an absolute path of its container."""
    normal = posixpath.normpath("/" + path.lstrip("/"))
    areas = {where: area for where, area in _mounted(reader, content).items() if _is_within(normal, where)}
    where = max(areas, key=len, default="/")
    inner = normal[len(where) :].strip("/")
    area = areas.get(where, FILESYSTEM)
    return f"{area}/{inner}" if inner else area


def _mounted(reader: Reader, content: bytes) -> dict[str, str]:
    """The areas that stand somewhere inside, by where."""
    view = TreeView(reader, content)
    volumes = parse_object(settings_in(reader, content), "the settings of a container").get("volumes")
    found = {}
    for where, said in volumes.items() if isinstance(volumes, dict) else ():
        name = said.get("name") if isinstance(said, dict) else None
        found[where] = f"volumes/{name or 'at' + escaped(where)}"
    binds = {name.replace("%2F", "/").replace("%25", "%"): f"binds/{name}" for name in view.directory("binds")}
    return {where: area for where, area in (found | binds).items() if view.get(area) is not None}


def _is_within(path: str, where: str) -> bool:
    return path == where or path.startswith(where.rstrip("/") + "/")
