"""The bundles of a team on disk, ``snapshots/TEAM/snap-ID.json``, as ClawTeam and `export_bundle` write them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from blake3 import blake3

from takeback.adapters.clawteam import parsing
from takeback.adapters.clawteam.checking import check
from takeback.adapters.clawteam.errors import NoBundle, NotThere
from takeback.adapters.clawteam.ids import is_id
from takeback.adapters.clawteam.meta import SnapshotMeta
from takeback.adapters.clawteam.unpacking import files, written
from takeback.errors import Conflict, InvalidInput, TakebackError
from takeback.model.tree import name_bytes
from takeback.store import durable

_START, _END = "snap-", ".json"


class Bundle(NamedTuple):
    """A bundle that was looked at as a whole, and may be restored."""

    meta: SnapshotMeta
    raw: Mapping[str, Any]
    files: Mapping[str, bytes]
    digest: str
    """Of its bytes, so that the same one is known again."""


class Shelf:
    """Where one team's bundles lie."""

    def __init__(self, root: str, team: str) -> None:
        self.team = team
        self.directory = f"{root}/snapshots/{team}"

    def path(self, id: str) -> str:
        return f"{self.directory}/{_START}{id}{_END}"

    def holds(self, id: str) -> bool:
        return is_id(id) and os.path.isfile(name_bytes(self.path(id)))

    def metas(self) -> tuple[list[SnapshotMeta], list[str]]:
        """What there is, and the files that should be bundles and are none."""
        found, wrong = [], []
        for id in self._ids():
            try:
                meta = SnapshotMeta.model_validate(parsing.peek_meta(self.path(id)))
                if (meta.id, meta.team_name) != (id, self.team):
                    raise NoBundle("it is another's")
                found.append(meta)
            except (TakebackError, OSError):
                wrong.append(self.path(id))
        return found, wrong

    def load(self, id: str) -> Bundle:
        return load(self.path(id), self.team, id)

    def remove(self, id: str) -> bool:
        """Remove a bundle's file; False if there is none."""
        if not self.holds(id):
            return False
        durable.remove(self.path(id))
        return True

    def _ids(self) -> list[str]:
        try:
            names = os.listdir(self.directory)
        except OSError:
            return []
        ids = [name[len(_START) : -len(_END)] for name in names if name.startswith(_START) and name.endswith(_END)]
        return sorted(id for id in ids if is_id(id))


def load(path: str, team: str, id: str | None = None) -> Bundle:
    """A bundle that may be restored; NoBundle, naming the file and what is wrong with it, for every other."""
    try:
        return parse(parsing.read(path), team, id)
    except FileNotFoundError:
        raise NotThere(f"bundle not found: there is no {path}", hints=["check the path"]) from None
    except OSError as error:
        raise NoBundle(f"{path} cannot be read: {error.strerror}", hints=["check its permissions"]) from error
    except NoBundle as error:
        if error.message.startswith(path):
            raise
        hints = error.hints or ["nothing was written; make another one, or restore an older snapshot"]
        raise NoBundle(f"{path} is no bundle to restore: {error.message}", hints=hints) from None


def parse(data: bytes, team: str, id: str | None = None) -> Bundle:
    """The same of bytes."""
    raw = parsing.parse(data)
    return Bundle(check(raw, team, id), raw, files(raw, team), blake3(data).hexdigest())


def id_in(path: str) -> str | None:
    """The id that a file's name promises, if it is called as ClawTeam calls bundles."""
    name = os.path.basename(path)
    return name[len(_START) : -len(_END)] if name.startswith(_START) and name.endswith(_END) else None


def write(path: str, raw: Mapping[str, Any]) -> None:
    """Write a bundle whole, for its owner alone. A file that is there stays, unless it is the same."""
    data = written(raw)
    directory, name = os.path.split(os.path.abspath(path))
    try:
        os.makedirs(directory, exist_ok=True)
        durable.write_new(f"{directory}/.{name}.{os.urandom(6).hex()}.tmp", f"{directory}/{name}", [data])
    except Conflict:
        if parsing.read(path) == data:
            return
        raise InvalidInput(f"{path} is there already, and is something else", hints=["name another file"]) from None
    except OSError as error:
        raise durable.storage_error(error, f"writing {path}", directory) from error
