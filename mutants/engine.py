"""Mutants of the engine: saves, restores, their journal, undo, forks and retention."""

from __future__ import annotations

from mutants.mutant import Mutant

MUTANTS = (
    Mutant(
        name="save-without-lock",
        file="engine/save.py",
        before="    with line.locked(), line.writer() as writer:",
        after="    with line.writer() as writer:",
        harm="A save reads files while another process restores them, and records a mixture of two states.",
        tests=("engine/test_save.py", "engine/test_sources.py", "crash/test_crowd.py"),
    ),
    Mutant(
        name="commit-on-stale-head",
        file="engine/record.py",
        before="        if row.head != (head.id if head is not None else None):",
        after="        if False:",
        harm="Of two saves at the same time, the slower one commits an older state as the latest one.",
        tests=("engine/test_record.py", "engine/test_save.py", "engine/test_alone.py", "engine/test_together.py"),
    ),
    Mutant(
        name="effects-before-safety-snapshot",
        file="engine/apply.py",
        before="""        safety, begun = _begin(line, writer, plan, present)
        for each in staged:
            each.apply()
""",
        after="""        for each in staged:
            each.apply()
        safety, begun = _begin(line, writer, plan, present)
""",
        harm="A restore that is killed while it writes leaves half of its files changed, and no process finishes it.",
        tests=("engine/test_apply.py", "engine/test_journal.py", "crash/test_operations.py"),
    ),
    Mutant(
        name="journal-never-ends",
        file="engine/apply.py",
        before="        if begun is not None:\n            journals.end_all(tx, begun)",
        after="        if begun is None:\n            journals.end_all(tx, begun)",
        harm="The next command does a finished restore again, over whatever the user wrote since.",
        tests=("engine/test_apply.py", "engine/test_journal.py"),
    ),
    Mutant(
        name="read-back-accepts-anything",
        file="engine/apply.py",
        before="        if (effect.part, effect.path) not in excused:",
        after="        if False:",
        harm="A restore reports success although a file is not what it should be.",
        tests=("engine/test_apply.py", "engine/test_restore.py", "engine/test_sources.py"),
    ),
    Mutant(
        name="recovery-overwrites-later-edits",
        file="engine/journal.py",
        before="if effect in left and (effect in untouched or _on_its_way(effect))]",
        after="if effect in left]",
        harm="After a killed restore, the next command changes the permissions of a file that the user edited in between.",
        tests=("engine/test_journal.py", "engine/test_journal_of_roots.py"),
    ),
    Mutant(
        name="undo-takes-an-action-of-a-turn",
        file="engine/candidates.py",
        before="        if wish.level is not None or _stands_alone(tx, timeline, move):\n            number += 1",
        after="        if wish.level is None or _stands_alone(tx, timeline, move):\n            number += 1",
        harm="`takeback undo` takes back the last action of a turn instead of the whole turn.",
        tests=("engine/test_candidates.py", "engine/test_scenarios.py"),
    ),
    Mutant(
        name="undo-blames-the-agent-for-takebacks-own-work",
        file="engine/attribution.py",
        before="        if not owners[number] or own_work[number] or after.mixed or",
        after="        if not owners[number] or after.mixed or",
        harm="Undo of a turn also takes back a restore that the user did in the middle of it.",
        tests=(
            "engine/test_attribution.py",
            "engine/test_scenarios.py",
            "engine/test_sessions.py",
            "engine/test_others_work.py",
        ),
    ),
    Mutant(
        name="sources-without-a-root-not-locked",
        file="engine/line.py",
        before="                stack.enter_context(named_lock(name, self.patience, self.waiting))",
        after="                pass",
        harm="Two processes restore the same container at the same time.",
        tests=("engine/test_sources.py", "engine/test_journal_of_locks.py", "sources/container/live/test_container.py"),
    ),
    Mutant(
        name="prune-drops-the-safety-snapshot",
        file="engine/retention.py",
        before="    yield from (journal.safety for journal in journals.every(tx))",
        after="    yield from ()",
        harm="Prune removes the state before an interrupted restore, and no process can finish or take back the restore.",
        tests=("engine/test_retention.py", "engine/test_journal.py"),
    ),
    Mutant(
        name="fork-notes-a-place-too-late",
        file="engine/fork.py",
        before="""        note.add(Thing(part, named, _NEW if new else _THERE, named))
        made[part] = source.make_at(reader, place, target.parts[part], None, durable=True)
""",
        after="""        made[part] = source.make_at(reader, place, target.parts[part], None, durable=True)
        note.add(Thing(part, named, _NEW if new else _THERE, named))
""",
        harm="A fork that is killed leaves half a directory, and the same fork then refuses to be made there.",
        tests=("engine/test_forks.py", "crash/test_operations.py"),
    ),
    Mutant(
        name="pending-forgets-the-owners-content",
        file="engine/pending.py",
        before='    return part.detail.get("held") if part.pending else part.content.hex()',
        after="    return part.content.hex()",
        harm="After two restores of a value and an undo, the program that owns the value goes on with the wrong one.",
        tests=(
            "engine/test_pending.py",
            "engine/test_state_pending.py",
            "engine/test_state_requests.py",
            "engine/test_elsewhere.py",
        ),
    ),
    Mutant(
        name="drop-blames-a-neighbour",
        file="engine/dropping.py",
        before="    if mixed and after is not None:",
        after="    if False:",
        harm="After a drop, undo of a turn takes back changes that another session made.",
        tests=("engine/test_fork_drop.py", "engine/test_retention.py"),
    ),
)
