"""The public names: fixed, all there, and typed as the documents use them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import takeback as tb
from takeback import errors
from takeback.errors import TakebackError

VERBS = (
    "save log show diff plan plan_undo plan_redo apply restore undo redo fork forks plan_promote promote label pin unpin "
    "drop purge"
)
STORE_VERBS = "timeline verify stats prune purge undrop maintain upkeep repair export import_ push pull"

NAMES = {
    "entries": {"here", "open", "capture"},
    "what they give": {"Store", "Timeline", "Document"},
    "sources": {"Workspace", "Container", "State", "Team"},
    "values": {
        "Snapshot",
        "Part",
        "NotCaptured",
        "Move",
        "Log",
        "Plan",
        "Effect",
        "Kept",
        "Outside",
        "Going",
        "Report",
        "Diff",
        "Change",
        "Difference",
        "TeamDiff",
        "Health",
        "Usage",
        "Policy",
        "Pruned",
        "Purged",
        "Trace",
        "Maintained",
        "Copied",
        "Landed",
        "Loss",
        "Repaired",
        "Upkept",
        "Progress",
    },
    "errors": {
        name
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, TakebackError)
    },
}  # fmt: skip
"""Names are fixed: add here, never rename."""


def test_all_holds_exactly_the_public_names() -> None:
    assert set(tb.__all__) == set().union(*NAMES.values())
    assert len(tb.__all__) == len(set(tb.__all__))


@pytest.mark.parametrize("name", tb.__all__)
def test_every_public_name_is_there_and_listed(name: str) -> None:
    assert getattr(tb, name) is not None
    assert name in dir(tb)


def test_other_names_are_not_there() -> None:
    with pytest.raises(AttributeError, match="nonsense"):
        _ = tb.nonsense
    assert "nonsense" not in dir(tb)


def test_a_star_import_gives_the_public_names_and_no_other() -> None:
    script = "before = set(dir())\nfrom takeback import *\nprint(*sorted(set(dir()) - before - {'before'}))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == sorted(tb.__all__)


def test_importing_takeback_loads_nothing_else_of_it() -> None:
    script = "import sys, takeback; print(*(name for name in sys.modules if name.startswith('takeback.')))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_every_verb_is_there() -> None:
    for verb in VERBS.split():
        assert callable(getattr(tb.Timeline, verb))
    for verb in STORE_VERBS.split():
        assert callable(getattr(tb.Store, verb))


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (tb.TakebackError, 1),
        (tb.InvalidInput, 2),
        (tb.Partial, 3),
        (tb.NotFound, 10),
        (tb.Locked, 11),
        (tb.WrongKey, 12),
        (tb.Integrity, 13),
        (tb.Conflict, 14),
        (tb.Unavailable, 15),
        (tb.OutOfTime, 1),
        (tb.Cancelled, 130),
    ],
)
def test_errors_carry_their_exit_code_and_their_hints(error: type[tb.TakebackError], code: int) -> None:
    raised = error("what happened", hints=["try this", "or that"])
    assert isinstance(raised, tb.TakebackError)
    assert raised.exit_code == code
    assert raised.hints == ("try this", "or that")
    assert str(raised) == "what happened\nhint: try this\nhint: or that"


def test_the_package_says_that_it_is_typed() -> None:
    assert (Path(tb.__file__).parent / "py.typed").is_file()


def test_the_api_is_typed_as_it_is_used() -> None:
    mypy = pytest.importorskip("mypy.api")
    example = Path(__file__).parent / "typing" / "public_api.py"
    out, problems, status = mypy.run(["--strict", "--no-error-summary", str(example)])
    assert status == 0, out + problems


def test_documents_are_there_without_another_import() -> None:
    found = subprocess.run(
        [sys.executable, "-c", "import takeback as tb; print(tb.documents.register.__name__)"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout == "register\n"
