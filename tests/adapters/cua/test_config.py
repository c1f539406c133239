from __future__ import annotations

import json
import logging
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

import takeback as tb
from takeback.adapters.cua import RestoreOptions, SnapshotConfig, SnapshotMetadata, SnapshotTrigger


def test_what_the_other_manager_has_for_defaults() -> None:
    config = SnapshotConfig()
    assert config.triggers == [SnapshotTrigger.RUN_START, SnapshotTrigger.RUN_END]
    assert config.storage_path == ".snapshots"
    assert (config.max_snapshots_per_container, config.max_total_snapshots) == (10, 100)
    assert (config.max_storage_size_gb, config.auto_cleanup_days) == (10.0, 7)
    assert config.include_volumes
    assert config.max_storage_bytes == 10 << 30


def test_triggers_can_be_words(tmp_path: Path) -> None:
    config = SnapshotConfig(triggers=["run_start", SnapshotTrigger.PERIODIC], storage_path=tmp_path)  # type: ignore[list-item,arg-type]
    assert config.triggers == [SnapshotTrigger.RUN_START, SnapshotTrigger.PERIODIC]
    assert config.storage_path == str(tmp_path)


@pytest.mark.parametrize(
    "wrong",
    [
        {"triggers": ["sometimes"]},
        {"max_snapshots_per_container": 0},
        {"max_total_snapshots": True},
        {"auto_cleanup_days": -1},
        {"max_storage_size_gb": 0},
        {"periodic_interval_seconds": -1},
        {"naming_pattern": "{colour}"},
        {"naming_pattern": "{0}"},
        {"naming_pattern": ""},
        {"naming_pattern": "@"},
    ],
)
def test_what_cannot_be_is_refused_with_what_could(wrong: dict[str, Any]) -> None:
    with pytest.raises(tb.InvalidInput) as raised:
        SnapshotConfig(**wrong)
    assert raised.value.hints


def test_a_name_can_hold_all_that_is_known() -> None:
    config = SnapshotConfig(naming_pattern="{snapshot_id}/{container_name}@{trigger} {timestamp}")
    assert config.name_needs_id
    name = config.named("box", SnapshotTrigger.RUN_END, datetime(2026, 1, 2, 3, 4, 5), "abcdef01")
    assert name == "abcdef01/box@run_end 20260102_030405"


def test_paths_that_are_to_be_left_out_are_not_which_is_said(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        SnapshotConfig()
        assert not caplog.records
        SnapshotConfig(exclude_paths=["/data"])
    assert "exclude_paths has no effect" in caplog.text


def test_a_configuration_comes_from_a_file_and_what_is_given_wins(tmp_path: Path) -> None:
    file = tmp_path / "c.json"
    file.write_text(json.dumps({"triggers": ["after_action"], "storage_path": "there", "max_total_snapshots": 5}))
    config = SnapshotConfig.loaded(file, storage_path="here")
    assert config.triggers == [SnapshotTrigger.AFTER_ACTION]
    assert (config.storage_path, config.max_total_snapshots) == ("here", 5)


@pytest.mark.parametrize("content", ["[]", "{", '{"colour": 1}', '{"triggers": 5}', '{"max_total_snapshots": "x"}'])
def test_a_file_that_is_no_configuration_is_refused(tmp_path: Path, content: str) -> None:
    file = tmp_path / "c.json"
    file.write_text(content)
    with pytest.raises(tb.InvalidInput):
        SnapshotConfig.loaded(file)


def test_a_configuration_and_metadata_can_be_dumped_as_json() -> None:
    assert json.loads(json.dumps(SnapshotConfig().model_dump("json")))["triggers"] == ["run_start", "run_end"]
    metadata = SnapshotMetadata(
        snapshot_id="1",
        container_id="2",
        container_name="box",
        timestamp=datetime(2026, 1, 2),
        trigger=SnapshotTrigger.MANUAL,
    )
    dumped = json.loads(json.dumps(metadata.model_dump("json")))
    assert dumped["timestamp"] == "2026-01-02T00:00:00"
    assert (dumped["trigger"], dumped["status"]) == ("manual", "completed")


def test_ports_are_given_as_text_with_or_without_a_protocol() -> None:
    assert RestoreOptions(port_mappings={"6901": "7001", "53/udp": "5353"}).ports == {"6901/tcp": 7001, "53/udp": 5353}
    for wrong in ("x", "0", "70000", ""):
        with pytest.raises(tb.InvalidInput):
            _ = RestoreOptions(port_mappings={"80": wrong}).ports
