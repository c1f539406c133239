"""A container made from the settings of another is the same, as far as the engine tells; and nothing stays of one that fails."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from docker.types import EndpointConfig, Healthcheck, IPAMConfig, IPAMPool, LogConfig, Mount, Ulimit

from support.containers.boxes import Boxes, free_port
from support.containers.image import IMAGE, SERVE
from support.containers.twins import unlike
from takeback.errors import Conflict, InvalidInput, NotFound, Unavailable
from takeback.sources.container import mounts
from takeback.sources.container.creating import Created, create
from takeback.sources.container.daemon import Daemon
from takeback.sources.container.decoding import decode
from takeback.sources.container.describing import settings_of
from takeback.sources.container.differing import differences
from takeback.sources.container.settings import Settings, values_of

pytestmark = pytest.mark.service("docker")


@pytest.fixture
def daemon(boxes: Boxes) -> Daemon:
    return Daemon(boxes.engine.api)


def settings(daemon: Daemon, name: str) -> Settings:
    return decode(settings_of(daemon, daemon.inspect(name)).encode())


def remake(daemon: Daemon, boxes: Boxes, name: str, *, keep: bool = True) -> Created:
    """Make the container again under another name, as a restore would, when the first has been stopped."""
    box = daemon.inspect(name)
    found = settings(daemon, name).filled(values_of(box.raw))
    if box.running:
        boxes.engine.api.stop(name, timeout=5)
    made = create(
        daemon,
        found,
        boxes.own("container", f"{name}-twin"),
        volumes=mounts.anonymous_in(box) if keep else None,
    )
    assert made.notes == ()
    if box.running:
        boxes.engine.api.start(made.box.id)
    return made


def check_twin(daemon: Daemon, boxes: Boxes, name: str, *, keep: bool = True) -> Created:
    before, known = boxes.inspect(name), settings_of(daemon, daemon.inspect(name)).encode()
    made = remake(daemon, boxes, name, keep=keep)
    assert unlike(before, boxes.inspect(made.box.id), kept_volumes=keep) == {}
    assert settings_of(daemon, daemon.inspect(made.box.id)).encode() == known, "the same settings, to the byte"
    return made


def own_subnet(boxes: Boxes, name: str, third: int) -> str:
    pool = IPAMPool(subnet=f"198.51.100.{third}/28")
    return boxes.network(name, driver="bridge", ipam=IPAMConfig(pool_configs=[pool]))


def in_network(network: str, **options: Any) -> dict[str, EndpointConfig]:
    return {network: EndpointConfig("1.41", **options)}


def test_a_plain_container_is_made_again(boxes: Boxes, daemon: Daemon) -> None:
    check_twin(daemon, boxes, boxes.run())


def test_a_container_with_everything_is_made_again(boxes: Boxes, daemon: Daemon, tmp_path: Path) -> None:
    boxes.run("lender", volumes=[f"{boxes.volume('lent')}:/lent"])
    first = own_subnet(boxes, "first", 16)
    second = own_subnet(boxes, "second", 32)
    (tmp_path / "shown").mkdir()
    name = boxes.create(
        "rich",
        ["sh", "-c", "trap 'exit 0' TERM; sleep 1000 & wait"],
        entrypoint=["/bin/env"],
        environment={"GREETING": "hällo = wörld", "EMPTY": "", "API_TOKEN": "x1y2z3"},
        hostname="rich",
        domainname="example.org",
        user="1000:1000",
        working_dir="/srv",
        stdin_open=True,
        tty=True,
        labels={"a": "1", "b.c/d": ""},
        stop_signal="SIGINT",
        healthcheck=Healthcheck(test=["CMD", "true"], interval=2 * 10**9, retries=4),
        mem_limit="64m",
        memswap_limit="96m",
        mem_reservation="32m",
        nano_cpus=500_000_000,
        cpu_shares=512,
        cpuset_cpus="0",
        pids_limit=64,
        shm_size="80m",
        ulimits=[Ulimit(name="nofile", soft=1024, hard=2048)],
        cap_add=["NET_ADMIN", "SYS_PTRACE"],
        cap_drop=["MKNOD"],
        security_opt=["no-new-privileges"],
        group_add=["2000"],
        sysctls={"net.ipv4.ip_unprivileged_port_start": "0"},
        devices=["/dev/null:/dev/nothing:r"],
        oom_score_adj=100,
        init=True,
        read_only=True,
        tmpfs={"/run": "size=1m,mode=755", "/tmp": ""},
        dns=["192.0.2.1"],
        dns_search=["example.org"],
        dns_opt=["ndots:2"],
        extra_hosts={"db": "192.0.2.7"},
        restart_policy={"Name": "on-failure", "MaximumRetryCount": 3},
        log_config=LogConfig(type="json-file", config={"max-size": "1m", "max-file": "2"}),
        ipc_mode="shareable",
        ports={"80/tcp": ("127.0.0.1", free_port()), "53/udp": None, "81/tcp": [free_port()]},
        volumes=[
            f"{boxes.volume('data', labels={'kept': 'yes'})}:/data",
            f"{boxes.volume('fixed')}:/fixed:ro",
            f"{tmp_path}/shown:/shown:ro",
            "/unnamed",
        ],
        mounts=[
            Mount("/by-mount", boxes.volume("mounted")),
            Mount("/by-mount/below", None),
            Mount("/memory", None, type="tmpfs", tmpfs_size=1 << 20),
        ],
        volumes_from=[boxes.name("lender")],
        network=first,
        networking_config=in_network(first, aliases=["web", "www"], ipv4_address="198.51.100.20"),
    )
    boxes.engine.api.connect_container_to_network(name, second, aliases=["inner"], ipv4_address="198.51.100.40")
    boxes.engine.api.start(name)
    made = check_twin(daemon, boxes, name)
    assert made.new == (), "all its volumes were there"
    assert settings(daemon, name).holes == {"API_TOKEN"}
    assert settings(daemon, made.box.name).networks == {
        first: {"Aliases": ["web", "www"], "IPAMConfig": {"IPv4Address": "198.51.100.20"}},
        second: {"Aliases": ["inner"], "IPAMConfig": {"IPv4Address": "198.51.100.40"}},
    }
    assert boxes.execute(
        made.box.name, "hostname; id -u; echo $GREETING; ulimit -Hn; cat /proc/sys/net/ipv4/ip_unprivileged_port_start"
    ) == ("rich\n1000\nhällo = wörld\n2048\n0\n")


@pytest.mark.parametrize(
    "options",
    [
        {"network_mode": "host"},
        {"network_mode": "none"},
        {"pid_mode": "host", "ipc_mode": "host", "uts_mode": "host"},
        {"security_opt": ["seccomp=unconfined"]},
        {"publish_all_ports": True, "ports": {"80/tcp": None}},
        {"mac_address": "02:42:c6:33:64:63"},
        {"command": [SERVE], "entrypoint": ["sh", "-c"]},
        {"volumes": ["/etc/app"]},
        {"restart_policy": {"Name": "unless-stopped"}},
        {"cpu_period": 100000, "cpu_quota": 5000, "mem_swappiness": 10, "oom_kill_disable": True, "mem_limit": "64m"},
        {"isolation": "default", "runtime": "runc", "cgroup_parent": "/takeback-test"},
    ],
    ids=str,
)
def test_a_container_is_made_again_with(boxes: Boxes, daemon: Daemon, options: dict[str, Any]) -> None:
    check_twin(daemon, boxes, boxes.run(**options))


@pytest.mark.parametrize("field", ["CpuShares", "ShmSize", "CapAdd", "Dns", "PortBindings", "LogConfig", "Tmpfs"])
def test_the_comparison_notices_what_is_lost(boxes: Boxes, daemon: Daemon, field: str) -> None:
    name = boxes.create(
        cpu_shares=512,
        shm_size="80m",
        cap_add=["NET_ADMIN"],
        dns=["192.0.2.1"],
        ports={"80/tcp": free_port()},
        log_config=LogConfig(type="json-file", config={"max-file": "2"}),
        tmpfs={"/run": ""},
    )
    whole = settings(daemon, name)
    lost = replace(whole, host={key: value for key, value in whole.host.items() if key != field})
    made = create(daemon, lost, boxes.own("container", f"{name}-twin"))
    assert any(path.startswith(f"HostConfig.{field}") for path in unlike(boxes.inspect(name), dict(made.box.raw)))
    assert differences(settings(daemon, made.box.name), whole)


@pytest.mark.parametrize("options", [{"privileged": True}, {"cap_add": ["ALL"]}, {"devices": ["/dev/fuse"]}], ids=str)
def test_a_container_that_may_do_much_is_made_again(boxes: Boxes, daemon: Daemon, options: dict[str, Any]) -> None:
    check_twin(daemon, boxes, boxes.create(**options))


def test_new_volumes_without_names_are_said_and_the_rest_is_the_same(boxes: Boxes, daemon: Daemon) -> None:
    name = boxes.run(volumes=["/etc/app", f"{boxes.volume('data')}:/data"])
    made = check_twin(daemon, boxes, name, keep=False)
    assert [each.destination for each in made.new] == ["/etc/app"]
    assert boxes.sh(made.box.name, "cat /etc/app/settings.ini") == "[app]\nmode = image\n"


def test_a_volume_without_a_name_is_kept_through_many_makings(boxes: Boxes, daemon: Daemon) -> None:
    first = boxes.run(volumes=["/work", "/etc/app"], mounts=[Mount("/by-mount", None)])
    boxes.sh(first, "echo kept > /work/a; echo kept > /by-mount/a")
    known = settings_of(daemon, daemon.inspect(first)).encode()
    second = remake(daemon, boxes, first)
    boxes.engine.api.remove_container(first, v=True)
    third = remake(daemon, boxes, second.box.name)
    boxes.engine.api.remove_container(second.box.name, v=True, force=True)
    assert boxes.sh(third.box.name, "cat /work/a /by-mount/a") == "kept\nkept\n"
    assert settings_of(daemon, daemon.inspect(third.box.name)).encode() == known
    boxes.engine.api.remove_container(third.box.name, v=True, force=True)
    for volume in mounts.anonymous_in(third.box).values():
        boxes.engine.api.remove_volume(volume)  # what has been attached by its name, the engine takes for a named one


def test_an_entrypoint_that_was_taken_away_does_not_come_back_with_the_image(boxes: Boxes, daemon: Daemon) -> None:
    tag = boxes.own("image", f"{boxes.word}:entry")
    plain = boxes.create("plain")
    boxes.engine.api.commit(plain, boxes.word, "entry", changes=['ENTRYPOINT ["/bin/false"]'])
    made = check_twin(
        daemon, boxes, boxes.run("box", "sh -c 'trap exit TERM; sleep 1000 & wait'", image=tag, entrypoint=[""])
    )
    assert boxes.inspect(made.box.id)["Path"] == "sh"


def test_a_network_that_was_left_is_not_entered_again(boxes: Boxes, daemon: Daemon) -> None:
    other = boxes.network()
    name = boxes.run(network_mode="default")
    boxes.engine.api.disconnect_container_from_network(name, "bridge")
    boxes.engine.api.connect_container_to_network(name, other, aliases=["here"])
    made = check_twin(daemon, boxes, name)
    assert set(boxes.inspect(made.box.id)["NetworkSettings"]["Networks"]) == {other}


def test_links_and_shared_namespaces_name_the_other_container(boxes: Boxes, daemon: Daemon) -> None:
    net = boxes.network()
    other = boxes.run("other", network_mode="default")
    boxes.engine.api.connect_container_to_network(other, net)
    linked = boxes.run("linked", network_mode="default", links={other: "db"})
    check_twin(daemon, boxes, linked)
    inside = boxes.run("inside", network=net, networking_config=in_network(net, links={other: "db"}))
    assert settings(daemon, inside).networks == {net: {"Links": [f"{other}:db"]}}
    check_twin(daemon, boxes, inside)
    sharing = boxes.run("sharing", network_mode=f"container:{other}", pid_mode=f"container:{other}")
    assert settings(daemon, sharing).host["NetworkMode"] == f"container:{other}", "by its name, not its id"
    check_twin(daemon, boxes, sharing)


def test_a_network_that_was_named_by_its_id_is_kept_by_its_name(boxes: Boxes, daemon: Daemon) -> None:
    net = boxes.network()
    name = boxes.run(network=boxes.engine.api.inspect_network(net)["Id"])
    assert settings(daemon, name).host["NetworkMode"] == net
    remake(daemon, boxes, name)


def test_a_stopped_container_and_one_that_never_ran_are_made_again(boxes: Boxes, daemon: Daemon) -> None:
    never = boxes.create("never", ports={"80/tcp": free_port()})
    check_twin(daemon, boxes, never)
    stopped = boxes.run("stopped")
    boxes.engine.api.stop(stopped, timeout=5)
    made = remake(daemon, boxes, stopped)
    assert settings(daemon, made.box.name) == settings(daemon, stopped)


def test_volumes_that_are_gone_are_made_with_their_drivers_options_and_labels(boxes: Boxes, daemon: Daemon) -> None:
    options = {"type": "tmpfs", "device": "tmpfs", "o": "size=1m"}
    volume = boxes.volume("memory", driver="local", driver_opts=options, labels={"whose": "ours"})
    name = boxes.run(volumes=[f"{volume}:/memory"])
    found = settings(daemon, name)
    boxes.engine.api.remove_container(name, force=True)
    boxes.engine.api.remove_volume(volume)
    made = create(daemon, found, name)
    assert [each.name for each in made.new] == [volume]
    inspected = boxes.engine.api.inspect_volume(volume)
    assert (inspected["Options"], inspected["Labels"]) == (options, {"whose": "ours"})


def test_volumes_of_a_container_that_is_gone_are_mounted_by_their_names(boxes: Boxes, daemon: Daemon) -> None:
    lender = boxes.run("lender", volumes=[f"{boxes.volume('lent')}:/lent", "/unnamed"])
    name = boxes.run(volumes_from=[lender])
    boxes.sh(name, "echo named > /lent/a; echo unnamed > /unnamed/a")
    box, found = daemon.inspect(name), settings(daemon, name)
    assert [(each.borrowed, each.name != "") for each in found.volumes.values()] == [(True, True), (True, False)]
    boxes.engine.api.remove_container(lender, force=True)
    made = create(daemon, found, boxes.own("container", f"{name}-twin"), volumes=mounts.anonymous_in(box))
    assert lender in made.notes[0] and made.new == ()
    boxes.engine.api.start(made.box.id)
    assert boxes.sh(made.box.name, "cat /lent/a /unnamed/a") == "named\nunnamed\n"
    for each in (name, made.box.name):
        boxes.engine.api.remove_container(each, v=True, force=True)
    for volume in mounts.anonymous_in(box).values():
        boxes.engine.api.remove_volume(volume)


def test_an_image_whose_name_was_given_to_another_is_used_by_its_id(boxes: Boxes, daemon: Daemon) -> None:
    tag = boxes.own("image", f"{boxes.word}:moving")
    boxes.engine.api.tag(IMAGE, boxes.word, "moving")
    name = boxes.run(image=tag)
    found = settings(daemon, name)
    boxes.engine.api.commit(name, boxes.word, "moving")
    made = create(daemon, found, boxes.own("container", f"{name}-twin"))
    assert made.box.image == found.image.id
    assert "is another image now" in made.notes[0] and len(made.notes) == 1


def test_an_image_that_is_gone_is_said_with_what_to_do(boxes: Boxes, daemon: Daemon) -> None:
    tag = boxes.own("image", f"{boxes.word}:gone")
    boxes.engine.api.commit(boxes.create("other"), boxes.word, "gone")
    name = boxes.create(image=tag)
    found = settings(daemon, name)
    boxes.engine.api.remove_container(name)
    boxes.engine.api.remove_image(tag)
    with pytest.raises(Unavailable, match=f"{tag}.*is not there") as raised:
        create(daemon, found, name)
    assert "build or load it again" in str(raised.value) and "flatten" in str(raised.value)


def test_nothing_stays_of_a_container_that_cannot_be_made(boxes: Boxes, daemon: Daemon) -> None:
    net, second = boxes.network(), boxes.network("second")
    volume = boxes.volume("gone")
    name = boxes.run(volumes=[f"{volume}:/data", "/unnamed"], network=net)
    boxes.engine.api.connect_container_to_network(name, second)
    found = settings(daemon, name)
    boxes.engine.api.remove_container(name, force=True, v=True)
    boxes.engine.api.remove_volume(volume)
    before = boxes.mine()
    bad = replace(found, networks={**found.networks, second: {"IPAMConfig": {"IPv4Address": "no address"}}})
    with pytest.raises((InvalidInput, Unavailable)):
        create(daemon, bad, name)
    assert boxes.mine() == before
    boxes.engine.api.remove_network(second)
    with pytest.raises(Unavailable, match=f"network '{second}', which is not there") as raised:
        create(daemon, found, name)
    assert f"docker network create {second}" in str(raised.value)
    with pytest.raises(NotFound):
        daemon.inspect(name)


def test_a_name_that_is_taken_is_said_and_its_container_left_alone(boxes: Boxes, daemon: Daemon) -> None:
    name = boxes.run()
    before = boxes.inspect(name)
    with pytest.raises(Conflict, match=f"there is a container called '{name}' already"):
        create(daemon, settings(daemon, name), name)
    assert boxes.inspect(name) == before


def test_settings_with_holes_make_no_container(boxes: Boxes, daemon: Daemon) -> None:
    name = boxes.run(environment={"DB_PASSWORD": "hunter2"})
    with pytest.raises(InvalidInput, match="DB_PASSWORD"):
        create(daemon, settings(daemon, name), f"{name}-twin")
