"""A ClawTeam swarm: tasks, mail, and the git worktree of each member, in one snapshot that brings back all of it.

    pip install 'takeback[clawteam]'
    python clawteam_swarm.py [DIRECTORY]

ClawTeam and git are real; what the members do is scripted. With a DIRECTORY, all that it makes stays there to be looked at.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from clawteam.team.mailbox import MailboxManager
from clawteam.team.manager import TeamManager
from clawteam.team.models import TaskStatus
from clawteam.team.tasks import TaskStore
from clawteam.workspace.manager import WorkspaceManager

from takeback.adapters.clawteam import SnapshotManager

TEAM, MEMBERS = "alpha", ("ada", "bob")


def git(repository: Path, *words: str) -> None:
    me = ("user.name=Example", "user.email=example@example.org", "commit.gpgsign=false")
    options = [word for setting in me for word in ("-c", setting)]
    subprocess.run(["git", "-C", repository, *options, *words], check=True, capture_output=True)


def found_a_team(repository: Path) -> dict[str, Path]:
    """A team whose members have a worktree each, and a task; where they work."""
    repository.mkdir(parents=True)
    git(repository, "init")
    (repository / "app.py").write_text("print('hello')\n")
    git(repository, "add", ".")
    git(repository, "commit", "-m", "first")
    TeamManager.create_team(TEAM, "lead", "id-lead", description="ship the release")
    for member in MEMBERS:
        TeamManager.add_member(TEAM, member, f"id-{member}")
        TaskStore(TEAM).create(f"a module of {member}'s", owner=member)
        MailboxManager(TEAM).send("lead", member, f"{member}, write your module")
    spaces = WorkspaceManager(repository)
    return {name: Path(spaces.create_workspace(TEAM, name, f"id-{name}").worktree_path) for name in MEMBERS}


def tell(when: str, desks: dict[str, Path]) -> None:
    print(f"{when}:")
    print(
        "  tasks   ",
        "; ".join(sorted(f"{task.subject} ({task.status.value})" for task in TaskStore(TEAM).list_tasks())),
    )
    for name, desk in desks.items():
        files = (
            ", ".join(sorted(each.name for each in desk.iterdir() if each.name != ".git")) if desk.exists() else "gone"
        )
        mail = [message.content for message in MailboxManager(TEAM).peek(name)]
        print(f"  {name:8} {files} · mail: {', '.join(mail) or 'none'}")


def main(place: Path) -> None:
    os.environ["CLAWTEAM_DATA_DIR"] = str(place / "clawteam")
    desks = found_a_team(place / "repository")
    for name, desk in desks.items():
        (desk / f"{name}.py").write_text(f"# by {name}\n")

    with SnapshotManager(TEAM, store=place / "store", with_workspaces=True) as swarm:
        good = swarm.create(tag="good")
        tell(f"snapshot {good.tag}", desks)

        for task in TaskStore(TEAM).list_tasks():  # the swarm derails
            TaskStore(TEAM).update(task.id, status=TaskStatus.completed)
        TaskStore(TEAM).create("rewrite it in COBOL", owner="bob")
        MailboxManager(TEAM).receive("ada")
        (desks["ada"] / "app.py").unlink()
        (desks["bob"] / "bob.py").write_text("IDENTIFICATION DIVISION.\n")
        (desks["bob"] / "app.cbl").write_text("STOP RUN.\n")
        tell("the swarm derails", desks)

        done = swarm.restore(good.id)  # the team and every member's files, or nothing
        tell(f"restored, and what was there before is snapshot {done['safety'][:8]}", desks)
        print(f"  bob.py   {(desks['bob'] / 'bob.py').read_text().strip()}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        main(Path(sys.argv[1] if sys.argv[1:] else temporary).resolve())
