"""A Docker engine of the tests' own, beside any other on the machine: its own containerd, data, socket and bridge, and no
rule of the machine's firewall touched. Whatever it made is gone when it stops.

    python3 tests/support/containers/daemon.py PLACE

runs one with the tests' image until it is told to end (or whoever started it has died), and prints its socket's address
when it answers. That is what `scripts/services` starts; a test that stops, restarts or fills an engine starts one itself.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[2])

from support.containers.image import import_into
from support.containers.wire import call

PATIENCE = 60.0
_PROGRAMS = ("dockerd", "containerd", "runc")
_PR_SET_PDEATHSIG = 1
_ROOM = 4 << 30
_NETWORKS = "198.18.{}.1/24", "198.19.{}.0/24"
"""From the addresses that are kept for measuring: the bridge's own, and those of networks that tests make."""


def reason_not_to() -> str | None:
    """Why no engine can run here; None if one can be tried."""
    if not sys.platform.startswith("linux"):
        return "an engine of the tests' own needs Linux"
    if os.geteuid() != 0:
        return "only root can run an engine"
    missing = [name for name in (*_PROGRAMS, "ip", "busybox") if shutil.which(name) is None]
    return f"not installed: {', '.join(missing)}" if missing else None


class Daemon:
    """`start` it, and `stop` it; between, it can be stopped, killed and started again over the same data."""

    def __init__(self, place: Path, *, data: Path | None = None, network: bool = True) -> None:
        self._place = place
        self.data = data or place / "data"
        self.socket = place / "docker.sock"
        # Also without a network: told `--bridge=none`, an engine removes the bridge of the machine's own one.
        self._bridge: tuple[str, int] | None = _make_bridge()
        self._containerd: subprocess.Popen[bytes] | None = None
        self._dockerd: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        return f"unix://{self.socket}"

    @property
    def bridge(self) -> str:
        """The network interface that is its own; "" if it has none."""
        return self._bridge[0] if self._bridge else ""

    @property
    def pid(self) -> int:
        assert self._dockerd is not None, "it does not run"
        return self._dockerd.pid

    def start(self) -> None:
        """Returns when it answers."""
        self._place.mkdir(parents=True, exist_ok=True)
        configuration = self._place / "daemon.json"  # not the machine's
        configuration.write_text("{}")
        profile = (
            self._place / "seccomp.json"
        )  # runc compiles the usual one for each process, a quarter of what it costs
        profile.write_text('{"defaultAction": "SCMP_ACT_ALLOW"}')
        if self._containerd is None:
            self._containerd = self._start_containerd()
        assert self._bridge is not None, "it was removed"
        name, number = self._bridge
        pool = f"base={_NETWORKS[1].format(number)},size=28"
        network = ["--bridge", name, "--default-address-pool", pool]
        self._dockerd = self._spawn(
            "dockerd",
            *("--host", self.address, "--containerd", str(self._place / "containerd.sock")),
            *("--data-root", str(self.data), "--exec-root", str(self._place / "exec")),
            *("--pidfile", str(self._place / "pid"), "--config-file", str(configuration)),
            *("--seccomp-profile", str(profile)),
            *("--storage-driver", "overlay2", "--iptables=false", "--ip-forward=false", "--ip-masq=false"),
            *network,
        )
        self._wait_for_answer()

    def restart(self) -> None:
        self.stop()
        self.start()

    def stop(self) -> None:
        """End it as a person does; its containers end, and stay."""
        _end(self._dockerd)
        self._dockerd = None

    def kill(self) -> None:
        """End it as a crash does; its containers run on."""
        assert self._dockerd is not None
        self._dockerd.kill()
        self._dockerd.wait()
        self._dockerd = None
        (self._place / "pid").unlink(missing_ok=True)

    def remove(self) -> None:
        """End it with all that it made, on the disk as well."""
        if self._dockerd is not None:
            with contextlib.suppress(OSError):
                for container in call(self.socket, "GET", "/containers/json?all=1"):
                    with contextlib.suppress(OSError):
                        call(self.socket, "DELETE", f"/containers/{container['Id']}?force=1&v=1")
                call(self.socket, "POST", "/networks/prune")
        self.stop()
        _end(self._containerd)
        self._containerd = None
        for mounted in _mounts_in(self._place, self.data):
            subprocess.run(["umount", "--lazy", mounted], capture_output=True)
        if self._bridge is not None:
            subprocess.run(["ip", "link", "delete", self._bridge[0]], capture_output=True)
            self._bridge = None
        shutil.rmtree(self._place, ignore_errors=True)

    def log(self) -> str:
        return (self._place / "dockerd.log").read_text(errors="replace")

    def _start_containerd(self) -> subprocess.Popen[bytes]:
        """Not the machine's, whose containers another engine owns."""
        place = self._place / "containerd"
        place.mkdir(exist_ok=True)
        (place / "config.toml").write_text('version = 2\ndisabled_plugins = ["io.containerd.grpc.v1.cri"]\n')
        return self._spawn(
            "containerd",
            *("--config", str(place / "config.toml"), "--address", str(self._place / "containerd.sock")),
            *("--root", str(place / "root"), "--state", str(place / "state"), "--log-level", "warn"),
        )

    def _spawn(self, program: str, *arguments: str) -> subprocess.Popen[bytes]:
        with (self._place / f"{program}.log").open("ab") as log:
            return subprocess.Popen(
                [program, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C is for whoever started us, who then ends it in order
                preexec_fn=_end_with_parent,
                env={**os.environ, "GOGC": "400"},  # they have little to collect
            )

    def _wait_for_answer(self) -> None:
        assert self._dockerd is not None
        deadline = time.monotonic() + PATIENCE
        while self._dockerd.poll() is None and time.monotonic() < deadline:
            with contextlib.suppress(OSError):
                call(self.socket, "GET", "/_ping", timeout=5)
                return
            time.sleep(0.02)
        said = self.log()[-2000:]
        self.remove()
        raise OSError(f"dockerd does not start here: {said}")


def _make_bridge() -> tuple[str, int]:
    """A network interface whose addresses nobody else has: its name and number."""
    for attempt in range(250):
        number = (os.getpid() + attempt) % 250
        name, address = f"tbtest{number}", _NETWORKS[0].format(number)
        if subprocess.run(["ip", "link", "add", "name", name, "type", "bridge"], capture_output=True).returncode:
            continue
        for command in (["ip", "address", "add", address, "dev", name], ["ip", "link", "set", name, "up"]):
            subprocess.run(command, capture_output=True, check=True)
        return name, number
    raise OSError("no network interface could be made for the engine")


def _end(process: subprocess.Popen[bytes] | None) -> None:
    if process is None:
        return
    process.terminate()
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _mounts_in(*places: Path) -> list[str]:
    """The deepest first; dockerd may have mounted its data over itself."""
    lines = Path("/proc/self/mountinfo").read_text().splitlines()
    mounted = [line.split()[4].replace("\\040", " ") for line in lines]
    found = {each for each in mounted for place in places if f"{each}/".startswith(f"{place}/")}
    return sorted(found, reverse=True)


def _end_with_parent() -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)


@contextlib.contextmanager
def running(place: Path, *, data: Path | None = None, network: bool = True) -> Iterator[Daemon]:
    """An engine with the tests' image in it, until the end of the block."""
    daemon = Daemon(place, data=data, network=network)
    try:
        daemon.start()
        import_into(daemon.socket)
        yield daemon
    finally:
        daemon.remove()


@contextlib.contextmanager
def data_directory() -> Iterator[Path | None]:
    """A place for the data of an engine: in memory if there is room, because it makes and removes many small files and waits for each.
    Else none."""
    memory = Path("/dev/shm")
    there = os.statvfs(memory) if os.access(memory, os.W_OK) else None
    if there is None or there.f_bavail * there.f_frsize < _ROOM:
        yield None
        return
    place = Path(tempfile.mkdtemp(prefix="takeback-engine-", dir=memory))
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)


def main(place: Path) -> None:
    if reason := reason_not_to():
        sys.exit(reason)
    _end_with_parent()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit())
    with data_directory() as data, running(place, data=data) as daemon:
        print(daemon.address, flush=True)
        while True:
            signal.pause()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
