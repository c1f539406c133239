from __future__ import annotations

from pathlib import Path

import pytest

from mutants.catalogue import MUTANTS, WIDER
from mutants.mutant import Mutant

TOP = Path(__file__).parents[2]


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_mutant_fits_its_source_and_compiles(mutant: Mutant) -> None:
    mutated = mutant.applied_to((TOP / mutant.path).read_text(encoding="utf-8"))
    compile(mutated, mutant.file, "exec")


def test_the_tests_that_mutants_name_are_there() -> None:
    named = {path for mutant in MUTANTS for path in mutant.tests} | {*WIDER}
    assert [path for path in sorted(named) if not (TOP / "tests" / path).exists()] == []


def test_there_are_forty_mutants_with_names_of_their_own() -> None:
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS) == 40
