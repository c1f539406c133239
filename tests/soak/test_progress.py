"""What an interrupted campaign leaves, and what the next run makes of it."""

from __future__ import annotations

from pathlib import Path

from soak.progress import Progress, Result


def test_a_campaign_that_goes_on_keeps_its_seed_and_its_results(tmp_path: Path) -> None:
    seed = Progress(tmp_path / "c.jsonl").begin()
    Progress(tmp_path / "c.jsonl").add(Result("a", True, 7, 1.5))
    again = Progress(tmp_path / "c.jsonl")
    assert again.begin() == seed
    assert again.results() == {"a": Result("a", True, 7, 1.5)}


def test_another_seed_starts_over(tmp_path: Path) -> None:
    progress = Progress(tmp_path / "c.jsonl")
    progress.begin(5)
    progress.add(Result("a", True, 1, 0.1))
    assert progress.begin(5) == 5 and progress.passed() == {"a"}
    assert progress.begin(6) == 6 and progress.passed() == set()


def test_the_last_result_of_a_test_counts(tmp_path: Path) -> None:
    progress = Progress(tmp_path / "c.jsonl")
    progress.begin()
    progress.add(Result("a", False, 1, 0.1, "wrong"))
    progress.add(Result("b", True, 1, 0.1))
    assert progress.passed() == {"b"}
    progress.add(Result("a", True, 1, 0.1))
    assert progress.passed() == {"a", "b"}


def test_a_line_that_a_kill_tore_counts_for_nothing_and_harms_no_later_one(tmp_path: Path) -> None:
    progress = Progress(tmp_path / "c.jsonl")
    progress.begin(3)
    progress.add(Result("a", True, 1, 0.1))
    with progress.file.open("a") as lines:
        lines.write('\n{"test": "b", "passed": tr')
    progress.add(Result("c", True, 1, 0.1))
    assert progress.passed() == {"a", "c"}
    assert progress.begin() == 3
