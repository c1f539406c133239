"""From an agent's event to saves on the timeline of its session's first root.

A turn is what lies between two prompts, an action what lies around one call of a tool that can write. Agents do not say
all of it: one that goes on after its stop has begun another turn, and a command in the background works for as long as its
turn does.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from takeback import locate
from takeback.adapters.hooks import telling
from takeback.adapters.hooks.event import Event
from takeback.engine.store import MEMORY
from takeback.errors import InvalidInput, NotFound
from takeback.locate.unagreed import tell
from takeback.sources.transcript.agents import KEEPS
from takeback.store import hooked, notices
from takeback.store.hooked import Remembered

if TYPE_CHECKING:
    from takeback.engine.timeline import Timeline
    from takeback.locate import Place
    from takeback.model.effect_rule import EffectRule
    from takeback.model.snapshot import Snapshot
    from takeback.sources.protocol import Source


_MOST_EFFECTS = 50
"""So many of a turn's are remembered until it ends."""


def record(agent: str, event: Event) -> None:
    """Save what an event is about; TakebackError if it cannot be."""
    directory = locate.store_path()
    if directory == MEMORY:
        raise InvalidInput(
            "a store in memory ends with each hook, so no turns are recorded", hints=["name a directory as the store"]
        )
    with locate.open(directory) as store, hooked.alone(directory, agent, event.session):
        known = hooked.recall(directory, agent, event.session)
        where = _place(event, known)
        if known is None:
            known = _first(agent, where)
            known = known._replace(acts=known.actions and hooked.acts(directory, agent, where.root))
            hooked.remember(directory, agent, event.session, known)
            hooked.forget_old(directory)
        hooked.ran(directory, agent, event.session, where.root, event.name)
        if known.on:
            line = locate.timeline(store, where, more=_transcript(agent, event, where))
            session = _Session(agent, event, line, where["effects"])
            after = session.note(known)
            if after != known:
                hooked.remember(directory, agent, event.session, after)
            if after.acts and not known.acts:
                hooked.note_acts(directory, agent, where.root)
            tell(where, line, session.saved, lambda said: notices.note(directory, f"hook {agent}", said))
            for name, why in session.missed.items():
                notices.note(directory, f"hook {agent}", f"{where.root} is recorded without {name}: {why}")


def _place(event: Event, known: Remembered | None) -> Place:
    """Where a session works: wherever its agent goes meanwhile, it is where it began."""
    if known is None:
        return locate.place(event.cwd or _here())
    if not os.path.isdir(known.root):
        raise NotFound(
            f"{known.root}, in which the session was begun, is gone, so its turns are not recorded",
            hints=[
                "`takeback restore REF --to DIR` puts a snapshot elsewhere",
                "begin a new session where you work now",
            ],
        )
    return locate.place(known.root, fixed=True)


def _here() -> str:
    try:
        return os.getcwd()
    except OSError as error:
        raise NotFound(
            "the directory in which the agent was started is gone, so its turns are not recorded",
            hints=["start it in a project's directory"],
        ) from error


def _first(agent: str, where: Place) -> Remembered:
    """A session's beginning: its root, whether it is recorded, and at what, are settled then."""
    if where["snapshots"] is False:
        return Remembered(where.root, on=False)
    if where.holds_home and where.found_by != locate.PROJECT_FILE:
        raise InvalidInput(
            f"{agent} was started in {where.root}, which holds your home directory, so its turns are not recorded",
            hints=["start it in a project's directory", f"or make {os.path.join(where.root, locate.PROJECT_FILE)}"],
        )
    return Remembered(where.root, actions="action" in where["triggers"])


def _transcript(agent: str, event: Event, where: Place) -> list[Source]:
    """The conversation, if it is wanted; before a tool call it is what it was at the last look."""
    if agent not in KEEPS or not event.transcript or event.trigger == "before_action" or not where["transcripts"]:
        return []
    from takeback.sources.transcript.source import Transcript

    return [Transcript(locate.agent_homes(), agent, event.session, event.transcript)]


def _told(known: Remembered) -> dict[str, Any]:
    """What is said at the end of a turn of what it did."""
    return {"effects": [dict(each) for each in known.effects]} if known.effects else {}


