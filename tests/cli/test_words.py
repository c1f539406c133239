"""Whatever takeback tells people to type exists, and is told apart from the sentence around it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from takeback.cli.app import COMMANDS

SOURCES = Path(__file__).resolve().parents[2] / "src" / "takeback"
NAMED = re.compile(r"(`?)takeback ([a-z][\w-]*)")
EXAMPLE = re.compile(r"^ {6}takeback ([a-z][\w-]*)", re.MULTILINE)
SENTENCE = re.compile(r" (shows?|lists?|makes?|takes?|brings?|records?|finishes|names?|puts?|says?) ")

PROSE = {
    "again",
    "cannot",
    "could",
    "did",
    "is",
    "never",
    "on",
    "read",
    "reads",
    "runs",
    "stage",
    "stat",
    "store",
    "works",
}
"""What follows the name in sentences about takeback."""


def _texts(file: Path) -> Iterator[tuple[int, str, bool]]:
    """Every string of a module, with its line and whether it is a docstring."""
    module = ast.parse(file.read_text())
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(module)
        if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(module):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value, id(node) in docstrings


MODULES = sorted(SOURCES.rglob("*.py"))


def _name(file: Path) -> str:
    return str(file.relative_to(SOURCES))


@pytest.mark.parametrize("file", MODULES, ids=_name)
def test_every_command_that_is_named_exists(file: Path) -> None:
    for number, text, docstring in _texts(file):
        for tick, word in NAMED.findall(text):
            if tick or (not docstring and word not in PROSE):
                assert word in COMMANDS, f"{_name(file)}:{number}: takeback {word}"
        for word in EXAMPLE.findall(text) if docstring else ():
            assert word in COMMANDS, f"{_name(file)}:{number}: an example of takeback {word}"


@pytest.mark.parametrize("file", MODULES, ids=_name)
def test_a_command_inside_a_sentence_stands_in_backticks(file: Path) -> None:
    for number, text, docstring in _texts(file):
        for match in NAMED.finditer("" if docstring else text):
            if match[2] in COMMANDS and not match[1]:
                assert not SENTENCE.search(text, match.end()), f"{_name(file)}:{number}: {text!r}"
