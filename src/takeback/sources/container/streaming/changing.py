"""Changing some paths of a volume: first what has to go, then what is to come.

Archives can only add and replace. What has to go is removed by a container of the same image that runs ``rm``, as root,
without a network, with nothing but the volume; it is the only thing that this strategy ever runs. If it cannot run,
nothing has been changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from takeback.errors import Conflict, TakebackError, Unavailable
from takeback.model.tree import DIRECTORY, FILE, name_bytes
from takeback.sources.container.access import Changed
from takeback.sources.container.daemon import Daemon, Inspected, Mount
from takeback.sources.container.found import Content, Found
from takeback.sources.container.streaming.archiving import archive_of
from takeback.sources.container.streaming.transfer import unpack
from takeback.sources.container.streaming.window import PLACE, on_mount, window

_ARGUMENTS = 100_000
"""Bytes of names for one run: the kernel takes some more."""
_BY_SHELL = 'for each; do each=$(printf "%b." "$each"); "$0" $how -- "${each%.}" || code=$?; done; exit $code'
"""For names that are not UTF-8, which no request can hold: they come escaped."""
_SOCKETS = "-maxdepth 1 -type s -exec rm -f {} ;".split()
_NOT_THERE = 127


def change_mount(daemon: Daemon, box: Inspected, mount: Mount, changes: Sequence[Changed], content: Content) -> None:
    going = [before for before, after in changes if before is not None and _goes(before, after)]
    coming = sorted((after for _, after in changes if after is not None), key=lambda each: each.path.split("/"))
    _remove(_Runs(daemon, box, mount), going)
    if coming:
        made = {each.path for each in coming}
        linked = {each.link for each in coming if each.kind == FILE and each.link and each.link not in made}
        with window(daemon, box, on_mount(mount, readonly=False)) as there:
            unpack(daemon, there, archive_of(coming, content, PLACE, linked), f"change the volume {mount.name!r}")


def _goes(before: Found, after: Found | None) -> bool:
    """Whether it has to be gone before what comes: a file is replaced by a file, and a directory stays one."""
    return after is None or (before.kind == DIRECTORY) != (after.kind == DIRECTORY)


def _remove(runs: _Runs, going: Sequence[Found]) -> None:
    """Files first, then directories, the deepest first; one that holds what nobody planned for stays."""
    files = [each.path for each in going if each.kind != DIRECTORY]
    inner = sorted((each.path for each in going if each.kind == DIRECTORY), key=lambda path: -path.count("/"))
    if not all(map(_is_utf8, [*files, *inner])):
        runs.run(["sh", "-c", ":"], "sh")
    if files and inner:
        runs.remove(
            ["rmdir"], inner[:1]
        )  # it may not be empty yet; but if there is no such program, all stays as it is
    runs.remove(["rm", "-f"], files)
    if not runs.remove(["rmdir"], inner):
        runs.remove_sockets_in(inner)
        runs.remove(["rmdir"], inner)


class _Runs:
    """Containers that run one program each, with nothing but a volume."""

    def __init__(self, daemon: Daemon, box: Inspected, mount: Mount) -> None:
        self._daemon, self._box, self._mount = daemon, box, mount
        self._doing = f"delete files in the volume {mount.name or mount.destination!r}"

    def remove(self, program: list[str], paths: Iterable[str]) -> bool:
        """Have a program remove paths. A directory that is not empty stays; whether there was none."""
        plain: list[str] = []
        odd: list[str] = []
        for path in paths:
            (plain if _is_utf8(path) else odd).append(f"/{PLACE}/{path}")
        codes = [self.run([*program, "--", *some], program[0]) for some in _batches(plain, lambda path: path)]
        for some in _batches(odd, _escaped):
            options = " ".join(program[1:])
            shell = ["sh", "-c", _BY_SHELL, program[0], *some]
            codes.append(self.run(shell, program[0], f"how={options}", "code=0", "LC_ALL=C"))
        return not any(codes)

    def remove_sockets_in(self, paths: Iterable[str]) -> None:
        """What is in directories that go, and in no snapshot: sockets were their process's, which is gone."""
        for some in _batches((f"/{PLACE}/{path}" for path in paths if _is_utf8(path)), lambda path: path):
            with suppress(Unavailable):  # the image has no such program, and they stay
                self.run(["find", *some, *_SOCKETS], "rmdir")

    def run(self, command: list[str], program: str, *environment: str) -> int:
        config: dict[str, Any] = {
            "Entrypoint": command[:1],
            "Cmd": command[1:],
            "User": "0:0",
            "WorkingDir": "/",
            "Env": list(environment),
            "NetworkDisabled": True,
            "Healthcheck": {"Test": ["NONE"]},
        }
        api = self._daemon.api
        with window(self._daemon, self._box, on_mount(self._mount, readonly=False), **config) as there:
            try:
                self._daemon.call(self._doing, api.start, there)
            except TakebackError as error:
                if any(each in error.message for each in ("not found", "no such file")):
                    raise self._lacking(command[0]) from error
                raise
            code = self._daemon.call(self._doing, api.wait, there)["StatusCode"]
            if code == _NOT_THERE:
                raise self._lacking(program)
            if code and program != "rmdir":
                said = self._daemon.call(self._doing, api.logs, there, stdout=False, stderr=True, tail=1)
                raise Conflict(f"cannot {self._doing}: {said.decode(errors='replace').strip()}")
            return int(code)

    def _lacking(self, program: str) -> Unavailable:
        return Unavailable(
            f"cannot {self._doing}: the image of {self._box.name!r} has no {program}. Nothing was changed there.",
            hints=["strategy='overlay' needs no program in the image"],
        )


def _batches(paths: Iterable[str], form: Callable[[str], str]) -> Iterator[list[str]]:
    some: list[str] = []
    size = 0
    for path in map(form, paths):
        if some and size + len(path.encode()) > _ARGUMENTS:
            yield some
            some, size = [], 0
        some.append(path)
        size += len(path.encode()) + 1
    if some:
        yield some


def _is_utf8(path: str) -> bool:
    return not any("\udc80" <= each <= "\udcff" for each in path)


def _escaped(path: str) -> str:
    """As ``printf %b`` takes it."""
    return "".join([chr(each) if 32 <= each < 127 and each != 92 else f"\\0{each:03o}" for each in name_bytes(path)])
