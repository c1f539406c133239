from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from support.containers.boxes import Boxes, free_port
from support.containers.settings import RICH
from takeback.errors import Conflict, InvalidInput
from takeback.sources.container import ports
from takeback.sources.container.daemon import Daemon
from takeback.sources.container.ports import Bound, Taken
from takeback.sources.container.settings import Image, Settings


def publishing(**bindings: list[tuple[str, str]]) -> Settings:
    """``tcp80=[("", "8080")]``: address and port of the host."""
    made = {
        f"{inside[3:]}/{inside[:3]}": [{"HostIp": address, "HostPort": port} for address, port in each]
        for inside, each in bindings.items()
    }
    return Settings(Image(), host={"PortBindings": made})


def holding(*held: Bound) -> Taken:
    return lambda wanted: any(wanted.meets(each) for each in held)


def published(settings: Settings) -> dict[str, list[str]]:
    return {
        inside: [f"{each['HostIp']}:{each['HostPort']}" for each in bindings]
        for inside, bindings in settings.host["PortBindings"].items()
    }


def test_ports_that_are_free_stay() -> None:
    assert ports.moved(RICH, holding()) == (RICH, [])


@pytest.mark.parametrize("host", [{}, {"PortBindings": None}, {"PortBindings": {}}])
def test_settings_without_ports_stay_as_they_are(host: dict[str, object]) -> None:
    settings = Settings(Image(), host=host)
    assert ports.moved(settings, holding()) == (settings, [])


def test_a_port_that_is_taken_is_moved_to_the_next_free_one_and_said() -> None:
    moved, notes = ports.moved(publishing(tcp80=[("", "8080")]), holding(Bound(8080), Bound(8081)))
    assert published(moved) == {"80/tcp": [":8082"]}
    assert notes == ["port 8080 is taken: 80/tcp is reached by port 8082 of the host"]


def test_two_ports_are_never_moved_to_the_same_one() -> None:
    settings = publishing(tcp80=[("", "8080")], tcp81=[("", "8081")], tcp82=[("", "8080")])
    moved, _ = ports.moved(settings, holding(Bound(8080)))
    assert published(moved) == {"80/tcp": [":8081"], "81/tcp": [":8082"], "82/tcp": [":8083"]}


def test_only_the_same_protocol_and_address_is_in_the_way() -> None:
    settings = publishing(tcp80=[("127.0.0.1", "8080")], udp53=[("", "8080")])
    assert ports.moved(settings, holding(Bound(8080, "tcp", "192.0.2.1")))[1] == []
    moved, _ = ports.moved(settings, holding(Bound(8080, "tcp", "0.0.0.0")))
    assert published(moved) == {"80/tcp": ["127.0.0.1:8081"], "53/udp": [":8080"]}


def test_both_families_of_addresses_keep_one_number() -> None:
    settings = publishing(tcp80=[("0.0.0.0", "8080"), ("::", "8080")])
    assert ports.moved(settings, holding())[1] == []
    moved, _ = ports.moved(settings, holding(Bound(8080)))
    assert published(moved) == {"80/tcp": ["0.0.0.0:8081", ":::8081"]}


def test_what_the_engine_chooses_is_left_to_the_engine() -> None:
    settings = publishing(tcp80=[("", "")], tcp81=[("", "0")], tcp82=[("", "9000-9010")])
    assert ports.moved(settings, lambda wanted: True) == (settings, [])


def test_where_no_port_is_free_the_engine_finds_one() -> None:
    moved, notes = ports.moved(publishing(tcp80=[("", "65500")]), lambda wanted: True)
    assert published(moved) == {"80/tcp": [":"]}
    assert "the engine finds" in notes[0]


def test_ports_that_were_asked_for_are_given_and_never_moved() -> None:
    asked = ports.overridden(publishing(tcp80=[("127.0.0.1", "8080")]), {"80": 9000, "53/udp": 5300})
    assert published(asked) == {"80/tcp": ["127.0.0.1:9000"], "53/udp": [":5300"]}
    assert asked.config["ExposedPorts"] == {"80/tcp": {}, "53/udp": {}}
    with pytest.raises(Conflict, match="9000/tcp, which leads to 80/tcp, is in use") as raised:
        ports.moved(asked, holding(Bound(9000)), fixed=["80"])
    assert "--port 9001:80" in str(raised.value)
    assert ports.moved(asked, holding(), fixed=["80", "53/udp"]) == (asked, [])


def test_another_port_moves_out_of_the_way_of_one_that_was_asked_for() -> None:
    asked = ports.overridden(publishing(tcp81=[("", "9000")], tcp80=[("", "8080")]), {"80/tcp": 9000})
    moved, _ = ports.moved(asked, holding(), fixed=["80/tcp"])
    assert published(moved) == {"81/tcp": [":9001"], "80/tcp": [":9000"]}


@pytest.mark.parametrize("wrong", [{"http": 80}, {"80/http": 80}, {"0": 80}, {"70000": 80}, {"80": 0}, {"80": 70000}])
def test_what_is_no_port_is_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(InvalidInput, match="is no port"):
        ports.overridden(RICH, wrong)


@pytest.fixture
def listener() -> Iterator[int]:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        held.listen()
        yield held.getsockname()[1]


@pytest.mark.service("docker")
def test_ports_of_containers_and_of_other_programs_are_taken(boxes: Boxes, listener: int) -> None:
    port, udp = free_port(), free_port()
    name = boxes.run(ports={"80/tcp": port, "53/udp": ("127.0.0.1", udp)})
    boxes.create("stopped", ports={"80/tcp": free_port()})
    daemon = Daemon(boxes.engine.api)
    is_taken = ports.taken(daemon)
    assert is_taken(Bound(port)) and is_taken(Bound(port, address="127.0.0.1"))
    assert is_taken(Bound(udp, "udp")) and not is_taken(Bound(udp, "tcp"))
    assert is_taken(Bound(listener)), "this test listens there"
    assert not is_taken(Bound(free_port()))
    own = ports.taken(daemon, but=[daemon.inspect(name).id])
    assert not own(Bound(port)), "whose place is taken over, is not in the way"
    assert own(Bound(listener))


@pytest.mark.service("docker")
def test_a_port_of_an_engine_elsewhere_is_not_tried_here(listener: int, boxes: Boxes) -> None:
    class Elsewhere(Daemon):
        address = "tcp://192.0.2.1:2375"

    assert not ports.taken(Elsewhere(boxes.engine.api))(Bound(listener))


def test_where_a_port_is_taken_the_message_names_a_free_one_for_a_copy() -> None:
    with pytest.raises(Conflict, match="8080/tcp") as caught:
        ports.check_free(publishing(tcp80=[("", "8080")]), holding(Bound(8080), Bound(8081)))
    assert caught.value.hints[-1] == "a copy can have another: --as NAME --port 8082:80"
