"""verify, stats, config and doctor."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from support.cli import Cli
from support.stores import noise
from support.trees import make_tree
from takeback.locate import user_file
from takeback.model.sizes import format_size


def test_a_sound_store_verifies(cli: Cli) -> None:
    cli.write("a.txt", "one\n")
    cli("save")
    found = cli.json("verify", "--read-data")
    assert found == {
        "ok": True, "problems": [], "harmed": [], "lost": [], "snapshots": 1, "blobs": found["blobs"],
        "read_data": True,
    }  # fmt: skip
    assert "ok" in cli("verify").out


def test_damage_exits_13_and_names_the_harmed_snapshots(cli: Cli) -> None:
    cli.write("sound.txt", "sound\n")
    sound = cli.json("save")["id"]
    cli.write("big.bin", noise(2 << 20))
    harmed = cli.json("save")["id"]
    (pack,) = (path for path in (cli.store / "packs").rglob("*") if path.is_file())
    pack.chmod(0o600)
    data = bytearray(pack.read_bytes())
    data[len(data) // 3] ^= 1
    pack.write_bytes(data)
    found = cli.json("verify", "--read-data", code=13)
    assert found["ok"] is False
    assert found["harmed"] == [harmed]
    assert [(each["snapshot"], each["paths"]) for each in found["lost"]] == [(harmed, ["big.bin"])]
    assert found["problems"][0].keys() == {"kind", "what", "detail", "pack"}
    out = cli("verify", "--read-data", code=13).out
    assert harmed[:8] in out and "big.bin" in out
    assert sound[:8] not in out


def test_without_a_store_there_is_nothing_to_verify(cli: Cli) -> None:
    assert cli.error("verify", code=10)
    assert cli.error("stats", code=10)
    assert not cli.store.exists()


def test_stats(cli: Cli) -> None:
    cli.write("a.txt", "one\n" * 1000)
    cli("save")
    found = cli.json("stats")
    assert found["path"] == str(cli.store)
    assert found["bytes_on_disk"] > 0
    assert found["logical_bytes"] == 4000
    (share,) = found["shares"]
    assert (share["root"], share["timeline"], share["snapshots"]) == (str(cli.root), "main", 1)
    out = cli("stats").out
    sizes = [found["logical_bytes"], found["raw_bytes"], found["sealed_bytes"], found["bytes_on_disk"]]
    shown = [out.index(f"{format_size(size)} ") for size in sizes]
    assert shown == sorted(shown), "from plain copies down to what lies on the disk"
    assert found["saved_by_compression"] == found["raw_bytes"] - found["sealed_bytes"]


def test_config_shows_each_value_and_its_origin(cli: Cli, home: Path) -> None:
    cli.write("takeback.toml", 'include = [".env"]\n')
    own = home / ".config" / "takeback" / "config.toml"
    own.parent.mkdir(parents=True)
    own.write_text('max_file_size = "5MiB"\n')
    found = cli.json("--timeline", "other", "config", "show")
    assert found["root"] == str(cli.root)
    assert found["found_by"] == "takeback.toml"
    settings = {name: (each["value"], each["origin"]) for name, each in found["settings"].items()}
    assert settings["store"] == (str(cli.store), "environment")
    assert settings["timeline"] == ("other", "flag")
    assert settings["include"] == ([".env"], "takeback.toml")
    assert settings["max_file_size"] == ("5MiB", str(own))
    assert settings["exclude"] == ([], "default")
    out = cli("config", "show").out
    assert cli("config").out == out
    assert cli.json("config") == cli.json("config", "show")
    assert ".env" in out
    assert "(environment)" in out
    assert not cli.store.exists()


def test_a_project_may_not_choose_the_store(cli: Cli) -> None:
    cli.write("takeback.toml", 'store = "/elsewhere"\n')
    assert "may not set 'store'" in cli("save").err
    assert (cli.store / "store.json").exists()


def test_the_doctor_finds_a_sound_machine_sound(cli: Cli) -> None:
    found = cli.json("doctor")
    assert found["ok"] is True
    states = {each["check"]: each["state"] for each in found["checks"]}
    assert states == dict.fromkeys(states, "ok")
    assert {"python", "sqlite", "git", "store", "space", "clock", "lock", "restore", "leftovers"} <= states.keys()
    assert not cli.store.exists()
    cli("save")
    assert cli.json("doctor")["ok"] is True


def test_the_doctor_says_what_to_do_about_a_broken_store(cli: Cli) -> None:
    cli.store.mkdir()
    (cli.store / "other").write_text("not a store")
    found = cli.json("doctor", code=1)
    (check,) = (each for each in found["checks"] if each["state"] == "fail")
    assert check["check"] == "store"
    assert check["next"]
    out = cli("doctor", code=1).out
    assert "fail" in out
    assert "next: " in out


def test_the_doctor_reports_a_broken_configuration(cli: Cli) -> None:
    make_tree(os.path.dirname(user_file()), {"config.toml": "not toml"})
    assert cli.json("doctor", code=1)["ok"] is False


def test_the_doctor_warns_of_a_project_file_that_is_ignored(cli: Cli) -> None:
    cli.write("takeback.toml", "not toml")
    (found,) = (each for each in cli.json("doctor")["checks"] if each["check"] == "configuration")
    assert found["state"] == "warn" and "takeback.toml" in found["found"]


def test_the_doctor_sees_what_a_killed_restore_left(cli: Cli) -> None:
    os.mkdir(cli.root / ".takeback-stage-0123456789abcdef")
    (check,) = (each for each in cli.json("doctor")["checks"] if each["check"] == "leftovers")
    assert check["state"] == "warn"


def test_the_doctor_warns_of_a_clock_that_went_back(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    cli.write("a.txt", "one\n")
    cli("save")
    import time

    real = time.time_ns
    monkeypatch.setattr("takeback.cli.checkup.history.time.time_ns", lambda: real() - 86_400_000_000_000)
    (check,) = (each for each in cli.json("doctor")["checks"] if each["check"] == "clock")
    assert check["state"] == "warn"


def test_config_says_what_it_ignores_of_a_projects_file(cli: Cli) -> None:
    cli.write("takeback.toml", 'exclude = "data"\n')
    (warning,) = cli.json("config")["warnings"]
    assert warning.endswith("'data' is not a list of patterns; such as [\".env\"]")
    assert f"warning: {warning}" in cli("config").out


def test_a_wrong_setting_of_ones_own_comes_with_its_hint(cli: Cli, home: Path) -> None:
    make_tree(os.path.dirname(user_file()), {"config.toml": 'max_bytes = "many"\n'})
    error = cli.error("config", code=2)
    assert error["message"].endswith("'many' is not a size") and "100MiB" in error["hints"][0]


def test_a_store_is_never_taken_for_a_project(cli: Cli) -> None:
    cli.write("a.txt", "one\n")
    cli("save")
    for inside in (cli.store, cli.store / "packs"):
        assert "is in a takeback store" in cli.error("save", "-C", str(inside), code=2)["message"]
        assert cli.error("save", "-C", str(inside), "--store", "../another", code=2)
    assert cli.json("verify")["snapshots"] == 1
