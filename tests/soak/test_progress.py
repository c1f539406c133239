"""What an interrupted campaign leaves, and what the next run makes of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from soak.progress import Progress, Result


@pytest.fixture
def progress(tmp_path: Path) -> Progress:
    return Progress(tmp_path / "c.jsonl")


def test_a_campaign_that_goes_on_keeps_its_seed_and_its_results(progress: Progress) -> None:
    seed = progress.begin("code")
    progress.collect(["a", "b"])
    progress.add(Result("a", True, 7, 1.5))
    again = Progress(progress.file)
    assert again.begin("code") == seed
    assert again.results() == {"a": Result("a", True, 7, 1.5)}
    assert again.under_way and not again.ended


def test_another_seed_and_other_code_start_over(progress: Progress) -> None:
    progress.begin("code", 5)
    progress.add(Result("a", True, 1, 0.1))
    assert progress.begin("code", 5) == 5 and progress.passed() == {"a"}
    assert progress.begin("code", 6) == 6 and progress.passed() == set()
    progress.add(Result("a", True, 1, 0.1))
    progress.begin("other code", 6)
    assert progress.passed() == set()


def test_a_seed_is_tried_again_once_its_run_has_ended(progress: Progress) -> None:
    progress.begin("code", 5)
    progress.collect(["a"])
    progress.add(Result("a", True, 1, 0.1))
    progress.end()
    assert progress.ended and not progress.under_way
    assert progress.begin("code") == 5 and progress.passed() == {"a"}
    assert progress.begin("code", 5) == 5 and progress.passed() == set()


def test_it_has_ended_only_with_a_result_of_every_test_that_belongs_to_it(progress: Progress) -> None:
    progress.begin("code")
    progress.collect(["a", "b"])
    progress.add(Result("a", True, 1, 0.1))
    progress.end()
    assert not progress.ended
    progress.collect(["a", "b"])
    progress.add(Result("b", True, 1, 0.1))
    assert not progress.ended, "pytest was killed"
    progress.end()
    assert progress.ended


def test_a_test_that_is_no_more_counts_for_nothing(progress: Progress) -> None:
    progress.begin("code")
    progress.collect(["a", "b"])
    progress.add(Result("a", False, 1, 0.1, "wrong"))
    progress.add(Result("b", True, 1, 0.1))
    progress.collect(["b"])
    assert progress.results().keys() == {"b"} and not progress.failed()


def test_a_test_that_has_failed_stays_failed(progress: Progress) -> None:
    progress.begin("code")
    progress.collect(["a", "b"])
    progress.add(Result("a", False, 1, 0.1, "wrong"))
    progress.add(Result("b", True, 1, 0.1))
    assert progress.passed() == {"b"}
    progress.add(Result("a", True, 1, 0.1))
    assert progress.passed() == {"a", "b"}
    assert progress.failed() == {"a": Result("a", False, 1, 0.1, "wrong")}


@pytest.mark.parametrize("torn", [b'{"test": "b", "passed": tr', b"\xff", b'{"test": "x"}', b"[1]"])
def test_a_line_that_a_kill_tore_counts_for_nothing_and_harms_no_later_one(progress: Progress, torn: bytes) -> None:
    progress.begin("code", 3)
    progress.collect(["a", "b", "c"])
    progress.add(Result("a", True, 1, 0.1))
    with progress.file.open("ab") as lines:
        lines.write(b"\n" + torn)
    progress.add(Result("c", True, 1, 0.1))
    assert progress.passed() == {"a", "c"} == progress.results().keys()
    assert progress.begin("code") == 3


def test_one_process_at_a_time_adds_results(progress: Progress) -> None:
    with progress.alone() as first, progress.alone() as second:
        assert first and not second
    with progress.alone() as third:
        assert third
