"""What `takeback doctor` looks at: each check is a function of a module here, and none of them makes or changes anything
that stays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from takeback.cli.checkup import history, hooks, machine, root, storage
from takeback.cli.checkup.finding import Finding
from takeback.errors import TakebackError

if TYPE_CHECKING:
    from takeback.cli.call import Call
    from takeback.locate import Place

Check = Callable[["Call", "Place"], Iterator[Finding]]
_CHECKS: tuple[Check, ...] = (
    storage.store,
    storage.space,
    storage.size,
    storage.upkeep,
    history.history,
    root.locks,
    root.stages,
    hooks.hooks,
    machine.extras,
)


def checkup(call: Call) -> list[Finding]:
    findings = [machine.python(), machine.sqlite(), machine.git()]
    try:
        place = call.place()
    except TakebackError as error:
        return [*findings, Finding("configuration", "fail", error.message, "; ".join(error.hints))]
    findings.append(Finding("root", "ok", f"{place.root} (found by {place.found_by})"))
    findings += (Finding("configuration", "warn", warning, "correct it, or move it away") for warning in place.warnings)
    findings += (
        Finding("configuration", "warn", said, "`takeback trust` asks you about it") for said in place.to_agree
    )
    for check in _CHECKS:
        findings += check(call, place)
    return findings
