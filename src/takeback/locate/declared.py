"""Sources that a configuration names once, so that nobody has to type them: containers and teams.

Written ``[PART=]NAME``, or as a table with the name, the part and options. Nothing here looks at one: a project's file comes
with a cloned repository, so what it names is used only once a person has agreed (`takeback.locate.agreed`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from takeback.errors import InvalidInput

CONTAINER, TEAM = "container", "team"

_MOST = 32
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}")
"""What Docker and ClawTeam can call something; it needs no quotes anywhere."""
_TAKEN = re.compile(r"(workspace|transcript)(-.*)?")
"""Parts that have their names from us."""
_LONGEST = 1024
_STRATEGIES = ("auto", "overlay", "stream")
_OPTIONS: Mapping[str, Mapping[str, type]] = {
    CONTAINER: {"volumes": bool, "image": bool, "strategy": str, "flatten": bool, "binds": bool, "secrets": bool},
    TEAM: {"workspaces": bool},
}
_OWN = frozenset({"binds", "secrets"})
"""Options that reach further than what is named: only a person's own configuration has them."""


class Declared(NamedTuple):
    """One source as a configuration names it."""

    kind: str
    part: str
    name: str
    options: Mapping[str, Any] = {}

    @property
    def key(self) -> str:
        """What tells it from all others of a root."""
        return f"{self.kind} {self.part}={self.name}"

    @property
    def said(self) -> str:
        """As a person says it: ``container sandbox``."""
        return f"{self.kind} {self.name}" if self.part == self.kind else f"{self.kind} {self.part}={self.name}"


def parse(kind: str, value: Any) -> tuple[Declared, ...]:
    """What the setting of a kind says; InvalidInput if it says nothing that can be."""
    if not isinstance(value, list | tuple):
        raise InvalidInput(f"{_shown(value)} is not a list of {kind}s", hints=['such as ["sandbox"]'])
    if len(value) > _MOST:
        raise InvalidInput(f"{len(value):,} {kind}s are too many", hints=[f"at most {_MOST}"])
    found = tuple(each if isinstance(each, Declared) else _one(kind, each) for each in value)
    check_parts(found)
    return found


def parse_parts(value: Any) -> tuple[str, ...]:
    """Names of parts that some program saves by itself."""
    if not isinstance(value, list | tuple) or len(value) > _MOST:
        raise InvalidInput(f"{_shown(value)} is not a list of at most {_MOST} names", hints=['such as ["memory"]'])
    return tuple(dict.fromkeys(_part(each) for each in value))


def check_parts(found: tuple[Declared, ...]) -> None:
    """InvalidInput if two are the same part."""
    parts = [each.part for each in found]
    for each in found:
        if parts.count(each.part) > 1:
            raise InvalidInput(
                f"two parts are called {each.part!r}", hints=[f'name the parts: "one={each.name}", "other=…"']
            )


def check_modest(found: tuple[Declared, ...]) -> None:
    """InvalidInput if an option reaches further than a project's file may."""
    for each in found:
        for option in sorted(_OWN & each.options.keys()):
            raise InvalidInput(f"a project's file may not set {option!r} of the {each.said}")


def can_be_declared(name: str, *, part: bool = False) -> bool:
    """Whether a name can stand in a configuration: of a source, or of a ``part``."""
    return _NAME.fullmatch(name) is not None and not (part and _TAKEN.fullmatch(name))


def from_key(key: str, options: Mapping[str, Any]) -> Declared | None:
    """The one that has a key; None if none can have it, or the options. A fork's may be called as only a person can type."""
    kind, _, rest = key.partition(" ")
    part, _, name = rest.partition("=")
    if kind not in _OPTIONS or not part.strip() or not name.strip() or not rest.isprintable() or _TAKEN.fullmatch(part):
        return None
    try:
        return Declared(kind, part, name, _options(kind, options))
    except InvalidInput:
        return None


def _one(kind: str, value: Any) -> Declared:
    if isinstance(value, str):
        part, equals, name = value.partition("=")
        return _checked(Declared(kind, part if equals else kind, name if equals else value))
    if not isinstance(value, Mapping):
        raise InvalidInput(f"{_shown(value)} is no {kind}", hints=['"NAME", "PART=NAME" or { name = "NAME" }'])
    options = {key: each for key, each in value.items() if key not in ("name", "part")}
    return _checked(Declared(kind, value.get("part", kind), value.get("name", ""), _options(kind, options)))


def _options(kind: str, options: Mapping[str, Any]) -> dict[str, Any]:
    for key, each in options.items():
        known = _OPTIONS[kind].get(key)
        if known is None:
            allowed = ", ".join(("name", "part", *_OPTIONS[kind]))
            raise InvalidInput(f"{_shown(key)} is no option of a {kind}", hints=[f"options are: {allowed}"])
        if type(each) is not known:
            raise InvalidInput(f"the option {key!r} of a {kind} cannot be {_shown(each)}")
    if options.get("strategy", "auto") not in _STRATEGIES:
        raise InvalidInput(f"{_shown(options['strategy'])} is no strategy", hints=[f"one of: {', '.join(_STRATEGIES)}"])
    return dict(options)


def _checked(one: Declared) -> Declared:
    _named(one.name, one.kind)
    _part(one.part)
    return one


def _part(text: Any) -> str:
    if _TAKEN.fullmatch(_named(text, "part")):
        raise InvalidInput(f"the part {text!r} is takeback's own", hints=['"OTHER=NAME" gives it another name'])
    return str(text)


def _named(text: Any, what: str) -> str:
    if not isinstance(text, str) or not _NAME.fullmatch(text):
        hints = ["letters, digits, dots, dashes and underscores"]
        raise InvalidInput(f"{_shown(text)} cannot be the name of a {what}", hints=hints)
    return text


def check_inside(path: Any) -> None:
    """InvalidInput for a directory of a project's file that is not, by its name, inside the root."""
    if not isinstance(path, str) or len(path) > _LONGEST or not path.isprintable() or not path.strip("./"):
        raise InvalidInput(f"{_shown(path)} cannot be a directory inside the root", hints=['such as ".clawteam"'])
    if path.startswith(("/", "~")) or ".." in path.split("/"):
        raise InvalidInput(f"{_shown(path)} is not inside the root", hints=['such as ".clawteam"'])


def _shown(value: Any) -> str:
    """A value that may be of any size."""
    text = repr(value) if isinstance(value, str | int | float | bool) else f"a {type(value).__name__}"
    return text if len(text) <= 60 else f"{text[:59]}…"
