"""Where ClawTeam keeps its teams, found as ClawTeam finds it; and `takeback.Team`, which knows that."""

from __future__ import annotations

import json
import os

from takeback.sources.team import source
from takeback.sources.team.layouts import CLAWTEAM, Layout

_LARGEST = 1 << 20


class Team(source.Team):
    """A ClawTeam team; ``data_dir`` is where ClawTeam keeps its teams, if not where it says.

    See `takeback.sources.team.source.Team`.
    """

    def __init__(
        self,
        team: str,
        data_dir: str | os.PathLike[str] | None = None,
        *,
        name: str = "team",
        layout: Layout = CLAWTEAM,
        force: bool = False,
        merge: bool = False,
    ) -> None:
        super().__init__(team, data_directory(data_dir), name=name, layout=layout, force=force, merge=merge)


def data_directory(given: str | os.PathLike[str] | None = None) -> str:
    """The one given, else $CLAWTEAM_DATA_DIR, else the one in ClawTeam's own settings, else ~/.clawteam."""
    home = os.path.join(os.path.expanduser("~"), ".clawteam")
    found = os.fspath(given) if given else os.environ.get("CLAWTEAM_DATA_DIR") or _configured(home) or home
    return os.path.abspath(found)


def _configured(home: str) -> str:
    try:
        with open(os.path.join(home, "config.json"), "rb") as file:
            settings = json.loads(file.read(_LARGEST))
    except (OSError, ValueError, RecursionError):
        return ""
    found = settings.get("data_dir") if isinstance(settings, dict) else ""
    return found if isinstance(found, str) and "\0" not in found else ""
