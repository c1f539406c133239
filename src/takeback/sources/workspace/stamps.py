"""What one capture saw of the times of a workspace's files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import NamedTuple, TypeVar

from takeback.model.tree import DIRECTORY, FILE, name_bytes
from takeback.sources import clock, trees
from takeback.sources.evidence import UNKNOWN_TIME, Evidence, Stamp
from takeback.sources.filesystems import why_times_prove_nothing
from takeback.sources.workspace.statcache import Section, StatCache
from takeback.store.reader import Reader

T = TypeVar("T")


class Seen(NamedTuple):
    """The state that a capture found, and what `stat` said of it."""

    root: str
    tree: bytes
    sections: Mapping[str, bytes]
    """The stat cache's sections, by directory."""
    directories: Mapping[str, os.stat_result]
    began: clock.Reading
    former: StatCache
    """The stat cache of the state before it, if there was one."""

    def evidence(self, reader: Reader, before: bytes, prefix: str = "") -> Evidence:
        """The stamps of all paths that differ from the tree ``before``, each below ``prefix``."""
        now = clock.read()
        paths: dict[str, Stamp] = {}
        directories: dict[str, Stamp] = {}
        stats: dict[str, Mapping[str, tuple[int, int, int, int, int]]] = {}
        former: dict[str, int] = {}
        sections: dict[str, Section | None] = {}
        for path, was, after in trees.compare(reader, before, self.tree):
            if was is not None and was.kind == FILE and (after is None or after.id != was.id):
                above, _, name = path.rpartition("/")
                if above not in sections:
                    sections[above] = self.former.section(above)
                section = sections[above]
                if section is not None and name in section.stats and section.id(name) == was.id:
                    former[path] = section.stats[name][4]
            for above in (*trees.parents(path), ""):
                if above in directories:
                    break
                stamp = self._directory(above)
                if stamp is not None:
                    directories[above] = stamp
            if after is None:
                continue
            if after.kind == DIRECTORY:
                found = self._directory(path)
                if found is not None:
                    paths[path] = directories[path] = found
                continue
            above, _, name = path.rpartition("/")
            if above not in stats:
                data = self.sections.get(above)
                stats[above] = {} if data is None else Section(data).stats
            if name in stats[above]:
                _, _, mtime, ctime, inode = stats[above][name]
                paths[path] = Stamp(ctime or UNKNOWN_TIME, mtime, inode)
        if prefix:
            paths, directories = _below(prefix, paths.items()), _below(prefix, directories.items())
            former = _below(prefix, former.items())
        lacks = why_times_prove_nothing(self.root)
        if not lacks and not clock.is_same(self.began.offset_ns, now.offset_ns):
            lacks = "the clock was set meanwhile"
        return Evidence(self.began.coarse_ns, now.real_ns, now.offset_ns, lacks, paths, directories, former)

    def _directory(self, path: str) -> Stamp | None:
        found = self.directories.get(path)
        if found is None:
            try:
                found = os.lstat(name_bytes(f"{self.root}/{path}" if path else self.root))
            except OSError:
                return None
        return Stamp(found.st_ctime_ns, found.st_mtime_ns, found.st_ino)


def _below(prefix: str, items: Iterable[tuple[str, T]]) -> dict[str, T]:
    return {f"{prefix}/{path}" if path else prefix: value for path, value in items}
