"""Scripts that broke a law when they were played at random, as short as they could be made: each a case of its own for ever."""

from __future__ import annotations

_WARM = """
one begin
one prompt
one call-write one.txt
one end
one stop
"""

FOUND_CASES: dict[str, str] = {
    "a person reuses the old name of a file that an agent has moved over another one": """
one begin
one prompt
one call-run
one move src/d.py a.txt
one end
person insert src/d.py
takeback undo
""",
    "an agent moves what a person wrote and saved while its command ran": """
one begin
one prompt
one call-run
person append lib/c.py
takeback save mine-7
one move lib/c.py a.txt
one end
takeback undo
""",
    "a person deletes what a command without an end made": """
one begin
one prompt
one call-run
one insert src/new.py
takeback save mine-7
person delete src
takeback undo
""",
    "only the new name of a renamed file is to be taken back": """
person append src/new.py
two begin
two prompt
two call-run
two move src/new.py src/c.py
person write src/new.py
two end
takeback undo --path src/c.py
""",
    "a person makes a directory of a file while a command runs": """
one begin
one prompt
one call-run
person delete b.txt
person mkdir b.txt
one end
takeback undo --keep-mine
""",
    "an undo that keeps all that it would take is none": """
one begin
one prompt
two begin
two prompt
two call-write src/deep/e.py
one call-background
person insert lib/c.py
one fail
two end
takeback undo
takeback undo --keep-mine
takeback redo
""",
    "a file was moved away before a run in which another one took its place": """
one begin
one prompt
one call-run
one move src/d.py second
takeback run-start
one swap src/d.py
takeback undo --since root
""",
    "of two changes of a file one was left undecided": """
one begin
one prompt
one call-edit b.txt
one apply
one call-write b.txt
one end
takeback undo
one call-run
person append lib/c.py
one end
takeback undo --since root
""",
    "an undo of one session passes over what another one did in the same step": """
two begin
two prompt
two call-helper
person cut src/c.py
one begin
person append a.txt
one prompt
one call-edit a.txt
one end
two end
one call-background
person insert src/c.py
one end
takeback undo --session two
takeback undo --since root
""",
    "a restore has dealt with what an agent wrote over": """
one begin
one prompt
person append src/new.py
one call-edit src/new.py
one end
takeback restore root
one call-run
person delete src/c.py
takeback undo
""",
    "an agent removes an ignored file that a person made after the first turn": f"""{_WARM}
person append work.log
one call-run
one delete work.log
one move src new.txt
takeback undo --since root
""",
    "a command in the background goes on after an undo": f"""{_WARM}
one call-run
person delete src
one ignore new.txt
one call-background
takeback undo --session one
one move b.txt src/c.py
one end
takeback undo --since root
""",
    "an agent writes over an ignored file, and its turn is taken back twice": """
one begin
one prompt
one call-run
person write lib/c.py
one end
one call-run
one write .env
takeback undo
takeback redo
takeback undo
""",
    "an agent writes over an ignored file and does nothing else": """
one begin
one prompt
one call-run
one write .env
one end
one stop
takeback undo
""",
    "a run begins while another agent's tool is at work": """
one begin
one prompt
one call-edit a.txt
takeback run-start
one end
one prompt
takeback undo turn:1
""",
    "two agents work while a run is open": """
two begin
takeback run-start
one begin
one prompt
two prompt
two call-write new.txt
one call-run
two end
one prompt
takeback undo turn:3
""",
    "a subagent's call ends after its turn was taken back": f"""{_WARM}
one prompt
one call-helper
one append src/new.py
takeback undo --shared
one move b.txt new.txt
takeback restore root src/c.py
one end
takeback undo
""",
    "a command without an end removes what a command of the same turn made": """
person delete src
one begin
one prompt
one call-run
one insert src/deep/e.py
one end
one call-run
one delete src/deep/e.py
takeback undo
""",
    "an ignored file came while a command without an end was at work, and was written over": """
one begin
one prompt
one call-run
person insert b.txt
person insert work.log
one call-run
one write work.log
takeback undo --shared
""",
    "an ignored file is moved to a new name beside a rename of captured ones": """
one begin
one prompt
one call-run
one move b.txt a.txt
one move build/out.o second
one end
takeback undo
""",
    "a copy of an undecided file is made while a command runs": """
one begin
one prompt
one call-background
person insert a.txt
one call-helper
one copy a.txt src/new.py
one end
takeback undo --shared
""",
    "what was brought back holds a line that was undecided": """
two begin
two prompt
two call-run
one begin
one prompt
one call-run
one append src/deep/e.py
takeback save mine-9
person delete src/deep/e.py
two write lib/c.py
two end
takeback undo
takeback undo --since root
""",
    "a person renames the directory of a file that she made while a command ran": """
one begin
person move b.txt link
one prompt
one call-run
person insert new.txt
person write lib/c.py
one end
one call-edit new.txt
person move lib b.txt
takeback undo
""",
    "a redo follows a line of a person's to the name that her file has by then": """
takeback run-start
person append src/d.py
takeback undo
run move src/d.py new.txt
takeback redo
takeback undo
""",
    "a call in the background ends after its turn was taken back": f"""{_WARM}
one prompt
person append src/d.py
person mkdir src/deep/e.py
one stop
one call-background
one ask
takeback undo
time passes
person append b.txt
takeback undo --shared
person link second
person swap takeback.md
one end
takeback redo
takeback undo
""",
    "a command in the background wrote before an undo, and ends after it": """
one begin
one prompt
one call-background
one write a.txt
person delete link
takeback undo
person swap takeback.md
one end
takeback undo
""",
    "a file is moved to where a command without an end had taken another one away": """
one begin
one prompt
one call-run
person insert new.txt
takeback save mine-6
one move new.txt src/deep/e.py
one call-run
one move src/c.py new.txt
one end
person insert src/c.py
takeback undo --since root
""",
    "a person writes between an undo and a call, which another undo ends": """
two begin
two prompt
two call-write two.txt
two end
takeback undo
person insert new.txt
two call-background
two move b.txt src/c.py
takeback undo --since root
two end
takeback undo --since root
""",
    "an agent whose command an undo has ended writes settings": """
one begin
one prompt
one call-background
person delete b.txt
takeback undo
one rules hurry
takeback save mine-9
one rules stop
takeback save mine-8
""",
    "a person makes, and then deletes, the file that a tool edits": """
one begin
one prompt
person insert lib/c.py
one call-edit lib/c.py
one apply
person delete lib
one end
takeback undo
""",
    "a tool changes the file that it names, and fails": """
one begin
one prompt
one call-write src/c.py
one apply
one fail
one call-run
person write takeback.md
one end
takeback undo --since root
""",
}
