"""A real team whose members work in real worktrees, made by the real ClawTeam in a real repository."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from clawteam.workspace.manager import WorkspaceManager

from support.git import commit_all, git, init_repository
from support.teams.real import RealTeam
from support.trees import make_tree

AGENTS = ("ada", "bob")


class Crew:
    """A team, its repository, and a worktree each for two of its members."""

    def __init__(self, directory: Path, team: RealTeam) -> None:
        self.team, self.data = team, team.data
        self.repository = init_repository(directory / "repository")
        make_tree(
            self.repository,
            {"app.py": "print('one')\n", "lib/deep/a.txt": "a\n", "lib/b.txt": "b\n", ".gitignore": "*.log\n"},
        )
        commit_all(self.repository)
        for agent in AGENTS:
            self.hire(agent)
        for agent in AGENTS:
            (self[agent] / "work.txt").write_text(f"what {agent} did\n")

    @property
    def manager(self) -> WorkspaceManager:
        return WorkspaceManager(self.repository)

    def hire(self, agent: str) -> None:
        self.manager.create_workspace(self.team.name, agent, f"id-{agent}")

    def __getitem__(self, agent: str) -> Path:
        return self.data / "workspaces" / self.team.name / agent

    def tree(self, agent: str) -> dict[str, tuple[int, bytes]]:
        """Every file in a worktree but git's, with its permissions."""
        root = self[agent]
        return {
            str(path.relative_to(root)): (path.stat().st_mode & 0o777, path.read_bytes())
            for path in sorted(root.rglob("*"))
            if path.is_file() and path.name != ".git"
        }

    def trees(self) -> dict[str, dict[str, tuple[int, bytes]]]:
        return {agent: self.tree(agent) for agent in AGENTS}

    def derail(self) -> None:
        """Both members break their trees, and the team loses its way."""
        (self["ada"] / "app.py").write_text("print('broken')\n")
        (self["ada"] / "lib" / "deep" / "a.txt").unlink()
        (self["ada"] / "lib" / "deep").rmdir()
        (self["bob"] / "app.py").write_text("print('worse')\n")
        (self["bob"] / "app.py").chmod(0o755)
        (self["bob"] / "junk").mkdir()
        (self["bob"] / "junk" / "x").write_text("x")
        (self["bob"] / "work.txt").unlink()
        self.team.work_on(7)

    def of_git(self) -> dict[str, str]:
        """All that git keeps of the repository and its worktrees beside the objects: HEAD, the indexes, refs, logs."""
        root = self.repository / ".git"
        found = {
            str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(root.rglob("*"))
            if path.is_file() and path.relative_to(root).parts[0] != "objects"
        }
        return {**found, "status": git(self.repository, "status", "--porcelain").decode()}

    def talk(self, home: Path, agent: str, session: str, text: str) -> Path:
        """A member says something in a session of Claude Code's, and ClawTeam notes which."""
        file = home / ".claude" / "projects" / "-somewhere" / f"{session}.jsonl"
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a") as stream:
            stream.write(json.dumps({"sessionId": session, "text": text}) + "\n")
        self.team.sessions.save(agent, session)
        return file
