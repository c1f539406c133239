from __future__ import annotations

from dataclasses import replace

from support.containers.settings import RICH
from takeback.sources.container.differing import differences
from takeback.sources.container.rights import widened
from takeback.sources.container.settings import Image, Volume


def test_equal_settings_differ_in_nothing() -> None:
    assert differences(RICH, RICH) == []


def test_what_differs_is_said_in_words() -> None:
    then = replace(
        RICH,
        image=Image("box:2", "sha256:" + "12" * 32),
        config={**RICH.config, "Cmd": ["sleep", "7"], "Hostname": "here"},
        environment=("PATH=/usr/bin", "TOKEN", "UNSET"),
        host={**RICH.host, "Memory": 0, "PortBindings": {}},
        networks={"net": {"Aliases": ["web"]}, "other": {}},
        volumes={"/data": Volume(), "/w": Volume("w")},
        state="running",
    )
    assert differences(RICH, then) == [
        "image: box:1 (abababababab) now, box:2 (121212121212) then",
        "command: sh now, sleep, 7 then",
        "host name: none now, here then",
        "variable EMPTY: only now",
        "variable PATH: /bin now, /usr/bin then",
        "memory limit: 64.0 MiB now, none then",
        "published ports: 80/tcp HostPort 8080 now, none then",
        "network bridge: only now",
        "network other: only then",
        "network net: Aliases web, IPAMConfig IPv4Address 192.0.2.7 now, Aliases web then",
        "volume at /v: v type=tmpfs read-only now, none then",
        "volume at /w: none now, w then",
        "state: paused now, running then",
    ]


def test_no_value_of_a_secret_is_said() -> None:
    plain = replace(RICH, environment=("TOKEN=first-value", "PATH=/bin"), holes=frozenset())
    other = replace(plain, environment=("TOKEN=second-value", "PATH=/bin"))
    assert differences(plain, other) == ["variable TOKEN: another secret"]
    held = replace(plain, environment=("TOKEN", "PATH=/bin"), holes=frozenset({"TOKEN"}))
    assert "first-value" not in "".join(differences(plain, held) + differences(held, plain))


def test_no_secret_in_options_labels_or_commands_is_said() -> None:
    secret = "hunter2-hunter2"
    then = replace(
        RICH,
        config={"Cmd": ["run", f"--password={secret}"], "Labels": {"api_token": secret}},
        host={"LogConfig": {"Type": "splunk", "Config": {"splunk-token": secret}}},
        volumes={"/v": Volume("v", options={"type": "cifs", "o": f"username=me,password={secret}"})},
    )
    said = differences(RICH, then) + widened(RICH, then)
    assert secret not in "".join(said)
    assert "log: none now, Type splunk, Config splunk-token … then" in said


def test_nothing_empty_and_absent_are_one() -> None:
    assert differences(RICH, replace(RICH, host={**RICH.host, "Dns": [], "CapAdd": None, "CpuShares": 0})) == []


def test_long_values_are_cut() -> None:
    assert all(len(each) < 250 for each in differences(RICH, replace(RICH, config={"Cmd": ["x" * 5000]})))
