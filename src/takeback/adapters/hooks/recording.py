"""From an agent's event to saves on the timeline of its session's first root.

A turn is what lies between two prompts, an action what lies around one call of a tool that can write. Agents do not say
all of it: one that goes on after its stop has begun another turn, and a command in the background works for as long as its
turn does.
"""

from __future__ import annotations

import os
from codecs import BOM_UTF8
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from blake3 import blake3

from takeback import locate
from takeback.adapters.hooks import telling
from takeback.adapters.hooks.agents import AGENTS, BATCH, DENIED, HELPER_END, QUESTION
from takeback.adapters.hooks.event import Event
from takeback.engine import processes
from takeback.engine.save import relative
from takeback.engine.store import MEMORY
from takeback.engine.stretches import BACKGROUND, CALLS, FOLLOWER, RAN, Ran, begun, cut, ended
from takeback.errors import InvalidInput, NotFound
from takeback.locate.unagreed import tell
from takeback.sources import clock
from takeback.sources.transcript.agents import KEEPS
from takeback.store import hooked, notices
from takeback.store.durable import NotPlain, read_plain_file
from takeback.store.hooked import Remembered

if TYPE_CHECKING:
    from takeback.engine.processes import Ancestry
    from takeback.engine.timeline import Timeline
    from takeback.locate import Place
    from takeback.model.effect_rule import EffectRule
    from takeback.model.snapshot import Snapshot
    from takeback.sources.protocol import Source


_MOST_EFFECTS = 50
"""So many of a turn's are remembered until it ends."""
_MOST_CALLS = 1000
_LARGEST = 4 << 20
"""No agent's configuration is larger."""


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
            hooked.remember(directory, agent, event.session, known)
            hooked.forget_old(directory)
        hooked.ran(directory, agent, event.session, where.root, event.name)
        if known.on:
            line = locate.timeline(store, where, more=_transcript(agent, event, where))
            session = _Session(agent, event, line, where["effects"])
            after = session.note(known)
            if after != known:
                hooked.remember(directory, agent, event.session, after)
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
    return Remembered(where.root, actions="action" in where["triggers"], deaf=_is_deaf(agent, where.root))


def _is_deaf(agent: str, root: str) -> bool:
    """Whether an earlier version installed the hooks of this agent, so that they do not hear of its questions. Where none of
    ours are found, nobody knows, and they are taken to be whole."""
    asks = [event.encode() for event, said in AGENTS[agent].events.items() if said.trigger == QUESTION]
    for template in AGENTS[agent].files.values():
        try:
            text = read_plain_file(template.format_map(locate.agents(root)._asdict()), _LARGEST)
        except (OSError, NotPlain):
            continue
        if f" -m takeback hook {agent}".encode() in text and not any(event in text for event in asks):
            return True
    return False


def _transcript(agent: str, event: Event, where: Place) -> list[Source]:
    """The conversation, if it is wanted; before a tool call it is what it was at the last look."""
    if agent not in KEEPS or not event.transcript or event.trigger == "before_action" or not where["transcripts"]:
        return []
    from takeback.sources.transcript.source import Transcript

    return [Transcript(locate.agent_homes(), agent, event.session, event.transcript)]


def _told(known: Remembered) -> dict[str, Any]:
    """What is said at the end of a turn of what it did."""
    effects = {"effects": [dict(each) for each in known.effects]} if known.effects else {}
    return effects | ({} if known.actions else {CALLS: [dict(each) for each in known.calls]})


def _marks(known: Remembered) -> dict[str, Any]:
    """What a turn says at its beginning of how its calls are told: each by a move of its own, or all at its end."""
    return {"marks": True} if known.actions else {CALLS: []}


