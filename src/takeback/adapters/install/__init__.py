"""takeback install and uninstall: hooks in the agents' own configuration, and nothing else there changed.

An agent is data (`agents`), a format knows how to add and find entries in a text (`formats`), and `planning` makes of
both a list of whole files before and after, which `applying` carries out: all of them or none, each by a rename, read
back afterwards. Our entries are known by the command they run; where they are known to the byte (`record`), uninstalling
gives back the very bytes that were there.
"""

from __future__ import annotations

from takeback.adapters.install.agent import SCOPES, Agent
from takeback.adapters.install.agents import AGENTS, by_name, choose
from takeback.adapters.install.applying import apply
from takeback.adapters.install.keeping import Unkept, plan_keep, unkept
from takeback.adapters.install.looking import Installed, found
from takeback.adapters.install.owned import Change
from takeback.adapters.install.planning import Installation, plan_install, plan_uninstall

__all__ = [
    "AGENTS",
    "SCOPES",
    "Agent",
    "by_name",
    "choose",
    "Change",
    "Installation",
    "plan_install",
    "plan_uninstall",
    "apply",
    "Unkept",
    "plan_keep",
    "unkept",
    "Installed",
    "found",
]
