"""Whose change is it: scripts in which a person and agents work in one directory, and the laws that undo, redo and restore must
keep there. `script` is the language, `generator` writes scripts from a seed, `player` runs one, `ledger` remembers who changed
what, `laws` asks the questions, `shrinker` makes a failing script short."""
