"""A shell's text as the simple commands that it runs.

Quotes, separators, groups, substitutions, heredocs and comments are read as a shell reads them; nothing is expanded, so
``$X`` stays as it is. What a shell would not run is not in the result: an argument, a comment, the body of a heredoc. A
text that no shell would take (an open quote, say) is cut at everything that could part two commands, so that there is
rather a command too many than one too few.
"""

from __future__ import annotations

import re
from typing import Final

STEPS: Final = 60_000
"""So many pieces of a text are looked at. What makes it long, as a rule, is one quoted word or heredoc, which is one piece."""

DEPTH: Final = 40
"""Deeper nesting is not followed, but cut."""

KEYWORDS: Final = frozenset("if then elif else while until do ! { time coproc".split())
"""Words of a shell that stand before a command."""

_CRUDE_TEXT = 1 << 16
_CRUDE_WORDS = 20

_PLAIN = re.compile(r"[^\s'\"\\`$;&|()<>#]+")
_IN_DOUBLE = re.compile(r'[^"\\$`]+')
_IN_BRACES = r"[^}'\"\\$`]+"  # here and below: most texts have none, and compiling costs more than reading them
_CRUDE = r"[;&|()`{}\"'<>\n]+"
_DELIMITER = r"""(?:[^\s'"\\;&|()<>]|'[^'\n]*'|"[^"\n]*"|\\.)+"""


class Command:
    """One simple command: its words, where its output goes, and what it reads."""

    __slots__ = ("before", "inputs", "words", "writes")

    def __init__(self, words: list[str], writes: list[tuple[str, str]], before: Command | None) -> None:
        self.words = words
        self.writes = writes
        """Redirections of its output: the operator and the path."""
        self.before = before
        """The command whose output it reads."""
        self.inputs: list[str] = []
        """The heredocs and here-strings that it reads."""


class Budget:
    """How much may still be looked at, shared by a text and the texts inside it."""

    __slots__ = ("left",)

    def __init__(self, steps: int = STEPS) -> None:
        self.left = steps

    @property
    def spent(self) -> bool:
        return self.left <= 0


class _Unbalanced(Exception):
    """No shell would take this text."""


def split(text: str, budget: Budget | None = None) -> list[Command]:
    """The simple commands of a text, in the order in which they stand there."""
    budget = budget or Budget()
    splitter = _Splitter(text, budget)
    try:
        splitter.block(0, closed=False)
    except _Unbalanced:
        return _crude(text, budget)
    return splitter.commands


def _command(words: list[str]) -> list[str]:
    """A command without the words that only lead to it."""
    at = 0
    while at < len(words) and words[at] in KEYWORDS:
        at += 1
    return words[at:] if at else words


def _crude(text: str, budget: Budget) -> list[Command]:
    """Whatever may be a command, from every word on."""
    found: list[Command] = []
    for piece in re.split(_CRUDE, text[:_CRUDE_TEXT]):
        words = piece.split()
        for at in range(min(len(words), _CRUDE_WORDS)):
            if budget.spent:
                return found
            budget.left -= 1
            found.append(Command(words[at : at + _CRUDE_WORDS], [], None))
    return found


