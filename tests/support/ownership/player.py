"""Plays a script: a world of its own, the agents' processes, and the laws after each step."""

from __future__ import annotations

import contextlib
import io
import json
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from support.ownership import laws, tree_ops
from support.ownership.agents import Agents
from support.ownership.deed import CONFLICT, DONE, NOTHING, PARTIAL, Broken, Deed
from support.ownership.ledger import PERSON, TAKEBACK, Tree
from support.ownership.script import Script, Step, text_of
from takeback.cli import main
from takeback.model.move import AGENT_LEVELS, Move
from takeback.store import notices

PAUSE_NS = 26_000_000
_SETTINGS = f"max_file_size = {tree_ops.LIMIT}\ntranscripts = false\n"


class Player:
    """Plays one script in a directory."""

    def __init__(self, base: Path, home: Path, *, forked: bool = False, trace: Callable[[str], None] | None = None):
        self._home = home
        self._trace = trace or (lambda line: None)
        self._agents = Agents(base, home, forked=forked)
        self.world, self.ledger = self._agents.world, self._agents.ledger
        self.tally: Counter[str] = Counter()
        self._pruned = False
        self._saved: Tree | None = None
        """The files at the last save, as long as there are no agents."""
        self._partial: set[str] = set()
        self._undone: tuple[Tree, int, int] | None = None
        """The files before the last undo, and how many changes and events there were after it."""
        self._last_undo = 0

    def play(self, script: Script) -> None:
        """All steps; `Broken` if a law does not hold."""
        settings = self._home / ".config" / "takeback"
        settings.mkdir(parents=True, exist_ok=True)
        (settings / "config.toml").write_text(_SETTINGS)
        before = os.environ.get("TAKEBACK_STORE")
        os.environ["TAKEBACK_STORE"] = str(self.world.store_path)
        try:
            if any((step.who, step.verb) == ("two", "ask") for step in script):
                self._agents.may_ask("two")
            for step in script:
                self._trace(str(step))
                self._step(step)
            self._no_hook_failed()
        finally:
            self._end()
            if before is None:
                del os.environ["TAKEBACK_STORE"]
            else:
                os.environ["TAKEBACK_STORE"] = before

    def _step(self, step: Step) -> None:
        if step.who == "time":
            time.sleep(PAUSE_NS / 1e9)
        elif step.who == PERSON:
            self.ledger.act(PERSON, None, step.verb, step.words)
        elif step.who == TAKEBACK:
            self._command(step.verb, step.words)
        else:
            self._agents.act(step.who, step.verb, step.words)

    def _end(self) -> None:
        self._agents.close()
        if "store" in vars(self.world):
            self.world.store.close()

    def _no_hook_failed(self) -> None:
        noted = [each.message for each in notices.read(self.world.store_path)] if self.world.store_path.exists() else []
        if noted and not self._agents.hides:
            raise Broken("hooks", "; ".join(noted))

    # takeback, as a person calls it

    def _command(self, verb: str, words: Sequence[str]) -> None:
        if verb == "run-start":
            return self._agents.run_starts()
        if verb in ("run-end", "run-kill"):
            return self._agents.run_ends(killed=verb == "run-kill")
        self._agents.disturb()
        if verb == "save":
            self._must("save", "-m", *words)
            self.ledger.looked()
            self._saved = self.ledger.tree if not self._agents.events else None
        elif verb == "prune":
            if self.world.store_path.exists() and self._known():
                self._must("prune", "--keep-last", words[0], "--yes")
                self._pruned, self._saved = True, None
        elif verb in ("undo", "redo", "restore") and self.world.store_path.exists():
            self._act(verb, words)
        return None

    def _act(self, verb: str, words: Sequence[str]) -> None:
        words = tuple(words)
        known = self._known()
        if not known and verb != "restore":
            return
        arguments = self._resolved(words, known)
        if arguments is None:
            return
        planned: Any = {}
        if verb == "undo":
            _, planned = self._call(verb, *(each for each in arguments if each != "--shared"), "--dry-run")
        before, first = self.ledger.tree, len(self.ledger.entries)
        began = time.time_ns()
        code, said = self._call(verb, *arguments, "--yes")
        if code == 2 and "No such option" in str(said):
            return
        self.tally[f"{verb} {code}"] += 1
        if "error" not in said:  # else nothing was saved
            self.ledger.looked()
        changed = self.ledger.note(TAKEBACK, None, began, is_undo=verb != "restore")
        now = self._known()
        deed = Deed(
            verb,
            words,
            code,
            said,
            before,
            self.ledger.tree,
            self.ledger,
            self._agents.calls,
            first,
            [move for id, move in {each.id: each for each in (*known, *now)}.items() if id in said.get("moves", ())],
            known,
            arguments,
            None if self._agents.events else self._saved,
            frozenset(self._partial),
            planned,
            self._pruned,
            self._agents.hushed,
            self.tally,
        )
        self._trace(f"    -> {code} {json.dumps(said)}")
        if code not in (DONE, PARTIAL, CONFLICT, NOTHING):
            raise Broken("exit code", f"{verb} {' '.join(words)} ended with {code}: {said}")
        self._judge(deed)
        if deed.worked and verb == "undo" and said.get("move"):
            self._undone = (before, len(self.ledger.entries), self._agents.events)
            self._last_undo = len(self.ledger.entries)
            if "--path" in words:
                self._partial.add(said["move"])
        elif changed:
            self._undone = None
        if verb == "restore" and changed:
            self._saved = None

    def _judge(self, deed: Deed) -> None:
        laws.it_reports_what_it_changed(deed)
        laws.the_present_is_in_the_safety_snapshot(deed, self.world.line.read)
        laws.the_exit_code_says_what_was_left(deed)
        laws.what_is_undecided_is_brought_back_or_left(deed)
        laws.what_was_to_be_kept_is_kept(deed)
        if deed.verb == "undo":
            for law in (
                laws.it_does_what_it_showed,
                laws.nothing_of_others_is_lost,
                laws.only_what_the_moves_touched_changes,
                laws.what_was_named_changed_meanwhile,
                laws.nothing_is_lost_silently,
                laws.the_moves_own_changes_are_gone,
                laws.own_lines_go,
                laws.the_newest_effect_goes,
                laws.since_takes_all,
                laws.a_save_is_where_undo_leads,
            ):
                law(deed)
            laws.count_ordinary(deed)
            return
        laws.what_was_written_since_stays(deed, self._last_undo)
        if deed.verb == "redo" and self._undone is not None:
            original, changes, events = self._undone
            count = len([entry for entry in self.ledger.entries[changes:] if entry.who != TAKEBACK])
            if not count and events == self._agents.events and deed.planned is not None:
                laws.redo_is_exact(deed, original)

    def _resolved(self, words: Sequence[str], known: Sequence[Move]) -> list[str] | None:
        """The words as the command line has them: ``turn:2`` is a move, ``--keep-mine`` what a person changed meanwhile."""
        found = []
        for word in words:
            if word.startswith("turn:"):
                turns = [move for move in known if move.level in AGENT_LEVELS[:2]]
                number = int(word.removeprefix("turn:"))
                if number >= len(turns):
                    return None
                found.append(turns[number].id)
            elif word == "--keep-mine":
                found += self._kept(found)
            else:
                found.append(word)
        return found

    def _kept(self, arguments: Sequence[str]) -> Iterator[str]:
        _, said = self._call("undo", *arguments, "--dry-run")
        for group in said.get("while_running", ()):
            for path in group["paths"]:
                last = self.ledger.last(path)
                if last is not None and last.who == PERSON:
                    yield from ("--keep", path)

    def _known(self) -> list[Move]:
        """All moves, newest first."""
        return list(self.world.moves()) if self.world.store_path.exists() else []

    def _must(self, *arguments: str) -> None:
        code, said = self._call(*arguments)
        if code:
            raise Broken("exit code", f"{' '.join(arguments)} ended with {code}: {said}")

    def _call(self, *arguments: str) -> tuple[int, Any]:
        """Run a command line; its exit code, and the object that it printed."""
        self._trace(f"    $ takeback {' '.join(arguments)}")
        out, err = io.StringIO(), io.StringIO()
        with contextlib.chdir(self.world.root), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main([*arguments, "--json"])
        text = out.getvalue() or err.getvalue()
        try:
            return code, json.loads(text.splitlines()[-1])
        except (ValueError, IndexError):
            return code, {"text": text}


def play(script: Script, base: Path, home: Path, **options: Any) -> Counter[str]:
    """Play a script in a directory of its own; the tally. A failure says the script."""
    player = Player(base, home, **options)
    try:
        player.play(script)
    except Broken as broken:
        broken.add_note(f"the script:\n{text_of(script)}")
        raise
    return player.tally
