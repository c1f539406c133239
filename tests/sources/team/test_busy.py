"""Restores beside four processes that go on writing: each is done or refused, and no mail is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

import takeback as tb
from sources.team.test_consistent import populated
from support import campaigns
from support.counts import Tell, tell
from support.teams.seeing import Data, letters_in, of_part
from support.teams.writers import Diary, Letter, writing

RESTORES = campaigns.size(5, 15)
TRIES = 400
PAUSE = 0.1
"""Who writes its session more often than a restore takes is in its way each time: so these rest a little. A restore that is
forced on them tries again by itself."""


@pytest.mark.campaign("team-busy")
@pytest.mark.parametrize("shard", campaigns.shards(10))
def test_no_letter_is_lost_by_restores_beside_four_writers(
    data_dir: Path, memory_path: Path, shard: int, record_property: Tell
) -> None:
    """What was sent was heard by whom it was for, is in the mail, or is in a snapshot, from which it can be had."""
    team = populated(data_dir)
    done = refused = 0
    with tb.open(memory_path / "store") as store:
        line = store.timeline(team.name, sources=[tb.Team(team.name, data_dir, force=True)])
        ids = [line.save("start").id]
        with writing(team, pause=PAUSE) as writers:
            for number in range(TRIES):
                if done == RESTORES:
                    break
                ids.append(line.save(trigger="interval").id)
                try:
                    report = line.restore(ids[-1 - number % 3])
                except (tb.Conflict, tb.Integrity):  # a member wrote just then what was replaced
                    refused += 1
                    continue
                done += 1
                assert report.verified
                ids += [report.safety, report.snapshot]
            rounds = writers.end()
        ids.append(line.save("end").id)
        diary = Diary(team, "")
        sent, heard = diary.read("sent"), diary.read("heard")
        kept: set[Letter] = set()
        known: dict[bytes, Data] = {}
        for id in dict.fromkeys(row.id for row in line.log(limit=None).snapshots):
            with store.blobs.reader() as reader:
                kept |= letters_in(of_part(reader, line.show(id).parts["team"], known))
        assert store.verify().ok
    campaigns.count_runs(record_property, done)
    tell(
        record_property,
        f"{done} restores of a team beside 4 writers ({rounds} rounds), {refused} refused: {len(sent)} letters sent, "
        f"{len(sent & heard)} of them heard, {len(sent & kept - heard)} only in snapshots, {len(sent - heard - kept)} lost",
    )
    assert sent <= heard | kept, sorted(sent - heard - kept)[:10]
    assert done == RESTORES
