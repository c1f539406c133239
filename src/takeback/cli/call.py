"""One call of the command line: the options that every command has, and the store and timeline that they lead to."""

from __future__ import annotations

import os
import shlex
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from takeback.engine.inside import inside
from takeback.errors import InvalidInput, NotFound
from takeback.views.text import visible

if TYPE_CHECKING:
    from takeback.engine.store import Store
    from takeback.engine.timeline import Timeline
    from takeback.locate import Place
    from takeback.store.notices import Notice


class Closes(Protocol):
    def close(self) -> None: ...


@dataclass
class Call:
    """What was given before or after the command's name; each is None until it is."""

    json: bool = False
    store: str | None = None
    timeline: str | None = None
    directory: str | None = None
    """Where to act as if started there (``-C``)."""
    program: str = "takeback"
    """The command that was called."""
    typed: tuple[str, ...] = ()
    """What was typed after it."""
    _opened: list[Closes] = field(default_factory=list, repr=False)

    @property
    def chosen(self) -> str:
        """The options that choose a timeline again, as a shell takes them, with a space before each."""
        every = (("--store", self.store), ("--timeline", self.timeline), ("-C", self.directory))
        return "".join(f" {shlex.join((option, value))}" for option, value in every if value is not None)

    def typed_with(self, option: str) -> str:
        """The command line with one more option, as a shell takes it."""
        end = self.typed.index("--") if "--" in self.typed else len(self.typed)
        return shlex.join((self.program, *self.typed[:end], option, *self.typed[end:]))

    @property
    def here(self) -> str:
        """The directory that relative paths start from."""
        if self.directory and os.path.isabs(self.directory):
            return self.directory
        try:
            current = os.getcwd()
        except FileNotFoundError:
            raise self._gone() from None
        return os.path.join(current, self.directory) if self.directory else current

    def _gone(self) -> InvalidInput:
        """The current directory is gone; its name is what the shell remembers."""
        from takeback import locate

        was = os.environ.get("PWD", "")
        is_known = os.path.isabs(was) and not os.path.exists(was)
        back = locate.ways_back(was, self.store and os.path.abspath(os.path.expanduser(self.store))) if is_known else []
        return InvalidInput("the current directory is gone", hints=[*back, "cd somewhere else, or use -C DIR"])

    @property
    def interactive(self) -> bool:
        """Whether there is somebody to ask."""
        return not self.json and sys.stdin.isatty() and sys.stdout.isatty()

    def place(self) -> Place:
        from takeback import locate

        locate.check_platform()
        if self.store is not None and not self.store.strip():
            raise InvalidInput("--store needs the name of a directory", hints=["leave it out to use your own store"])
        store = None if self.store is None else os.path.join(self.here, os.path.expanduser(self.store))
        return locate.place(self.here, store=store, timeline=self.timeline)

    def open(self, where: Place | None = None, *, create: bool = False) -> Store:
        """The store; only `save` and `run` make one."""
        from takeback import locate

        store = locate.open((where or self.place())["store"], create=create)
        self._opened.append(store)
        return store

    def another(self, directory: str, *, create: bool = False) -> Store:
        """A store that was named beside one's own."""
        from takeback import locate

        if not directory.strip():
            raise InvalidInput("a store needs the name of a directory", hints=["name the directory of another store"])
        try:
            store = locate.open(self.absolute(directory), create=create)
        except NotFound as error:
            raise NotFound(error.message, hints=["`takeback push STORE` makes one"]) from None
        self._opened.append(store)
        return store

    def line(self, *, create: bool = False) -> Timeline:
        """The timeline of the root around the directory."""
        from takeback import locate
        from takeback.cli.progress import listener
        from takeback.locate.unagreed import of_rules

        where = self.place()
        if not self.json:
            self._warn(where, creating=create)
        store = self.open(where, create=create)
        if sys.stderr.isatty() and not self.json and self.notices(where):
            print("takeback: something happened meanwhile: `takeback status` shows it", file=sys.stderr)
        line = locate.timeline(store, where, listener=listener(quiet=self.json))
        if not self.json:
            for said in of_rules(line):
                print(f"takeback: {visible(said)}", file=sys.stderr)
        for source in line.sources.values() if where.used else ():
            if (daemon := getattr(source, "daemon", None)) is not None:
                self.closing(daemon)
        return line

    def notices(self, where: Place, *, seen: bool = False) -> tuple[Notice, ...]:
        """What background work and hooks noted in the store; gone once it was ``seen``."""
        from takeback.store import notices

        look = notices.take if seen else notices.read
        found = [notice for place in (str(where["store"]), notices.spare()) if place for notice in look(place)]
        return tuple(sorted(found, key=lambda each: each.time_ns))

    def _warn(self, where: Place, *, creating: bool) -> None:
        for warning in (*where.warnings, *where.to_agree):
            print(f"takeback: {visible(warning)}", file=sys.stderr)
        if creating and where.is_home:
            print(
                "takeback: this is your home directory: a snapshot of it may take long and hold secrets; "
                "-C DIR names a project",
                file=sys.stderr,
            )

    def absolute(self, path: str) -> str:
        """A path that was given on the command line."""
        return os.path.normpath(os.path.join(self.here, os.path.expanduser(path)))

    def inside(self, root: str, path: str) -> str:
        """A path that was given on the command line, as the timeline of ``root`` names it."""
        return inside(root, os.path.realpath(self.here), path)

    def closing(self, opened: Closes) -> None:
        """Close something, too, when the call is over."""
        self._opened.append(opened)

    def close(self) -> None:
        for opened in self._opened:
            opened.close()
        self._opened.clear()


def set_option(call: Call, name: str, value: Any) -> None:
    """Note a global option; one that is given twice, before and after the command, takes the later value."""
    if value not in (None, False):
        setattr(call, name, value)
