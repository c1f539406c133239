"""A plain Python loop, without any framework: the agent's files and its memory, turn by turn on one timeline.

    python plain_loop.py [DIRECTORY]

Needs nothing but takeback. With a DIRECTORY, all that it makes stays there to be looked at.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import takeback as tb

Memory = dict[str, Any]


def act(task: str, project: Path, memory: Memory) -> None:
    """One turn of the agent. Yours asks a model what to do; this one does as it is told."""
    memory["messages"].append({"role": "user", "content": task})
    if task == "tidy up":
        for file in project.iterdir():
            file.unlink()  # oh no
        (project / "tmp-1").write_text("?")
        memory["done"].clear()
    else:
        file = project / f"{task.split()[-1]}.md"
        file.write_text(f"# {task}\n")
        memory["done"].add(file.name)
    memory["messages"].append({"role": "assistant", "content": f"I did: {task}"})


def tell(when: str, project: Path, memory: Memory) -> None:
    print(f"{when}:")
    print(f"  files    {', '.join(sorted(file.name for file in project.iterdir()))}")
    print(f"  memory   {len(memory['messages'])} messages, done: {', '.join(sorted(memory['done'])) or 'nothing'}")


def main(place: Path) -> None:
    project = place / "project"
    project.mkdir(parents=True)
    memory: Memory = {"messages": [], "done": set()}

    with tb.open(place / "store") as store:
        line = store.timeline(sources=[tb.Workspace(project), tb.State("memory", memory)])

        for task in ("write the notes", "write the plan", "tidy up"):
            with line.turn(task):
                act(task, project, memory)
            tell(f"after “{task}”", project, memory)

        report = line.undo()  # the newest turn: its files and its memory
        tell(f"undo of “{report.title}” (read back: {report.verified})", project, memory)

        line.undo()  # and one more
        tell("undo again", project, memory)
        line.redo()
        tell("redo", project, memory)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        main(Path(sys.argv[1] if sys.argv[1:] else temporary).resolve())