class _Splitter:
    def __init__(self, text: str, budget: Budget, depth: int = 0) -> None:
        self.text = text
        self.budget = budget
        self.at = 0
        self.commands: list[Command] = []
        self.depth = depth
        self._heredocs: list[tuple[str, bool, bool, Command]] = []
        """Delimiter, whether tabs go, whether it is quoted, whose it is: they begin with the next line."""

    def block(self, depth: int, *, closed: bool) -> None:
        """Commands up to the end of the text, or, if it is ``closed``, up to the parenthesis that closes it."""
        if depth + self.depth > DEPTH:
            raise _Unbalanced
        text, budget = self.text, self.budget
        end = len(text)
        now = Command([], [], None)
        pieces: list[str] | None = None  # of the word that is being read
        target = ""  # the redirection that the word belongs to
        cases = 0

        def end_word() -> None:
            nonlocal pieces, target
            if pieces is None:
                return
            word = "".join(pieces)
            if not target:
                now.words.append(word)
            elif target == "<<<":
                now.inputs.append(word)
            elif target[0] == ">":
                now.writes.append((target, word))
            pieces, target = None, ""

        def end_command(piped: bool = False) -> None:
            nonlocal now, cases, target
            end_word()
            target = ""
            now.words = _command(now.words)
            first = now.words[0] if now.words else ""
            cases = max(0, cases + (first == "case") - (first == "esac"))
            if now.words or now.writes:
                self.commands.append(now)
            now = Command([], [], self.commands[-1] if piped and self.commands else None)

        while self.at < end:
            budget.left -= 1
            if budget.left < 0:
                break
            plain = _PLAIN.match(text, self.at)
            if plain is not None:
                self.at = plain.end()
                pieces = pieces or []
                pieces.append(plain[0])
                continue
            char = text[self.at]
            if char in " \t\r":
                self.at += 1
                end_word()
            elif char == "\n":
                self.at += 1
                if now.words or now.writes or pieces is not None:  # else a pipe may go on
                    end_command()
                self._bodies(depth)
            elif char in "'\"\\$`":
                taken = self._quoted(char, depth)
                if taken is not None:
                    pieces = pieces or []
                    pieces.append(taken)
            elif char == "#" and pieces is None:
                line = text.find("\n", self.at)
                self.at = end if line < 0 else line
            elif char in ";&|":
                if char == "&" and text[self.at + 1 : self.at + 2] == ">":
                    end_word()
                    target, self.at = ">", self.at + 2
                    continue
                piped = char == "|" and text[self.at + 1 : self.at + 2] != "|"
                self.at += 1
                while text[self.at : self.at + 1] in (";", "&", "|") and text[self.at - 1] in ";&|":
                    self.at += 1
                end_command(piped)
            elif char in "<>":
                if pieces is not None and "".join(pieces).isdigit():
                    pieces = None  # a file descriptor
                end_word()
                target = self._operator(now, depth)
            elif char == "(":
                if text.startswith("((", self.at) and pieces is None and self._arithmetic():
                    continue
                if cases and pieces is None and not now.words:  # a pattern, or a group whose end is one then
                    self.at += 1
                    continue
                piped = now.before is not None
                end_command()
                self.at += 1
                inside = len(self.commands)
                self.block(depth + 1, closed=True)
                if piped and len(self.commands) > inside:
                    self.commands[inside].before = self.commands[inside - 1] if inside else None
            elif char == ")":
                end_word()
                self.at += 1
                first = next(iter(_command(now.words)), "")
                pattern = first == "case" or (cases and first != "esac")
                end_command()
                if closed and not pattern:
                    return
            else:  # a # in a word, or a space of another kind
                self.at += 1
                if char == "#":
                    pieces = pieces or []
                    pieces.append(char)
                else:
                    end_word()
        end_command()
        if closed and not budget.spent:
            raise _Unbalanced

    def _quoted(self, char: str, depth: int) -> str | None:
        """What begins with a character that quotes or expands: the text it stands for, or as it stands if unknown."""
        text, start = self.text, self.at
        if char == "\\":
            self.at += 2
            after = text[start + 1 : start + 2]
            return None if after == "\n" else after or "\\"
        if char == "'":
            close = text.find("'", start + 1)
            if close < 0:
                raise _Unbalanced
            self.at = close + 1
            return text[start + 1 : close]
        if char == '"':
            self.at += 1
            return self._double(depth + 1)
        if char == "`":
            return self._backticks()
        after = text[start + 1 : start + 2]
        if after == "(":
            self.at += 1
            if not (text.startswith("((", self.at) and self._arithmetic()):
                self.at += 1
                self.block(depth + 1, closed=True)
            return text[start : self.at]
        if after == "{":
            self.at += 2
            self._braces(depth + 1)
            return text[start : self.at]
        if after == "'":
            return self._escaped()
        self.at += 1
        return None if after == '"' else "$"

    def _double(self, depth: int, until: str = '"') -> str:
        """A text in double quotes; with no ``until``, the body of a heredoc."""
        if depth + self.depth > DEPTH:
            raise _Unbalanced
        pieces: list[str] = []
        while self.at < len(self.text):
            self.budget.left -= 1
            if self.budget.left < 0:
                return "".join(pieces)
            plain = _IN_DOUBLE.match(self.text, self.at)
            if plain is not None:
                self.at = plain.end()
                pieces.append(plain[0])
                continue
            char = self.text[self.at]
            after = self.text[self.at + 1 : self.at + 2]
            if char == until:
                self.at += 1
                return "".join(pieces)
            if char == '"' or (char == "$" and after in ("'", '"')):
                self.at += 1
                pieces.append(char)
            elif char == "\\":
                self.at += 2
                pieces.append(after if after in ('"', "\\", "$", "`") else "" if after == "\n" else char + after)
            else:
                pieces.append(self._quoted(char, depth) or "")
        if until:
            raise _Unbalanced
        return "".join(pieces)

    def _braces(self, depth: int) -> None:
        if depth + self.depth > DEPTH:
            raise _Unbalanced
        while self.at < len(self.text):
            self.budget.left -= 1
            if self.budget.left < 0:
                return
            plain = re.compile(_IN_BRACES).match(self.text, self.at)
            if plain is not None:
                self.at = plain.end()
            elif self.text[self.at] == "}":
                self.at += 1
                return
            else:
                self._quoted(self.text[self.at], depth)
        raise _Unbalanced

    def _backticks(self) -> str:
        start = self.at
        close = self._unescaped("`", start + 1)
        self.at = close + 1
        plain = self.text[start + 1 : close]
        for char in "$`\\":
            plain = plain.replace(f"\\{char}", char)
        inner = _Splitter(plain, self.budget, self.depth + 1)
        inner.block(0, closed=False)
        self.commands += inner.commands
        return self.text[start : self.at]

    def _escaped(self) -> str:
        """``$'…'``"""
        start = self.at + 2
        close = self._unescaped("'", start)
        self.at = close + 1
        plain = self.text[start:close]
        for escape, char in (("\\n", "\n"), ("\\t", "\t"), ("\\'", "'"), ('\\"', '"'), ("\\\\", "\\")):
            plain = plain.replace(escape, char)
        return plain

    def _arithmetic(self) -> bool:
        """Pass over ``((…))``, if it is one: what shifts bits there is no heredoc."""
        depth, at = 0, self.at
        for found in re.finditer(r"[()\n;]", self.text[at : at + 4096]):
            depth += {"(": 1, ")": -1}.get(found[0], 0)
            if found[0] in "\n;":
                return False
            if depth == 0:
                close = at + found.end()
                if self.text[close - 2 : close] != "))":
                    return False
                self.at = close
                return True
        return False

    def _operator(self, command: Command, depth: int) -> str:
        """A redirection up to its target, and a process substitution as a whole."""
        text, start = self.text, self.at
        if text.startswith("<<<", start):
            self.at += 3
            return "<<<"
        if text.startswith("<<", start):
            self.at += 2
            tabs = text.startswith("-", self.at)
            self.at += tabs
            self._heredoc(tabs, command)
            return ""
        if text[start + 1 : start + 2] == "(":
            self.at += 2
            self.block(depth + 1, closed=True)
            return ""
        self.at += 1
        while text[self.at : self.at + 1] in (">", "|", "&") and self.at - start < 3:
            self.at += 1
        if text[self.at - 1] == "&" and text[self.at : self.at + 1] in ("-", *"0123456789"):
            self.at += 1  # >&2
            return ""
        return ">>" if text.startswith(">>", start) else text[start]

    def _heredoc(self, tabs: bool, command: Command) -> None:
        while self.text[self.at : self.at + 1] in (" ", "\t"):
            self.at += 1
        found = re.compile(_DELIMITER).match(self.text, self.at)
        delimiter = re.sub(r"['\"\\]", "", found[0]) if found is not None else ""
        if found is None or not 0 < len(delimiter) < 200:
            raise _Unbalanced
        self.at = found.end()
        self._heredocs.append((delimiter, tabs, delimiter != found[0], command))

    def _bodies(self, depth: int) -> None:
        """The bodies of the heredocs of the line that has just ended."""
        waiting, self._heredocs = self._heredocs, []
        for delimiter, tabs, quoted, command in waiting:
            start = self.at
            close, self.at = self._delimiter(delimiter, tabs)
            body = self.text[start:close]
            command.inputs.append(body)
            if not quoted and ("$(" in body or "`" in body):
                inner = _Splitter(body, self.budget, self.depth + depth + 1)
                inner._double(0, until="")
                self.commands += inner.commands

    def _delimiter(self, delimiter: str, tabs: bool) -> tuple[int, int]:
        """Where the line that ends a heredoc begins, and the next one: the end of the text, if there is none."""
        text, end = self.text, len(self.text)
        if tabs:
            found = re.compile(rf"^\t*{re.escape(delimiter)}$", re.MULTILINE).search(text, self.at)
            return (found.start(), min(found.end() + 1, end)) if found else (end, end)
        before = text.find(f"\n{delimiter}\n", self.at - 1)
        if before < 0 and text.endswith(f"\n{delimiter}"):
            before = max(end - len(delimiter) - 1, self.at - 1)
        return (end, end) if before < 0 else (before + 1, min(before + len(delimiter) + 2, end))

    def _unescaped(self, char: str, at: int) -> int:
        """Where a character stands that no backslash takes away."""
        while self.budget.left > 0:
            self.budget.left -= 1
            found = self.text.find(char, at)
            if found < 0:
                raise _Unbalanced
            slashes = found
            while slashes > at and self.text[slashes - 1] == "\\":
                slashes -= 1
            if (found - slashes) % 2 == 0:
                return found
            at = found + 1
        return len(self.text)
