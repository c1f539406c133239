"""Scripts that somebody thought of: each a case of its own for ever."""

from __future__ import annotations

_WARM = """
one begin
one prompt
one call-write one.txt
one end
one stop
"""
"""Claude Code has called a tool before."""

_BOTH = f"""{_WARM}
two begin
two prompt
two call-write two.txt
two end
two stop
"""

CASES: dict[str, str] = {
    "an agent is killed in a command, and a person edits afterwards": f"""{_WARM}
one prompt
one call-run
time passes
one write new.txt
time passes
one die
person append a.txt
takeback save mine
person append b.txt
takeback undo
takeback redo
""",
    "Esc ends a command, and a person edits afterwards": f"""{_WARM}
one prompt
one call-run
one write new.txt
one escape
time passes
person append a.txt
takeback undo
takeback redo
""",
    "Esc ends a command that was deleting": f"""{_WARM}
one prompt
one call-run
time passes
one delete src
one escape
takeback undo
takeback redo
""",
    "an agent is never heard again, and lives": f"""{_WARM}
one prompt
one call-run
one write new.txt
one vanish
time passes
person append a.txt
takeback undo
takeback redo
""",
    "takeback run is killed, and a person edits afterwards": """
takeback run-start
time passes
run write new.txt
time passes
takeback run-kill
person append a.txt
takeback save mine
person append b.txt
takeback undo
takeback redo
""",
    "a person edits in a first turn that only reads": """
one begin
one prompt
one look
person append a.txt
person move b.txt new.txt
one stop
takeback undo
""",
    "a person deletes in a first turn that only reads": """
one begin
one prompt
person delete src/deep
takeback undo --since root
""",
    "a person edits after a turn whose command goes on in the background": f"""{_WARM}
one prompt
one call-background
one end
time passes
one write new.txt
one stop
time passes
person append a.txt
takeback undo
takeback redo
""",
    "a person edits another file while the question about an edit stands": f"""{_WARM}
one prompt
one call-edit a.txt
one ask
person append b.txt
time passes
one apply
one end
one stop
takeback undo
takeback redo
""",
    "a person edits while a question stands that is denied": f"""{_WARM}
one prompt
one call-edit a.txt
one ask
person append b.txt
one deny
person append src/c.py
one stop
takeback undo
""",
    "a person edits before a command runs that she was asked about": f"""{_WARM}
one prompt
one call-run
one ask
person append b.txt
time passes
one allow
time passes
one write new.txt
time passes
one end
one stop
takeback undo
takeback redo
""",
    "a person edits while a command runs": f"""{_WARM}
one prompt
one call-run
time passes
one write new.txt
person append b.txt
time passes
one end
one stop
takeback undo
takeback redo
takeback undo --keep-mine
""",
    "an ignored file is moved over a captured one": f"""{_WARM}
one prompt
one call-run
time passes
one move .env .env.example
one end
one stop
takeback undo
takeback redo
""",
    "a large file is moved over a captured one": f"""{_WARM}
one prompt
one call-run
time passes
one move large.bin a.txt
one end
one stop
takeback undo
takeback redo
""",
    "a session appends to what another one wrote earlier in its turn": f"""{_BOTH}
one prompt
one call-write new.txt
one end
one call-run
two prompt
two call-run
two append new.txt
two end
two stop
one end
one stop
takeback undo --session one
takeback redo
""",
    "a person reuses the old name of a link that an agent has renamed": f"""{_WARM}
one prompt
one call-run
time passes
one move link second
one end
one stop
person link link
takeback undo
takeback redo
""",
    "a person reuses the old name of a file that an agent has renamed and edited": f"""{_WARM}
one prompt
one call-run
time passes
one move a.txt new.txt
one append new.txt
one end
one stop
person write a.txt
takeback undo
takeback redo
""",
    "a person deletes an agent's file and has a copy elsewhere": f"""{_WARM}
one prompt
one call-write new.txt
one end
one stop
person copy new.txt lib/c.py
person delete new.txt
takeback undo
takeback redo
""",
    "a killed session's turn stands before a newer one": f"""{_BOTH}
one prompt
one call-write a.txt
one apply
one die
two prompt
two call-write b.txt
two end
two stop
takeback undo
takeback redo
""",
    "an agent removes the repository and an ignored file": f"""{_WARM}
one prompt
one call-run
time passes
one write a.txt
one delete .git
one delete .env
one end
one stop
takeback undo
takeback redo
""",
    "an agent writes over a file that is too large": f"""{_WARM}
person fill src/new.py
one prompt
one call-write a.txt
one end
one call-write src/new.py
one end
one stop
takeback undo
takeback redo
""",
    "retention removes the beginning of a turn": f"""{_WARM}
one prompt
one call-write new.txt
one end
one call-write b.txt
one end
one call-write a.txt
one end
one stop
person append src/c.py
takeback save mine
takeback prune 2
takeback undo
takeback redo
""",
    "retention works in the middle of a turn": """
one begin
one prompt
one call-write new.txt
one end
person swap src/c.py
one call-write b.txt
one apply
takeback save mine
takeback prune 2
takeback undo
""",
    "an agent hides what it made from the next captures": f"""{_WARM}
one prompt
one call-run
time passes
one ignore *
one write new.txt
one write src/new.py
one end
one stop
takeback undo
takeback redo
""",
    "a path is a conflict in one step, and changed in another": """
one begin
one prompt
one call-run
person insert lib/c.py
one end
person append lib/c.py
one call-write a.txt
person insert lib/c.py
takeback undo --path lib/c.py
""",
    "all is taken back after an earlier undo": f"""{_WARM}
one prompt
one call-write a.txt
one end
one call-write b.txt
one end
one stop
one prompt
one call-write b.txt
one end
one call-write a.txt
one end
one stop
takeback undo
takeback undo --since root
takeback redo
""",
    "all is taken back after an earlier turn was": f"""{_WARM}
one prompt
one call-write a.txt
one end
one stop
one prompt
one call-edit a.txt
one end
one stop
takeback undo
takeback redo
takeback undo
takeback undo
takeback redo
takeback undo --since root
""",
    "a person breaks what she saved, twice": """
takeback save good
person write a.txt
takeback undo
person write b.txt
takeback undo
takeback redo
""",
    "one path of a turn is taken back, and then the rest": f"""{_WARM}
one prompt
one call-write a.txt
one end
one call-write b.txt
one end
one stop
takeback undo --path a.txt
takeback undo
""",
    "a person has saved after an agent's turn, and goes on": f"""{_WARM}
takeback save mine
person append a.txt
takeback undo
takeback redo
""",
    "two commands at once": f"""{_BOTH}
one prompt
two prompt
one call-run
two call-run
time passes
two append a.txt
one append b.txt
one end
two end
one stop
two stop
takeback undo
takeback redo
takeback undo --session one --shared
""",
    "a command of takeback run beside an agent's command": f"""{_WARM}
one prompt
one call-run
time passes
one append a.txt
takeback run-start
time passes
run write new.txt
time passes
one end
takeback run-end
one stop
takeback undo --session one
takeback redo
""",
    "a person renames what she wrote while a command ran": f"""{_WARM}
one prompt
one call-run
time passes
person write new.txt
time passes
one end
one stop
person move new.txt lib/c.py
takeback undo
takeback redo
""",
    "a person renames a copy of what she wrote while a question stands": f"""{_WARM}
one prompt
one call-run
one ask
person move a.txt src/c.py
one call-edit src/c.py
person insert src/new.py
person copy src/new.py new.txt
one prompt
person delete src/new.py
person move new.txt a.txt
takeback undo
""",
    "a session's conflict stands before another's turn": f"""{_BOTH}
two prompt
one prompt
two call-edit src/d.py
two end
person write src/d.py
one call-write src/c.py
one end
takeback undo --session two
takeback undo
takeback redo
takeback undo
""",
    "a person writes to what an agent then replaces": f"""{_WARM}
one prompt
one call-helper
time passes
person write new.txt
time passes
one end
time passes
person append new.txt
one call-run
time passes
one move src/c.py new.txt
time passes
one end
takeback undo
takeback redo
takeback undo --shared
""",
    "a person renames what she changed after an agent was never heard again": f"""{_WARM}
one prompt
one call-run
one vanish
person append b.txt
person insert src/c.py
one begin
person move src/c.py lib/c.py
takeback undo
""",
    "a person was asked before tools changed the files that they name": f"""{_WARM}
one prompt
one call-write a.txt
one ask
time passes
one end
one call-edit b.txt
one ask
time passes
one end
one call-write new.txt
one ask
time passes
one end
one call-edit src/c.py
one ask
time passes
one end
one stop
takeback undo
takeback redo
""",
    "a person edits the file that a tool names and fails to change": f"""{_WARM}
one prompt
one call-write src/d.py
time passes
person append src/d.py
one fail
one call-write src/c.py
one end
one stop
takeback undo
""",
    "an agent's tool names a file while takeback run is at work elsewhere": f"""{_WARM}
takeback run-start
one prompt
one call-write b.txt
one end
one stop
run append a.txt
takeback run-end
takeback undo --session run-1
takeback redo
""",
    "a person edits between calls what a tool has named before, and failed to change": """
one begin
one prompt
one call-write src/deep/e.py
one fail
person write src/deep/e.py
one call-background
takeback undo
""",
    "a person edits the file of an edit that she interrupts": """
one begin
one prompt
one call-edit b.txt
person append b.txt
one interrupt
takeback undo
""",
    "an agent moves what a person wrote while another command's end was open": f"""{_WARM}
one prompt
one call-background
person write src/c.py
one call-helper
time passes
one move src/c.py a.txt
one end
takeback undo
""",
    "an agent deletes what a person wrote while another command's end was open": f"""{_WARM}
one prompt
one call-run
time passes
person insert src/c.py
one call-helper
one delete src
takeback undo
""",
    "all is taken back after an undo of all, and a redo": f"""{_WARM}
two begin
two prompt
two call-write a.txt
one call-run
one ask
time passes
two end
person copy a.txt src/new.py
one call-run
time passes
takeback undo --shared
takeback undo
takeback redo
takeback undo --since root
""",
}

APART = frozenset(["a person was asked before tools changed the files that they name"])
"""Those in which hooks are processes of their own, and so begin some time after what they tell of."""
