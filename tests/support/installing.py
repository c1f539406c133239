"""A home and a project, and an agent's configuration in them that takeback is installed into."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from takeback import locate
from takeback.adapters import install
from takeback.adapters.install import Installation

PYTHON = "/opt/my python/bin/python3"


class Place:
    """Install and uninstall one agent, and look at what that did to every file under the home and the project."""

    def __init__(self, home: Path, project: Path, agent: str, scope: str) -> None:
        self.home = home
        self.project = project
        self.agent = install.by_name(agent)
        self.scope = scope
        self.where = locate.agents(str(project))

    @property
    def file(self) -> Path:
        return Path(self.agent.files[self.scope].format_map(self.where._asdict()))

    def write(self, data: bytes, mode: int = 0o644) -> Path:
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_bytes(data)
        self.file.chmod(mode)
        return self.file

    def install(self, interpreter: str = PYTHON) -> Installation:
        plan = install.plan_install(self.agent, self.scope, self.where, interpreter)
        install.apply(plan)
        return plan

    def uninstall(self) -> Installation:
        plan = install.plan_uninstall(self.agent, self.scope, self.where)
        install.apply(plan)
        return plan

    def world(self) -> dict[str, tuple[int, bytes | str | None]]:
        """Every path with its mode and content."""
        found: dict[str, tuple[int, bytes | str | None]] = {}
        for base in (self.home, self.project):
            for path in sorted(base.rglob("*")):
                content: bytes | str | None = None
                if path.is_symlink():
                    content = str(path.readlink())
                elif path.is_file():
                    content = path.read_bytes()
                found[str(path)] = (path.lstat().st_mode, content)
        return found


MakePlace = Callable[..., Place]
