from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from takeback.adapters.clawteam.unpacking import covers, directories, files

TIMES = [
    "2026-03-01T12:00:07.123456+00:00",
    "2026-03-01T12:00:07",
    "1960-01-01",
    "no time",
    "9999-12-31T23:59:59-14:00",
]


def _bundle(**more: Any) -> dict[str, Any]:
    return {"config": {"name": "alpha", "members": []}, **more}


def _named(prefix: str, made: dict[str, bytes]) -> list[str]:
    return sorted(path for path in made if path.rpartition("/")[2].startswith(prefix))


@given(st.lists(st.one_of(st.sampled_from(TIMES), st.datetimes().map(str), st.none()), max_size=40))
def test_names_sort_as_the_bundle_lists_things(times: list[str | None]) -> None:
    things = [{"n": n, **({"timestamp": time} if time is not None else {})} for n, time in enumerate(times)]
    made = files(_bundle(events=things, inboxes={"ada": things}), "alpha")
    for prefix in ("evt-", "msg-"):
        assert [json.loads(made[path])["n"] for path in _named(prefix, made)] == list(range(len(times)))


def test_many_of_one_millisecond_keep_their_order_and_come_before_the_next() -> None:
    same = {"timestamp": TIMES[0]}
    later = {"timestamp": "2026-03-01T12:00:09+00:00", "n": 70_000}
    made = files(_bundle(events=[*({**same, "n": n} for n in range(70_000)), later]), "alpha")
    names = _named("evt-", made)
    assert [json.loads(made[path])["n"] for path in names] == list(range(70_001))
    assert names[0].startswith("teams/alpha/events/evt-1772366407123-0000")
    assert names[-1].startswith("teams/alpha/events/evt-1772366409000-0000")


def test_the_same_bundle_makes_the_same_files_as_clawteam_writes_them() -> None:
    task = {"id": "1a2b", "subject": "ünï", "metadata": {}}
    cost = {"id": "c1", "reportedAt": "2026-03-01T12:00:07+00:00", "costCents": 1.5}
    raw = _bundle(tasks=[task], costs=[cost], sessions=[{"agent_name": "ada"}])
    made = files(raw, "alpha")
    assert made == files(json.loads(json.dumps(raw)), "alpha")
    assert made["tasks/alpha/task-1a2b.json"] == json.dumps(task, indent=2, ensure_ascii=False).encode()
    assert set(made) == {
        "teams/alpha/config.json",
        "tasks/alpha/task-1a2b.json",
        "costs/alpha/cost-2026-03-01T12-00-07p00-00-c1.json",
        "sessions/alpha/ada.json",
    }


def test_every_member_has_an_inbox_and_every_area_is_there() -> None:
    members = [{"name": "lead"}, {"name": "eve", "user": "guest"}]
    raw = {"config": {"name": "alpha", "members": members}, "inboxes": {"gone": []}}
    made = directories(raw, "alpha")
    assert {f"teams/alpha/inboxes/{name}" for name in ("lead", "guest_eve", "gone")} < set(made)
    assert set(covers("alpha")) - set(made) == {"teams/alpha/config.json"}
