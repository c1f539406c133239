"""The transcript source: a conversation captured from the agent's own session file, and put back as a session.

Nothing is ever overwritten, because the agent that writes the file may be running, and would not notice: a conversation
comes back as a *new* session beside the old one, which the agent resumes when it is told to. Only if its file is gone does
it come back under its own name, byte for byte.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from takeback.errors import InvalidInput, Unavailable
from takeback.model.snapshot import NotCaptured, Part
from takeback.model.tree import name_text
from takeback.sources.transcript import segments
from takeback.sources.transcript.agents import KEEPS
from takeback.sources.transcript.session import lines, said
from takeback.store.reader import Reader
from takeback.store.writer import Writer

if TYPE_CHECKING:
    from takeback.model.diff import Change
    from takeback.model.plan import Effect
    from takeback.model.progress import Watch
    from takeback.sources.protocol import Made, Proposal, Staged, Step

NAME = KIND = "transcript"


class Transcript:
    """The conversation of one session; without ``session`` and ``file``, only for putting conversations back. One whose
    file nobody has found is captured as what it is: not captured.

    ``homes`` are the directories in which agents keep their own files, by agent: where a conversation is put back never
    depends on what a store says.
    """

    kind = KIND
    root = ""
    lock = ""

    def __init__(
        self,
        homes: Mapping[str, str],
        agent: str = "",
        session: str = "",
        file: str = "",
        *,
        name: str = NAME,
        inside: str = "",
    ) -> None:
        self.name = name
        self._homes = dict(homes)
        self._agent, self._session, self._file = agent, session, file
        self._inside = inside
        """Where conversations are put instead of an agent's home."""

    def capture(self, writer: Writer, previous: Part | None, watch: Watch) -> Part:
        """What the session's file holds now; nothing at all before the agent has written it."""
        data, problem = self._read()
        mark = {"session": self._session, "length": len(data)}
        detail = {"agent": self._agent, "file": self._relative(), **mark, "context": {self.name: mark}}
        missing = () if problem is None else (problem,)
        return Part(self.name, self.kind, {"content": segments.put(writer, data)}, detail, missing)

    def plan(self, reader: Reader, present: Part, target: Part, paths: Sequence[str] | None) -> Proposal:
        from takeback.sources.protocol import Proposal  # here and below: no save needs it
        from takeback.sources.transcript.resuming import resume

        _check_no_paths(paths)
        session = said(target)
        resumed = resume(self._home(session.agent), session, lines(reader, target))
        if resumed is None:
            return Proposal(notes=(f"nothing had been said before in the session {session.id}: begin a new one",))
        note = f"the conversation as it was then is a session of its own; go on with it: {resumed.command}"
        return Proposal(tuple(resumed.effects(self.name)), notes=(note,))

    def revert(self, reader: Reader, present: Part, steps: Sequence[Step]) -> Proposal:
        from takeback.sources.protocol import Proposal

        return Proposal()  # a conversation is only ever added: there is nothing to take back

    def moved(self, reader: Reader, present: Part, effects: Sequence[Effect]) -> tuple[str, ...]:
        """Those that are anything but new in an agent's directory of sessions: nothing else is ever planned."""
        return tuple(effect.path for effect in effects if not _is_new(effect))

    def plan_at(self, reader: Reader, place: object, part: Part, paths: Sequence[str] | None) -> Proposal:
        from takeback.sources import directories
        from takeback.sources.protocol import Proposal

        _check_no_paths(paths)
        effect = self._session_file(reader, part)
        directories.check(self._at, directories.named(place), [effect])
        return Proposal((effect,))

    def make_at(self, reader: Reader, place: object, part: Part, paths: Sequence[str] | None, *, durable: bool) -> Made:
        from takeback.sources import directories
        from takeback.sources.protocol import Made

        _check_no_paths(paths)
        effect = self._session_file(reader, part)
        directories.make(self._at, reader, directories.named(place), [effect], durable=durable)
        return Made(self._at(directories.named(place)), (effect,))

    def stage(self, reader: Reader, effects: Sequence[Effect], *, durable: bool = True) -> Staged:
        from takeback.sources.rooted import StagedPart
        from takeback.sources.workspace.place.files import stage

        merged = {effect.after.id: effect.merged for effect in effects if effect.after and effect.merged is not None}

        def content(blob: bytes) -> Iterator[bytes]:
            return iter((merged[blob],)) if blob in merged else reader.stream(blob)

        root, inside = self._placed(effects)
        return StagedPart(self.name, stage(root, inside, content, durable=durable))

    def unfinished(self, effects: Sequence[Effect]) -> tuple[Effect, ...]:
        from takeback.sources.workspace.place.readback import unfinished

        root, inside = self._placed(effects)
        left = set(unfinished(root, inside))
        return tuple(effect for effect, each in zip(effects, inside, strict=True) if each in left)

    def amend(self, writer: Writer, present: Part, effects: Sequence[Effect]) -> Part:
        return present  # another session has come to be beside the one that is captured

    def diff(
        self, reader: Reader, a: Part | None, b: Part | None, paths: Sequence[str] | None = None
    ) -> Iterator[Change]:
        """One path, the session's file, if anything differs."""
        from takeback.model.diff import Change

        if a is not None and b is not None and a.content == b.content:
            return
        before, after = (None if part is None else self._session_file(reader, part).after for part in (a, b))
        newest = b if b is not None else a
        if newest is not None:
            yield Change(self.name, os.path.basename(said(newest).file), before, after)

    def count(self, reader: Reader, part: Part) -> int:
        return 1

    def state_at(self, reader: Reader, part: Part, path: str) -> object | None:
        return None  # its path is in no workspace

    def read(self, reader: Reader, part: Part, path: str) -> Iterator[bytes]:
        yield lines(reader, part)

    def _at(self, place: str) -> Transcript:
        return Transcript(self._homes, name=self.name, inside=place)

    def _session_file(self, reader: Reader, part: Part) -> Effect:
        """What makes the session's file where there is none."""
        from takeback.sources.transcript.resuming import file_effect

        return file_effect(self.name, os.path.basename(said(part).file), lines(reader, part))

    def _read(self) -> tuple[bytes, NotCaptured | None]:
        """The file's bytes, as far as they went when it was opened; or why there are none."""
        if not self._file:
            return b"", NotCaptured(f"session {self._session}", "unreadable", "no agent known here keeps it as a file")
        try:
            fd = os.open(self._file, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
        except FileNotFoundError:
            return b"", None  # the agent writes it with its first answer
        except OSError as error:
            return b"", NotCaptured(self._file, "unreadable", error.strerror or "")
        try:
            now = os.fstat(fd)
            if not stat.S_ISREG(now.st_mode):
                return b"", NotCaptured(self._file, "unreadable", "it is no file")
            if now.st_size > segments.LONGEST:
                return b"", NotCaptured(self._file, "too large", f"{now.st_size} bytes")
            with open(fd, "rb", closefd=False) as file:
                return file.read(now.st_size), None
        except OSError as error:
            return b"", NotCaptured(self._file, "unreadable", error.strerror or "")
        finally:
            os.close(fd)

    def _relative(self) -> str:
        """The file as its agent's home names it; empty if it is anywhere else."""
        home = self._homes.get(self._agent)
        if not home or not self._file:
            return ""
        inside = os.path.relpath(os.path.realpath(self._file), os.path.realpath(home))
        return "" if inside.startswith(os.pardir) else name_text(os.fsencode(inside))

    def _home(self, agent: str) -> str:
        home = self._homes.get(agent, "")
        if not os.path.isdir(home):
            raise Unavailable(
                f"{agent} keeps its sessions in {home or 'a place that is not known here'}, which is no directory",
                hints=[f"`takeback restore REF --only {self.name} --to DIR` writes the conversation elsewhere"],
            )
        return os.path.realpath(home)

    def _placed(self, effects: Sequence[Effect]) -> tuple[str, list[Effect]]:
        """The directory that effects are in, and the effects with paths inside of it."""
        if self._inside:
            return self._inside, list(effects)
        agents = {effect.path.partition("/")[0] for effect in effects}
        if len(agents) != 1:
            raise InvalidInput("conversations of several agents cannot be put back at once")
        return self._home(agents.pop()), [replace(each, path=each.path.partition("/")[2]) for each in effects]


def _is_new(effect: Effect) -> bool:
    agent, _, path = effect.path.partition("/")
    keeps = KEEPS.get(agent)
    return keeps is not None and effect.before is None and path.startswith(f"{keeps.directory}/")


def _check_no_paths(paths: Sequence[str] | None) -> None:
    if paths is not None:
        raise InvalidInput("a conversation has no paths: it is put back as a whole", hints=["leave PATH out"])
