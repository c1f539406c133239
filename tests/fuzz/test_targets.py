"""Every fuzz target with its seeds, and with what a few hundred mutations make of them; `make fuzz` goes on for longer."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fuzz import run, targets
from support import campaigns

pytestmark = pytest.mark.campaign("fuzz-targets")

TARGETS = targets()
EXAMPLES = campaigns.size(10, 5000)


@pytest.mark.parametrize("name", TARGETS)
def test_the_seeds_of_a_parser_end_in_words(name: str) -> None:
    parse, seeds = TARGETS[name]
    assert seeds
    parse(seeds[0])  # the first one is in order, so that mutations begin close to what is
    for seed in seeds:
        run(parse, seed)


@pytest.mark.parametrize("name", TARGETS)
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_mutations_of_a_parser_s_seeds_end_in_words(name: str, data: st.DataObject) -> None:
    parse, seeds = TARGETS[name]
    raw = bytearray(data.draw(st.sampled_from(seeds)))
    for _ in range(data.draw(st.integers(0, 4))):
        at = data.draw(st.integers(0, len(raw)))
        piece = data.draw(
            st.one_of(st.binary(max_size=12), st.sampled_from([b"\xff" * 8, b"\0" * 4, b"[", b"\\", b"9" * 20]))
        )
        raw[at : at + data.draw(st.integers(0, 12))] = piece
    run(parse, bytes(raw))


@pytest.mark.parametrize("name", TARGETS)
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(raw=st.binary(max_size=400))
def test_any_bytes_end_in_words(name: str, raw: bytes) -> None:
    run(TARGETS[name][0], raw)