class _Session:
    """One event, on the timeline of its session."""

    def __init__(self, agent: str, event: Event, line: Timeline, rules: Sequence[EffectRule]) -> None:
        self._agent, self._event, self._line, self._rules = agent, event, line, rules
        self.saved: Snapshot | None = None
        self.missed: Mapping[str, str] = {}
        """What the last snapshot goes without, and why."""

    def note(self, known: Remembered) -> Remembered:
        """Save; what is to be remembered of the session then."""
        trigger = self._event.trigger
        if trigger == "turn_start":
            return self._begin(known)
        if trigger in ("before_action", "after_action") and not known.actions:
            return self._unmarked(known)
        if trigger == "before_action":
            return self._before(known)
        if trigger == "after_action":
            return self._after(known)
        if trigger == "turn_end" and 0 < self._event.time_ms < known.since_ms:
            return known  # the end of the turn before, which has ended with the beginning of this one
        if trigger == "turn_end" and self._event.goes_on:
            self._save("interval")  # the turn stays open for what works in the background
            return known
        # A session that begins while its turn is open was killed in it.
        self._save(trigger or ("turn_end" if known.in_turn else "interval"), context=_told(known))
        return known._replace(in_turn=False, effects=())

    def _begin(self, known: Remembered) -> Remembered:
        if self._event.again and known.in_turn:
            return known
        if known.effects:  # of a turn that nobody has ended
            self._save("turn_end", context=_told(known))
        prompt = self._event.prompt or ("" if known.in_turn else known.prompt)
        title = telling.title_of(prompt) or f"a turn of {self._agent}"
        context = {"prompt": telling.prompt_of(prompt)} if prompt else {}
        self._save("turn_start", title=title, context=context | ({"marks": True} if known.acts else {}))
        return known._replace(in_turn=True, prompt=title, since_ms=self._event.time_ms, effects=())

    def _unmarked(self, known: Remembered) -> Remembered:
        """A tool call of a session that is saved at its turns alone: it begins a turn if there is none, and what it did
        outside is kept for the turn's end."""
        if not known.in_turn:
            known = self._begun(known, {})
        if self._event.trigger == "before_action":
            return known
        return known._replace(effects=(*known.effects, *self._effects())[-_MOST_EFFECTS:])

    def _begun(self, known: Remembered, context: dict[str, Any]) -> Remembered:
        """A turn that begins with a tool call, because the agent did not say that it does."""
        title = known.prompt or f"a turn of {self._agent}"
        self._save("turn_start", title=title, context=context)
        return known._replace(in_turn=True, prompt=title)

    def _before(self, known: Remembered) -> Remembered:
        if not known.in_turn:
            known = self._begun(known, {"marks": True})
        self._open(self._event.key)
        return known._replace(acts=True)

    def _open(self, key: str) -> None:
        event = self._event
        context = {"tool": event.tool, "input": telling.input_of(event.input)}
        self._save(
            "before_action",
            title=self._title(),
            context=context,
            paths=self._inside(),
            key=key,
        )

    def _after(self, known: Remembered) -> Remembered:
        event = self._event
        effects = self._effects()
        self._save(
            "after_action",
            title=self._title(),
            context={"tool": event.tool, "effects": effects} if effects else {},
            paths=self._inside(),
            key=event.key,
        )
        if event.goes_on:
            self._open(f"{event.key}&")
        return known

    def _effects(self) -> list[dict[str, str]]:
        """What the call did that no snapshot can take back."""
        from takeback.adapters.hooks.effects import effects_of, outside_root

        event, root = self._event, self._line.root
        found = effects_of(event.tool, event.input, self._rules, root, event.cwd)
        return [each._asdict() for each in (*found, *outside_root(self._inside(), root))]

    def _title(self) -> str:
        return telling.call_of(self._event.tool, self._event.input, self._inside(), self._line.root)

    def _inside(self) -> list[str]:
        """Reported paths, which may be relative to where the agent stands."""
        return [os.path.join(self._event.cwd, path) for path in self._event.paths]

    def _save(self, trigger: str, *, context: dict[str, Any] | None = None, **more: Any) -> None:
        about = {"agent": self._agent, **(context or {})} if context or trigger in ("turn_start", "turn_end") else {}
        saved = self._line.save(trigger=trigger, session=self._event.session, context=about, **more)
        self.saved, self.missed = saved, saved.missed
