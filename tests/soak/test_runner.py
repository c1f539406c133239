"""A campaign of three small tests, really run: what fails is recorded, and stays so."""

from __future__ import annotations

from pathlib import Path

import pytest

from soak import records
from soak.catalogue import CAMPAIGNS, Campaign
from soak.runner import Outcome, Runner, expected

TESTS = """
from pathlib import Path
import pytest

HERE = Path(__file__).parent

def note(name):
    with (HERE / "ran").open("a") as ran:
        ran.write(name + "\\n")

def test_one(record_property):
    note("one")
    record_property("campaign_runs", 40)

@pytest.mark.parametrize("number", [1, 2])
def test_two(number):
    note(f"two-{number}")
    assert number == 1 or (HERE / "mended").exists()
"""


def run(runner: Runner, campaign: Campaign) -> Outcome:
    ended: list[Outcome] = []
    (outcome,) = runner.run([campaign], {}, ended.append)
    assert ended == [outcome]
    return outcome


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def runner(tmp_path: Path, said: list[str]) -> Runner:
    return Runner(tmp_path / "state", say=said.append)


def test_what_failed_is_recorded_and_stays_so_when_it_passes_the_next_time(
    runner: Runner, said: list[str], tmp_path: Path
) -> None:
    file = tmp_path / "test_small.py"
    file.write_text(TESTS)
    campaign = Campaign("small", "none", "Three tests.", (str(file),), 10, 42)
    first = run(runner, campaign)
    assert (first.record.tests, first.record.runs, first.record.failures) == (3, 42, 1)
    assert first.record.source == records.source() and not first.record.is_clean
    assert first.is_full and "test_two[2]" in first.trouble[0]
    assert any("small: 42 runs" in line and "1 FAILED" in line for line in said)
    (tmp_path / "mended").touch()
    second = run(runner, campaign)
    assert (second.record.tests, second.record.runs, second.record.failures) == (3, 42, 1)
    assert second.record.seed == first.record.seed and "test_two[2]" in second.trouble[0]
    assert (tmp_path / "ran").read_text().split() == ["one", "two-1", "two-2", "two-2"]
    runner.progress(campaign).forget()
    third = run(runner, campaign)
    assert third.record.is_clean and third.is_full and not third.trouble
    assert not runner.progress(campaign).file.exists()


@pytest.mark.parametrize(
    "ends",
    [
        "import os, pytest\ndef test_two():\n    os._exit(0)\n",
        "import pytest\ndef test_two():\n    pytest.exit('enough', returncode=0)\n",
        "import pytest\ndef test_two():\n    pytest.skip('not here')\n",
    ],
)
def test_a_campaign_that_leaves_out_a_test_is_no_clean_record(ends: str, runner: Runner, tmp_path: Path) -> None:
    file = tmp_path / "test_ends.py"
    file.write_text(f"def test_one():\n    pass\n\n{ends}\ndef test_three():\n    pass\n")
    outcome = run(runner, Campaign("ends", "none", "Three tests.", (str(file),), 10, 1))
    assert outcome.trouble and not (outcome.is_full and outcome.record.is_clean)
    assert outcome.record.runs < 3


def test_a_test_that_ends_the_process_has_failed_also_if_it_passes_the_next_time(
    runner: Runner, tmp_path: Path
) -> None:
    file = tmp_path / "test_dying.py"
    file.write_text(
        "import os, pathlib\n"
        "def test_one():\n    pass\n\n"
        "def test_two():\n    mark = pathlib.Path(__file__).with_name('mark')\n"
        "    if not mark.exists():\n        mark.touch()\n        os.kill(os.getpid(), 9)\n"
    )
    campaign = Campaign("dying", "none", "Two tests.", (str(file),), 10, 2)
    first = run(runner, campaign)
    assert not first.ended and first.record.failures == 1
    second = run(runner, campaign)
    assert second.ended and not second.record.is_clean and "pytest ended with -9" in second.trouble[0]


def test_two_runs_of_a_campaign_do_not_mix(runner: Runner, tmp_path: Path) -> None:
    file = tmp_path / "test_it.py"
    file.write_text("def test_it():\n    pass\n")
    campaign = Campaign("it", "none", "One test.", (str(file),), 10, 1)
    progress = runner.progress(campaign)
    progress.begin("another process's")
    with progress.alone():
        outcome = run(runner, campaign)
    assert not outcome.ended and not outcome.is_full and outcome.record.runs == 0


def test_records_of_two_processes_are_both_kept(tmp_path: Path) -> None:
    one, two = (records.Record("c", "s", "d", "m", number, 1, 1, 0, 7) for number in (1, 2))
    file = tmp_path / "soak.json"
    records.add("one", one, file)
    assert records.add("two", two, file) == {"one": one, "two": two} == records.load(file)


def test_fewer_runs_than_the_catalogue_says_are_no_full_record(runner: Runner, said: list[str], tmp_path: Path) -> None:
    file = tmp_path / "test_few.py"
    file.write_text("def test_it():\n    pass\n")
    outcome = run(runner, Campaign("few", "none", "One test.", (str(file),), 10, 2))
    assert outcome.ended and outcome.record.is_clean and not outcome.is_full
    assert any("INCOMPLETE" in line for line in said)


def test_a_campaign_that_cannot_start_is_no_clean_record(runner: Runner, tmp_path: Path) -> None:
    file = tmp_path / "test_broken.py"
    file.write_text("this is no Python\n")
    outcome = run(runner, Campaign("broken", "none", "Nothing.", (str(file),), 10, 1))
    assert outcome.trouble and not outcome.is_full


def test_the_time_that_a_campaign_took_is_what_it_is_expected_to_take() -> None:
    campaign = Campaign("c", "none", "Nothing.", (), 10, 1)
    record = records.Record("c", "s", "d", "m", 1, 1, 1, 0, 77)
    assert expected(campaign, {}) == 10
    assert expected(campaign, {"c": record}) == 77


def test_a_campaign_of_the_project_is_run_whole(runner: Runner) -> None:
    (campaign,) = (each for each in CAMPAIGNS if each.name == "export-killed")
    outcome = run(runner, campaign)
    assert outcome.is_full and outcome.record.is_clean, outcome.trouble
