"""Containers that docker compose made for a directory: it says so in their labels."""

from __future__ import annotations

from typing import NamedTuple

from takeback.sources.container.daemon import Daemon

_LABEL = "com.docker.compose."
_PATIENCE = 10


class Composed(NamedTuple):
    """A container of a compose project."""

    name: str
    service: str


def composed(directory: str) -> list[Composed]:
    """The containers, running or not, of compose projects in a directory or below it; Unavailable if Docker is."""
    daemon = Daemon()
    try:
        with daemon.speaking("list containers"):
            daemon.api.timeout = _PATIENCE
            listed = daemon.api.containers(all=True, filters={"label": f"{_LABEL}project"})
    finally:
        daemon.close()
    found = []
    for each in listed:
        labels, names = each.get("Labels") or {}, each.get("Names") or [""]
        place = labels.get(f"{_LABEL}project.working_dir", "")
        is_here = f"{place}/".startswith(f"{directory.rstrip('/')}/")
        if is_here and labels.get(f"{_LABEL}oneoff", "False") != "True":
            found.append(Composed(names[0].lstrip("/"), labels.get(f"{_LABEL}service", "")))
    return sorted(found)
