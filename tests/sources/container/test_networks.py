from __future__ import annotations

import pytest
from docker.types import EndpointConfig, IPAMConfig, IPAMPool

from support.containers.boxes import Boxes
from takeback.sources.container import networks
from takeback.sources.container.creating import create
from takeback.sources.container.daemon import Daemon
from takeback.sources.container.describing import settings_of

pytestmark = pytest.mark.service("docker")


def test_a_copy_beside_its_original_gives_up_addresses_and_names_and_says_so(boxes: Boxes) -> None:
    daemon = Daemon(boxes.engine.api)
    ipam = IPAMConfig(pool_configs=[IPAMPool(subnet="198.51.100.64/28")])
    net = boxes.network(driver="bridge", ipam=ipam)
    asked = EndpointConfig("1.41", aliases=["web", "www"], ipv4_address="198.51.100.70")
    name = boxes.run(network=net, networking_config={net: asked}, mac_address="02:42:c6:33:64:63", hostname="web-1")
    settings, notes = networks.apart(daemon, settings_of(daemon, daemon.inspect(name)))
    assert notes == [
        f"network {net}: the address 198.51.100.70 is in use, the copy gets another",
        f"network {net}: another container answers to web, www, the copy does not",
        "the copy gets a hardware address of its own, not 02:42:c6:33:64:63",
    ]
    made = create(daemon, settings, boxes.own("container", boxes.name("copy")))
    boxes.engine.api.start(made.box.id)
    endpoint = boxes.inspect(made.box.id)["NetworkSettings"]["Networks"][net]
    assert endpoint["IPAddress"] not in ("", "198.51.100.70") and "web" not in endpoint["Aliases"]


def test_a_copy_of_a_container_that_does_not_run_keeps_its_addresses_and_names(boxes: Boxes) -> None:
    daemon = Daemon(boxes.engine.api)
    net = boxes.network(driver="bridge")
    asked = EndpointConfig("1.41", aliases=["web"])
    name = boxes.create(network=net, networking_config={net: asked})
    settings = settings_of(daemon, daemon.inspect(name))
    assert settings.networks == {net: {"Aliases": ["web"]}}
    assert networks.apart(daemon, settings) == (settings, [])
