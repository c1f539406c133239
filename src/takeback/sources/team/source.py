"""The team source: what `takeback.Team` is."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from blake3 import blake3

from takeback.errors import Integrity, InvalidInput, Locked, NotFound
from takeback.model.ids import BlobKind
from takeback.model.progress import Watch
from takeback.model.snapshot import NotCaptured, Part
from takeback.model.tree import DIRECTORY, encode_tree, name_bytes
from takeback.sources import trees
from takeback.sources.rooted import Rooted
from takeback.sources.team.counting import counts
from takeback.sources.team.covered import Covered, TeamGuard
from takeback.sources.team.ear import Deaf, Ear, Missed
from takeback.sources.team.eyes import Eyes
from takeback.sources.team.layouts import CLAWTEAM, Layout
from takeback.sources.team.listening import listening
from takeback.sources.team.locking import locked
from takeback.sources.team.places import check_real
from takeback.sources.team.settling import Settled, settle
from takeback.sources.workspace.capture import Walk
from takeback.sources.workspace.guard import encode_ignored
from takeback.sources.workspace.statcache import decode_cache, encode_cache

if TYPE_CHECKING:
    from takeback.model.plan import Effect, Kept
    from takeback.sources.protocol import Proposal, Staged, Step
    from takeback.store.reader import Reader
    from takeback.store.writer import Writer

_NAME = re.compile(r"[A-Za-z0-9._-]+")
_NO_LIMIT = 1 << 62
_ATTEMPTS = 3
_TAKEN = "it was back, and a member has taken it"
_WORTH_REMEMBERING = 64
"""So many files read for nothing make it worth writing the stat cache again."""


class Team(Rooted):
    """A team of agents: all that its framework keeps of it below ``data_dir``, at one instant.

    A restore is refused while members are running, unless ``force``. With ``merge`` it leaves mail that is newer than the
    snapshot where it is.
    """

    kind = "team"

    def __init__(
        self,
        team: str,
        data_dir: str | os.PathLike[str],
        *,
        name: str = "team",
        layout: Layout = CLAWTEAM,
        force: bool = False,
        merge: bool = False,
    ) -> None:
        if not _NAME.fullmatch(team) or team in (".", ".."):
            raise InvalidInput(
                f"{team!r:.60} cannot be a team's name", hints=["letters, digits, dots, dashes and underscores"]
            )
        if not name.strip() or not name.isprintable():
            raise InvalidInput(f"{name!r:.60} cannot be the name of a part", hints=["tb.Team('alpha')"])
        self.team, self.name, self.layout, self.force, self.merge = team, name, layout, force, merge
        self.root = _real(data_dir)
        if os.path.exists(name_bytes(self.root)) and not os.path.isdir(name_bytes(self.root)):
            raise InvalidInput(
                f"{self.root} is a file, not a directory with teams", hints=["--data-dir DIR names another"]
            )
        self.own = layout.covers(team)
        self._covered = Covered(layout, team)
        self._stays = False
        self._held: ExitStack | None = None
        """The locks of a team that is to stay as it is."""

    def __repr__(self) -> str:
        return f"<Team {self.team!r} in {self.root!r}>"

    @contextmanager
    def still(self) -> Iterator[None]:
        """From the end of the next look on the team's own locks are held, until this ends."""
        self._stays = True
        try:
            yield
        finally:
            self._stays = False
            held, self._held = self._held, None
            if held is not None:
                held.close()

    def capture(self, writer: Writer, previous: Part | None, watch: Watch) -> Part:
        """The team at one instant. It is read while its members work; only the last look is under its locks."""
        check_real(self.root)
        self.check_there(previous)
        self._looked_ns = time.time_ns()
        before = previous.content if previous is not None else None
        if not os.path.isdir(name_bytes(self.root)):
            tree = writer.put(encode_tree({}), BlobKind.TREE)
            return Part(self.name, self.kind, {"content": tree}, self._detail({}))
        self._sweep()
        walk, settled = self._look(writer, before, watch)
        if settled.tree != before or walk.read > _WORTH_REMEMBERING or not len(walk.cache):
            writer.derived.put(self._cache_key(writer), encode_cache(settled.tree, b"", walk.sections))
        refs = {"content": settled.tree}
        own = [(path, inode) for path, inode in walk.ignored if self._covered.is_inside(path.rstrip("/"))]
        if own:
            refs["ignored"] = writer.put(encode_ignored(own), BlobKind.DOCUMENT)
        moving = [
            NotCaptured(path, "unsettled", "it was changed each time it was looked at") for path in settled.unsettled
        ]
        counted = _counted(previous) if settled.tree == before else {}
        detail = self._detail(counted or counts(writer.reader, walk.sections, self.layout, self.team))
        left_out = sorted([*walk.not_captured, *moving, *self._covered.links(self.root)])
        return Part(self.name, self.kind, refs, detail, tuple(left_out))

    def _look(self, writer: Writer, before: bytes | None, watch: Watch) -> tuple[Walk, Settled]:
        for _ in range(_ATTEMPTS):
            try:
                with listening(self.root, self._covered) as ear:
                    return self._listened(writer, before, watch, ear)
            except (Missed, Deaf):
                continue
        return self._listened(writer, before, watch, Eyes(self.root, self._covered))

    def _listened(self, writer: Writer, before: bytes | None, watch: Watch, ear: Ear) -> tuple[Walk, Settled]:
        walk = Walk(writer, decode_cache(writer.derived.get(self._cache_key(writer)), before), _NO_LIMIT, watch)
        tree = walk.root(self.root, self._covered, before)
        with self._locks():
            return walk, settle(walk, tree, self.root, self._covered, ear)

    @contextmanager
    def _locks(self) -> Iterator[None]:
        """The team's locks; those that are held, if it is to stay still."""
        if self._held is not None:
            yield
            return
        with ExitStack() as stack:
            stack.enter_context(locked(self.root, self.layout, self.team))
            yield
            if self._stays:
                self._held = stack.pop_all()

    def plan(self, reader: Reader, present: Part, target: Part, paths: Sequence[str] | None) -> Proposal:
        from takeback.sources.team import planning  # here and below: no save needs it

        proposal = planning.plan(reader, self, present, target, paths)
        self._check_own(proposal.effects)
        return proposal._replace(notes=(*proposal.notes, *self._running_notes()))

    def revert(self, reader: Reader, present: Part, steps: Sequence[Step]) -> Proposal:
        from takeback.sources.team import planning

        proposal = planning.revert(reader, self, present, steps)
        return proposal._replace(notes=(*proposal.notes, *self._running_notes()))

    def permit(self) -> None:
        """Locked if members are running who would go on with what is no longer so, unless ``force``."""
        found = self._running()
        if found and not self.force:
            raise Locked(
                f"members of the team {self.team!r} are running: {', '.join(found)}",
                hints=["stop them first, or add --force: the team then changes under them"],
            )

    def leads_to_own(self, path: str) -> bool:
        """Whether a path is not the team's own, but above what is: other teams are there, too."""
        return not self._covered.is_inside(path)

    def stage(self, reader: Reader, effects: Sequence[Effect], *, durable: bool = True) -> Staged:
        self._check_own(effects)
        check_real(self.root)
        os.makedirs(name_bytes(self.root), mode=0o755, exist_ok=True)
        mail = {each.path: each.after is not None for each in effects if self.layout.is_mail(self.team, each.path)}
        return _StagedTeam(self, super().stage(reader, effects, durable=durable), mail)

    def amend(self, writer: Writer, present: Part, effects: Sequence[Effect]) -> Part:
        changes = {effect.path: effect.after for effect in effects}
        tree = trees.patch(writer, present.content, changes)
        self._forget(writer, present.content, tree, changes)
        view = trees.TreeView(writer.reader, tree)
        detail = {**present.detail, "counts": counts(writer.reader, view, self.layout, self.team)}
        return Part(self.name, self.kind, {**present.refs, "content": tree}, detail, present.not_captured)

    def unmake_at(self, reader: Reader, place: object, part: Part, noted: Sequence[tuple[str, str]]) -> list[str]:
        """Remove what `make_at` put there, and the locks that it took there, which nobody else can have used yet."""
        from takeback.sources.directories import named

        for lock in self.layout.locks:
            with suppress(OSError):
                path = os.path.join(named(place), lock.place.format(team=self.team))
                if lock.made and not os.path.islink(path) and not os.path.getsize(path):
                    os.unlink(path)
        return super().unmake_at(reader, place, part, noted)

    def _without_locks(self, place: str) -> Team:
        found = self._at(place)
        found._held = ExitStack()
        return found

    def fork_place(self, name: str, directory: str) -> object:
        return f"{directory}{self.layout.beside}"

    def at_fork(self, part: Part, root: str) -> Team | None:
        place = f"{root}{self.layout.beside}"
        there = part.detail.get("data_dir") == place and os.path.isdir(name_bytes(place))
        return self._at(place) if there else None

    def _fresh(self, effects: list[Effect], reader: Reader, part: Part, place: str) -> list[Effect]:
        from takeback.sources.team.homing import moved

        return moved(reader, self.layout, self.team, effects, part.detail.get("data_dir"), _real(place))

    def guard(self, reader: Reader, part: Part) -> TeamGuard:
        return TeamGuard(reader, part)

    def of(self, part: Part) -> Team:
        """The source of a part that may be another team's in the same place: its locks are taken, its things counted."""
        team = part.detail.get("team")
        return self if team == self.team or not isinstance(team, str) else self._at(self.root, team)

    def _at(self, place: str, team: str = "") -> Team:
        return Team(team or self.team, place, name=self.name, layout=self.layout, force=self.force, merge=self.merge)

    def _detail(self, counted: dict[str, int]) -> dict[str, Any]:
        return {
            "team": self.team,
            "data_dir": self.root,
            "layout": self.layout.name,
            "covers": list(self.layout.covers(self.team)),
            "counts": counted,
        }

    def check_there(self, previous: Part | None = None) -> None:
        """NotFound for a team of which nothing is known."""
        config = name_bytes(f"{self.root}/{self.layout.config.format(team=self.team)}")
        if previous is not None or os.path.lexists(config):
            return
        known = teams(self.root, self.layout)
        raise NotFound(
            f"there is no team {self.team!r} in {self.root}",
            hints=[f"teams there: {', '.join(known[:8])}" if known else "--data-dir DIR names another directory"],
        )

    def _check_own(self, effects: Sequence[Effect]) -> None:
        """Integrity for what is not the team's, or is a lock: a store may be anybody's, and other teams, and the settings of
        the framework itself, are below the same root."""
        for effect in effects:
            is_dir = any(entry is not None and entry.kind == DIRECTORY for entry in (effect.before, effect.after))
            if not self._covered.counts(effect.path, is_dir):
                raise Integrity(
                    f"the part {self.name!r} holds {effect.path!r:.80}, which is not of the team {self.team!r}. Nothing was "
                    "changed.",
                    hints=["`takeback verify` checks the store"],
                )

    def _running(self) -> list[str]:
        from takeback.sources.team.members import running

        return [f"{each.name} ({each.how})" for each in running(self.root, self.team)]

    def _running_notes(self) -> list[str]:
        found = self._running()
        return [f"members are running, and the team changes under them: {', '.join(found)}"] if found else []

    def _cache_key(self, writer: Writer) -> str:
        return f"team-{writer.scope}-{blake3(name_bytes(f'{self.root}/{self.team}')).hexdigest()[:16]}"