def _ids_of(text: str) -> tuple[str, ...]:
    """The ids that a file's content may have whose text an agent tells: agents make one line end of all, and drop a mark at
    the beginning."""
    data = text.encode("utf-8", "surrogatepass")
    forms = [data, data.replace(b"\r\n", b"\n"), data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")]
    forms += [BOM_UTF8 + form for form in forms]
    return tuple(dict.fromkeys(blake3(form).hexdigest() for form in forms))


class _Session:
    """One event, on the timeline of its session."""

    def __init__(self, agent: str, event: Event, line: Timeline, rules: Sequence[EffectRule]) -> None:
        self._agent, self._event, self._line, self._rules = agent, event, line, rules
        self._process: Ancestry | None = None
        self.saved: Snapshot | None = None
        self.missed: Mapping[str, str] = {}
        """What the last snapshot goes without, and why."""

    def note(self, known: Remembered) -> Remembered:
        """Save; what is to be remembered of the session then."""
        known = self._with_process(known)
        trigger = self._event.trigger
        if trigger == "turn_start":
            return self._begin(known)
        if trigger in (QUESTION, DENIED, HELPER_END, BATCH):
            return self._between(known)
        if trigger in ("before_action", "after_action") and not known.actions:
            return self._unmarked(known)
        if trigger == "before_action":
            return self._before(known)
        if trigger == "after_action":
            return self._after(known)
        if trigger == "turn_end" and 0 < self._event.time_ms < known.since_ms:
            return known  # the end of the turn before, which has ended with the beginning of this one
        if trigger == "turn_end" and (self._event.goes_on or (self._event.lets_run_on and known.running)):
            self._save("interval")  # the turn stays open for what works in the background
            return known
        # A session that begins while its turn is open was killed in it.
        self._save(trigger or ("turn_end" if known.in_turn else "interval"), context=_told(known))
        return known._replace(in_turn=False, effects=(), asked=(), calls=(), running=())

    def _with_process(self, known: Remembered) -> Remembered:
        """Find out which process the agent is; each event of a session can tell more."""
        if self._event.ancestry is None:
            return known
        self._process = processes.agent_above(self._event.ancestry, processes.decoded(known.agent))
        return known._replace(agent=self._process.encoded())

    def _begin(self, known: Remembered) -> Remembered:
        if self._event.again and known.in_turn:
            return known
        if known.effects or known.calls:  # of a turn that nobody has ended
            self._save("turn_end", context=_told(known))
        prompt = self._event.prompt or ("" if known.in_turn else known.prompt)
        title = telling.title_of(prompt) or f"a turn of {self._agent}"
        context = {"prompt": telling.prompt_of(prompt)} if prompt else {}
        keeps: frozenset[str] | None = None
        if self._event.ended_call:  # no person has begun this turn: what else is in the background goes on
            ended = f"{self._event.ended_call}{BACKGROUND}"
            keeps = frozenset(key for key in known.running if key.endswith(BACKGROUND) and key != ended)
        self._save("turn_start", title=title, context=context | _marks(known), keeps=keeps)
        return known._replace(
            in_turn=True,
            prompt=title,
            since_ms=self._event.time_ms,
            effects=(),
            asked=(),
            calls=(),
            running=tuple(keeps or ()),
        )

    def _between(self, known: Remembered) -> Remembered:
        """What happens to calls between their beginning and their end."""
        event = self._event
        if event.trigger == QUESTION:
            self._save("interval")  # what a person changes from now on is in a step of its own
            # It may name its call in other words than the call itself: it is about all that have begun and not ended.
            begun = [key for key in known.running if not key.endswith((BACKGROUND, FOLLOWER))]
            begun += [str(call.get("key", "")) for call in known.calls if "to" not in call[RAN]]
            asked = (*known.asked, *filter(None, (event.key, event.call, *begun)))
            return known._replace(asked=tuple(dict.fromkeys(asked)))
        if event.trigger == DENIED:
            if known.actions:
                self._save("after_action", title=self._title(), key=event.key, ran=self._ran(known, denied=True))
            return self._answered(known._replace(running=tuple(key for key in known.running if key != event.key)))
        if event.trigger == HELPER_END and event.helper:
            self._save("interval", ends=event.helper)
            return known
        return self._batch(known)

    def _batch(self, known: Remembered) -> Remembered:
        """Calls that were made together have ended: one that did not tell so itself was refused, and never ran."""
        closes = {key: Ran(at=self._event.came, denied=True) for key in self._event.calls if key in known.running}
        closes |= self._followers(known)
        if closes and known.actions:
            self._save("interval", closes=closes)
        return known._replace(
            batches=True,
            running=tuple(key for key in known.running if key not in closes),
            calls=tuple(call for call in known.calls if "to" in call[RAN] or call.get("key") not in self._event.calls),
        )

    def _followers(self, known: Remembered) -> dict[str, Ran]:
        """What the agent's own hooks did after calls has ended, too: nothing but the paths that the calls named is certain, and
        that only of a session that is known to tell of its batches; of any other this may be much later."""
        is_batch = self._event.trigger == BATCH
        if known.batches and not is_batch:
            return {}  # its own batch ends it: the call that begins may be another subagent's
        ended = Ran(at=self._event.came, asked=True, failed=not is_batch)
        of_batch = {f"{key}{FOLLOWER}" for key in self._event.calls}
        return {key: ended for key in known.running if key.endswith(FOLLOWER) and (not is_batch or key in of_batch)}

    def _answered(self, known: Remembered) -> Remembered:
        return known._replace(
            asked=tuple(each for each in known.asked if each not in (self._event.key, self._event.call))
        )

    def _unmarked(self, known: Remembered) -> Remembered:
        """A tool call of a session that is saved at its turns alone: it begins a turn if there is none; when it ran, and what
        it did outside, is kept for the turn's end."""
        if not known.in_turn:
            known = self._begun(known)
        event = self._event
        now = event.came or clock.read()
        if event.trigger == "before_action":
            call: dict[str, Any] = {**self._call(), RAN: begun(self._ran(known), now)}
            return known._replace(calls=(*known.calls, call)[-_MOST_CALLS:])
        calls = list(known.calls)
        place = next(
            (i for i, each in enumerate(calls) if each.get("key") == event.key and "to" not in each[RAN]), None
        )
        call = self._call() if place is None else dict(calls.pop(place))
        opened = call.get(RAN, {})
        told = ended(opened, self._ran(known), now) if not event.goes_on else cut(opened, now)
        calls.append({**call, RAN: told})
        effects = (*known.effects, *self._effects())[-_MOST_EFFECTS:]
        return self._answered(known._replace(effects=effects, calls=tuple(calls[-_MOST_CALLS:])))

    def _call(self) -> dict[str, Any]:
        return {"key": self._event.key, "title": self._title(), "paths": self._paths()}

    def _begun(self, known: Remembered) -> Remembered:
        """A turn that begins with a tool call, because the agent did not say that it does."""
        title = known.prompt or f"a turn of {self._agent}"
        self._save("turn_start", title=title, context=_marks(known))
        return known._replace(in_turn=True, prompt=title)

    def _before(self, known: Remembered) -> Remembered:
        if not known.in_turn and not self._event.helper:
            known = self._begun(known)
        followers = self._followers(known)
        self._open(self._event.key, known, followers)
        running = (*(key for key in known.running if key not in followers), self._event.key)
        return known._replace(running=running[-_MOST_CALLS:])

    def _open(self, key: str, known: Remembered, closes: Mapping[str, Ran] = MappingProxyType({})) -> None:
        event = self._event
        context = {"tool": event.tool, "input": telling.input_of(event.input)}
        self._save(
            "before_action",
            title=self._title(),
            context=context,
            paths=self._inside(),
            key=key,
            ran=self._ran(known),
            closes=closes,
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
            ran=self._ran(known),
            follow=f"{event.key}{FOLLOWER}" if event.follows else "",
        )
        running = [key for key in known.running if key != event.key]
        if event.follows:
            running.append(f"{event.key}{FOLLOWER}")
        if event.goes_on:
            self._open(f"{event.key}{BACKGROUND}", known)
            running.append(f"{event.key}{BACKGROUND}")
        return self._answered(known._replace(running=tuple(running)))

    def _ran(self, known: Remembered, *, denied: bool = False) -> Ran:
        """What the event proves of when its command ran."""
        event = self._event
        return Ran(
            at=event.came,
            duration_ns=None if event.duration_ms is None else event.duration_ms * 1_000_000,
            asked=event.may_ask or known.deaf or event.key in known.asked or event.call in known.asked,
            lives=False,
            only_named=event.only_named,
            denied=denied,
            follows=event.follows,
            failed=event.failed,
            originals=_ids_of(event.original) if event.original is not None else (),
        )

    def _effects(self) -> list[dict[str, str]]:
        """What the call did that no snapshot can take back."""
        from takeback.adapters.hooks.effects import effects_of, outside_root

        event, root = self._event, self._line.root
        found = effects_of(event.tool, event.input, self._rules, root, event.cwd)
        return [each._asdict() for each in (*found, *outside_root(self._inside(), root))]

    def _title(self) -> str:
        return telling.call_of(self._event.tool, self._event.input, self._inside(), self._line.root)

    def _inside(self) -> list[str]:
        """Reported paths, which may be relative to where the agent stands. A directory is where a tool works, and not what it
        writes, unless the tool is an editor."""
        paths = [os.path.join(self._event.cwd, path) for path in self._event.paths]
        return paths if self._event.only_named else [path for path in paths if not os.path.isdir(path)]

    def _paths(self) -> list[str]:
        """The same, as trees name them."""
        return [relative(self._line.root, path) for path in self._inside()]

    def _save(self, trigger: str, *, context: dict[str, Any] | None = None, **more: Any) -> None:
        about = {"agent": self._agent, **(context or {})} if context or trigger in ("turn_start", "turn_end") else {}
        said = {"ran": Ran(at=self._event.came, lives=False), **more}
        saved = self._line.save(
            trigger=trigger,
            session=self._event.session,
            context=about,
            agent=self._process,
            helper=self._event.helper,
            **said,
        )
        self.saved, self.missed = saved, saved.missed
