from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from takeback.errors import Unavailable
from takeback.sources.container import rights
from takeback.sources.container.settings import Image, Settings, Volume

MASKED = ["/proc/kcore", "/sys/firmware"]
PLAIN = Settings(
    Image("box:1", "sha256:" + "ab" * 32),
    config={"User": ""},
    host={
        "Privileged": False,
        "NetworkMode": "default",
        "IpcMode": "private",
        "PidMode": "",
        "Runtime": "runc",
        "MaskedPaths": MASKED,
        "ReadonlyPaths": ["/proc/sys"],
        "Memory": 1 << 26,
        "CapAdd": None,
    },
)


def having(**host: Any) -> Settings:
    return replace(PLAIN, host={**PLAIN.host, **host})


MORE = [
    ({"Privileged": True}, "privileged"),
    ({"CapAdd": ["SYS_ADMIN"]}, "SYS_ADMIN"),
    ({"CapAdd": ["CAP_SYS_ADMIN"]}, "SYS_ADMIN"),
    ({"Binds": ["/:/host"]}, "/ (to write)"),
    ({"Binds": ["/etc:/host:ro"]}, "/etc (to read)"),
    ({"Binds": ["/var/run/docker.sock:/s"]}, "docker.sock"),
    ({"Binds": ["vol:/v", "./here:/x"]}, "./here"),
    ({"Mounts": [{"Type": "bind", "Source": "/root", "Target": "/x"}]}, "/root"),
    ({"Mounts": [{"Type": "unheard-of", "Source": "x", "Target": "/x"}]}, "x (to write)"),
    (
        {
            "Mounts": [
                {"Type": "volume", "Target": "/x", "VolumeOptions": {"DriverConfig": {"Options": {"device": "/"}}}}
            ]
        },
        "device",
    ),
    ({"Devices": [{"PathOnHost": "/dev/sda"}]}, "/dev/sda"),
    ({"DeviceRequests": [{"Driver": "nvidia"}]}, "nvidia"),
    ({"DeviceCgroupRules": ["b 8:* rwm"]}, "b 8:"),
    ({"NetworkMode": "host"}, "network namespace of host"),
    ({"NetworkMode": "container:other"}, "network namespace of other"),
    ({"PidMode": "host"}, "process namespace of host"),
    ({"IpcMode": "host"}, "IPC namespace of host"),
    ({"UTSMode": "host"}, "host name namespace"),
    ({"UsernsMode": "host"}, "user namespace of host"),
    ({"SecurityOpt": ["seccomp=unconfined"]}, "seccomp=unconfined"),
    ({"MaskedPaths": []}, "/proc/kcore"),
    ({"ReadonlyPaths": []}, "/proc/sys"),
    ({"GroupAdd": ["docker"]}, "docker"),
    ({"Tomorrow": {"unconfined": True}}, "Tomorrow"),
]


@pytest.mark.parametrize(("host", "word"), MORE, ids=lambda each: str(each)[:40])
def test_more_than_the_present_container_may_is_refused_and_named(host: dict[str, Any], word: str) -> None:
    assert [each for each in rights.widened(PLAIN, having(**host)) if word in each]
    for now, then in ((PLAIN, having(**host)), (None, replace(PLAIN, host=host))):
        with pytest.raises(Unavailable, match="would give box rights on this machine"):
            rights.check("box", now, then)
        rights.check("box", now, then, allowed=True)


@pytest.mark.parametrize(("host", "word"), MORE, ids=lambda each: str(each)[:40])
def test_what_the_present_container_may_already_is_no_more(host: dict[str, Any], word: str) -> None:
    assert rights.widened(having(**host), having(**host)) == []
    if "MaskedPaths" not in host and "ReadonlyPaths" not in host:
        assert rights.widened(having(**host), PLAIN) == [] or "without" in rights.widened(having(**host), PLAIN)[0]


def test_a_plain_container_has_no_rights_to_speak_of() -> None:
    assert rights.widened(None, PLAIN) == []


def test_a_bind_mount_that_becomes_writable_or_spreads_is_more() -> None:
    assert rights.widened(having(Binds=["/a:/a:ro"]), having(Binds=["/a:/a"])) == ["it has /a (to write) of the host"]
    assert rights.widened(having(Binds=["/a:/a"]), having(Binds=["/a:/a:ro"])) == []
    assert "spread" in rights.widened(having(Binds=["/a:/a"]), having(Binds=["/a:/a:rshared"]))[0]
    as_mount = having(Mounts=[{"Type": "bind", "Source": "/a", "Target": "/a"}])
    assert rights.widened(having(Binds=["/a:/a"]), as_mount) == []


def test_what_is_given_back_is_more() -> None:
    assert rights.widened(having(CapDrop=["ALL"]), PLAIN) == ["it keeps the capability ALL"]
    assert rights.widened(having(SecurityOpt=["no-new-privileges"]), PLAIN) == [
        "it is without the security option no-new-privileges"
    ]
    assert rights.widened(PLAIN, having(SecurityOpt=["no-new-privileges"], CapDrop=["ALL"])) == []
    assert rights.widened(having(Runtime="runsc"), PLAIN) == ["it has another runtime: runc"]
    assert rights.widened(replace(PLAIN, config={"User": "1000:1000"}), PLAIN) == ["it runs as root, not as 1000"]
    assert rights.widened(PLAIN, replace(PLAIN, config={"User": "1000"})) == []


def test_a_volume_that_is_a_directory_of_the_host_is_more() -> None:
    options = {"type": "none", "o": "bind", "device": "/"}
    then = replace(PLAIN, volumes={"/v": Volume("v", options=options)})
    assert "device=/" in rights.widened(PLAIN, then)[0]
    assert rights.widened(then, then) == []
    assert rights.widened(PLAIN, replace(PLAIN, volumes={"/v": Volume("v")})) == []
    assert rights.widened(PLAIN, replace(PLAIN, volumes={"/v": Volume("v", "remote")})) != []


def test_limits_ports_and_names_are_no_rights() -> None:
    then = having(Memory=0, PortBindings={"80/tcp": [{"HostPort": "80"}]}, Ulimits=[{"Name": "nofile"}], ShmSize=1)
    assert rights.widened(PLAIN, then) == []


def test_what_a_privileged_container_was_given_by_the_engine_is_said_once() -> None:
    then = having(Privileged=True, SecurityOpt=["label=disable"], MaskedPaths=None, ReadonlyPaths=None)
    assert rights.widened(PLAIN, then) == ["it is privileged"]