class _StagedTeam(NamedTuple):
    """Staged files that are put into place while nobody who has to ask can change the team."""

    team: Team
    files: Staged
    mail: Mapping[str, bool]
    """Where messages are put, or taken away."""

    @property
    def kept(self) -> tuple[Kept, ...]:
        """Also messages that are gone again, or back under the name that they have while they are read: who they are for
        waits for no lock."""
        from takeback.model.plan import Kept

        there = {path: os.path.lexists(name_bytes(f"{self.team.root}/{path}")) for path in self.mail}
        taken = sorted(path for path, put in self.mail.items() if there[path] != put)
        return (*self.files.kept, *(Kept(self.team.name, path, _TAKEN) for path in taken))

    def apply(self) -> None:
        with self.team._locks():
            self.files.apply()

    def finish(self) -> None:
        self.files.finish()

    def discard(self) -> None:
        self.files.discard()


def _real(place: str | os.PathLike[str]) -> str:
    """A directory as parts name it."""
    return os.fsencode(os.path.realpath(os.fspath(place))).decode("utf-8", "surrogateescape")


def _counted(part: Part | None) -> dict[str, int]:
    """What a part says that it holds."""
    said = part.detail.get("counts") if part is not None else None
    return dict(said) if isinstance(said, Mapping) else {}


def teams(root: str, layout: Layout = CLAWTEAM) -> list[str]:
    """The names of the teams in a data directory."""
    front, _, back = layout.config.partition("{team}")
    try:
        names = sorted(os.listdir(os.fsdecode(name_bytes(f"{root}/{front}"))))
    except OSError:
        return []
    return [
        each for each in names if _NAME.fullmatch(each) and os.path.isfile(name_bytes(f"{root}/{front}{each}{back}"))
    ]
