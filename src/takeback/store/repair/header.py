"""A store's header, made again where it is lost. All it costs is a new seed of the chunker: large files that are saved
again after that share no chunks with what was saved before."""

from __future__ import annotations

import os
import re

from takeback.errors import Integrity, TakebackError, Unavailable
from takeback.store import header
from takeback.store.durable import sync_directory
from takeback.store.header import Header
from takeback.store.repair.aside import Aside

_ID = re.compile(rb'"id": "([0-9a-f]{32})"')
_SEED = re.compile(rb'"chunker_seed": ([0-9]{1,19})\b')
_CREATED = re.compile(rb'"created_ns": ([0-9]{1,19})\b')


def find_header(directory: str, format_known: bool) -> tuple[Header, str]:
    """The header, or one made of what is left of it, and what is wrong with it. ``format_known`` says that the catalogue
    is of a format that is known here, so the header cannot be of a later one."""
    try:
        return header.read_header(directory), ""
    except (FileNotFoundError, NotADirectoryError):
        return header.new_header(), "it is gone, so large files that are saved again share nothing with older saves"
    except TakebackError as error:
        if isinstance(error, Unavailable) and not format_known:
            raise
        damage = (
            error.message.rpartition(": ")[2] if isinstance(error, Integrity) else "it names a format of the future"
        )
    with open(os.path.join(directory, header.NAME), "rb") as file:
        left = file.read(64 << 10)
    fresh = header.new_header()
    id, seed, created = _ID.search(left), _SEED.search(left), _CREATED.search(left)
    if seed is None:
        damage += "; large files that are saved again share nothing with older saves"
    found = Header(
        id[1].decode() if id else fresh.id,
        int(seed[1]) if seed and int(seed[1]) < 1 << 63 else fresh.chunker_seed,
        int(created[1]) if created else fresh.created_ns,
    )
    return found, damage


def write_header(directory: str, found: Header, aside: Aside) -> None:
    aside.keep(header.NAME)
    unfinished = os.path.join(directory, "tmp", header.NAME)
    fd = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        os.write(fd, header.encode_header(found))
        os.fsync(fd)
    finally:
        os.close(fd)
    os.rename(unfinished, os.path.join(directory, header.NAME))
    sync_directory(directory)
