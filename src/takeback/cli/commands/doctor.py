"""takeback doctor"""

from __future__ import annotations

import click

from takeback.cli import shapes
from takeback.cli.app import Command
from takeback.cli.call import Call
from takeback.cli.people import say
from takeback.views.lines import Line, table

_STYLES = {"ok": "good", "warn": "warn", "fail": "bad"}


@click.command("doctor", cls=Command)
@click.pass_obj
def command(call: Call) -> int:
    """Check what works here, and say what to do about what does not.

    Exits with 1 if something that takeback needs does not work.

    For example:
      takeback doctor
    """
    from takeback.cli.checkup import checkup

    findings = checkup(call)
    failed = any(finding.state == "fail" for finding in findings)
    if call.json:
        checks = [
            {"check": each.check, "state": each.state, "found": each.found, "next": each.next} for each in findings
        ]
        shapes.print_json({"ok": not failed, "checks": checks})
        return int(failed)
    rows: list[Line] = [[(each.state, _STYLES[each.state]), each.check, (each.found, "quiet")] for each in findings]
    for finding, line in zip(findings, table(rows), strict=True):
        say(line)
        if finding.next:
            say([("      next: ", "warn"), finding.next])
    return int(failed)
