"""What is known of every kind of part, wherever parts are walked: by marking, copying, verifying and purging.

A new source gives its kind a line here. What meets a kind that it does not know refuses: it may come from a newer
takeback, and what it leads to must not be taken for garbage.
"""

from __future__ import annotations

TREES = frozenset({"workspace", "transcript", "container", "team", "worktree"})
"""Kinds whose content is a tree."""

NAMED = frozenset({"container", "team", "worktree"})
"""Kinds that a command looks at only if it is told to: by an option of that name, a team's members' worktrees together."""

DOCUMENTS = frozenset({"state"})
"""Kinds whose content is a document: one value, put back whole."""

FOLLOWING = frozenset({"transcript"})
"""Kinds that go along with a snapshot, but whose change makes none, ends no idle move differently, and is put back only
when somebody asks for it by name: an agent's conversation grows with every word."""
