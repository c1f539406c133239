"""Fixtures that every test has, and how the run treats missing services. What has a subject of its own is in `support`."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import pytest

# Before they are imported, so that their failures show values.
pytest.register_assert_rewrite("support", "takeback.testing")

from support import campaigns, counts, disks, generated, order, quiet, services  # noqa: E402
from support.browser import browser, windows  # noqa: E402
from support.containers.fixtures import boxes, engine, private_engine, strategy  # noqa: E402
from support.faults.fixtures import zygote  # noqa: E402
from support.stage.fixtures import _tale, _told, own_story, told_story  # noqa: E402
from support.teams.fixtures import data_dir, team  # noqa: E402
from support.trees import Spec, make_tree, remove  # noqa: E402
from support.worlds import make_world, repository, world  # noqa: E402
from takeback.store import notices  # noqa: E402

__all__ = [
    "_tale",
    "_told",
    "boxes",
    "browser",
    "data_dir",
    "engine",
    "make_world",
    "own_story",
    "private_engine",
    "repository",
    "strategy",
    "team",
    "told_story",
    "windows",
    "world",
    "zygote",
]

WorkspaceFactory = Callable[..., Path]


@pytest.fixture(autouse=True)
def turnstile(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Lets a test that is marked `quiet` through alone."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        yield
        return
    lock = tmp_path_factory.getbasetemp().parent / "turnstile"  # the directory of the run, above the worker's own
    with quiet.turnstile(lock, alone=request.node.get_closest_marker("quiet") is not None):
        yield


@pytest.fixture(autouse=True)
def home(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home directory of the test's own: no setting, store, git configuration or identity leaks in or out."""
    path = disks.new_directory(request, "home")
    for name in list(os.environ):
        if name.startswith(("TAKEBACK_", "GIT_", "XDG_", "DOCKER_", "CLAWTEAM_")) and not name.startswith(
            "TAKEBACK_TEST_"
        ):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(path))
    monkeypatch.setenv("TAKEBACK_UPKEEP", "off")  # no test leaves a process behind unless it wants to
    monkeypatch.setenv("TAKEBACK_PAUSED", str(path / "paused"))  # no command of another test lets its containers go
    for name, folder in [
        ("CONFIG", ".config"),
        ("DATA", ".local/share"),
        ("STATE", ".local/state"),
        ("CACHE", ".cache"),
    ]:
        monkeypatch.setenv(f"XDG_{name}_HOME", str(path / folder))
    monkeypatch.setattr(notices, "gettempdir", lambda: str(path))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "Test Person")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "person@example.org")
    return path


@pytest.fixture
def workspace(tmp_path: Path) -> WorkspaceFactory:
    """``workspace({"a.txt": "text"}, name="other")`` makes a directory with these files (`make_tree`) and returns it."""

    def make(tree: Mapping[str, Spec] | Mapping[bytes, Spec] | None = None, *, name: str = "workspace") -> Path:
        make_tree(tmp_path / name, tree or {})
        return tmp_path / name

    return make


@pytest.fixture
def memory_path(tmp_path: Path) -> Iterator[Path]:
    """A directory in memory, if there is such: for thousands of worlds, or thousands of saves."""
    if (place := disks.memory()) is None:
        yield tmp_path
        return
    with disks.directory(place) as path:
        yield path


@pytest.fixture
def tmp_path(request: pytest.FixtureRequest) -> Iterator[Path]:
    """A directory of the test's own; on a disk for those that are about disks. That of a test that failed stays."""
    if disks.is_about_disks(request.node):
        with disks.directory() as path:
            yield path
        return
    failures = request.session.testsfailed
    path = disks.new_directory(request, request.node.name)
    yield path
    if request.session.testsfailed == failures:
        with suppress(OSError):  # a program that ends now may still write there
            remove(path)


def pytest_configure(config: pytest.Config) -> None:
    os.umask(0o022)  # modes in tests are what they say
    disks.write_to_memory()
    generated.configure()
    # A shell starts what it puts into the background with SIGINT ignored, and so would be every program that tests start.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """For ``-n auto``. More than there are cores: many tests wait for an engine or for an agent most of their time."""
    return (os.cpu_count() or 1) + 3


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """A short name for a long value: a test's name stands in its environment, where a variable has room for 128 KiB."""
    return f"{argname}-of-{len(val)}" if isinstance(val, str | bytes) and len(val) > 60 else None


@pytest.hookimpl(wrapper=True)  # all before the yield is done before xdist reads the groups
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Iterator[None]:
    campaigns.select(config, items)
    for item in items:
        if (group := order.group(item)) is not None:
            item.add_marker(
                pytest.mark.xdist_group(group)
            )  # on one worker, because what they share takes seconds to make
        generated.thin(item)
        for mark in item.iter_markers("service"):
            unknown = [name for name in mark.args if name not in services.SERVICES]
            if unknown or not mark.args:
                raise pytest.UsageError(f"{item.nodeid}: no such service {unknown}; see tests/support/services.py")
    items[:] = order.arranged(items)
    yield


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Frameworks and tests stay until the end. So collect no garbage while they are loaded, never look at them later, and look
    for garbage seldom."""
    gc.disable()
    try:
        yield
        gc.freeze()
        gc.set_threshold(20_000, 20, 20)
    finally:
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    with generated.counted(item):
        yield


def pytest_runtest_setup(item: pytest.Item) -> None:
    for mark in item.iter_markers("service"):
        for name in mark.args:
            reason = services.missing(name)
            if reason and services.required():
                pytest.fail(f"{reason} (with CI=true that is a failure)", pytrace=False)
            if reason:
                pytest.skip(reason)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    counts.summarise(terminalreporter)
    skipped = [report for report in terminalreporter.getreports("skipped") if isinstance(report.longrepr, tuple)]
    if not skipped:
        return
    terminalreporter.section("left out")
    reasons: dict[str, int] = {}
    for report in skipped:
        reason = str(report.longrepr[2]).removeprefix("Skipped: ")
        reasons[reason] = reasons.get(reason, 0) + 1
    for reason, count in sorted(reasons.items()):
        terminalreporter.line(f"{count} × {reason}")
