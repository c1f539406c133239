"""What a restored container could do to the machine around it that the present one cannot.

A snapshot may come from anywhere, and a container with the right settings owns its host. So a restore that would give more
than there is now has to be allowed; whatever field of the engine's is not known here counts as more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from takeback.errors import Unavailable
from takeback.sources.container.mounts import parse_bind
from takeback.sources.container.secrets import hidden
from takeback.sources.container.settings import Image, Settings

_NAMESPACES = {
    "NetworkMode": "network",
    "PidMode": "process",
    "IpcMode": "IPC",
    "UTSMode": "host name",
    "UsernsMode": "user",
}
_LOOKED_AT = frozenset(
    """Privileged CapAdd CapDrop Binds Mounts Devices DeviceCgroupRules DeviceRequests SecurityOpt MaskedPaths ReadonlyPaths
    GroupAdd Runtime CgroupParent VolumesFrom""".split()
) | frozenset(_NAMESPACES)
_HARMLESS = frozenset(
    """AutoRemove BlkioDeviceReadBps BlkioDeviceReadIOps BlkioDeviceWriteBps BlkioDeviceWriteIOps BlkioWeight
    BlkioWeightDevice Capabilities Cgroup CgroupnsMode ConsoleSize ContainerIDFile CpuCount CpuPercent CpuPeriod CpuQuota
    CpuRealtimePeriod CpuRealtimeRuntime CpuShares CpusetCpus CpusetMems Dns DnsOptions DnsSearch ExtraHosts IOMaximumBandwidth
    IOMaximumIOps Init Isolation KernelMemory KernelMemoryTCP Links LogConfig Memory MemoryReservation MemorySwap
    MemorySwappiness NanoCpus OomKillDisable OomScoreAdj PidsLimit PortBindings PublishAllPorts ReadonlyRootfs RestartPolicy
    ShmSize StorageOpt Sysctls Tmpfs Ulimits VolumeDriver""".split()
)
_NARROWS = "no-new-privileges"
_ROOT = ("", "0", "root")
_NOBODY = Settings(Image())


def check(name: str, now: Settings | None, then: Settings, *, allowed: bool = False) -> None:
    """Unavailable if a container ``name`` with the settings ``then`` may do more than the one that is there ``now``."""
    more = [] if allowed else widened(now, then)
    if more:
        whom = "that it does not have now" if now is not None else "that a plain container does not have"
        raise Unavailable(
            f"the snapshot's settings would give {name} rights on this machine {whom}: {'; '.join(more)}",
            hints=["if that is meant: `takeback restore --allow-wider`, or tb.Container(…, allow_wider=True)"],
        )


def widened(now: Settings | None, then: Settings) -> list[str]:
    """What ``then`` may do and ``now`` may not, in words; without a container now, whatever a plain one may not."""
    before = now or _NOBODY
    return list(dict.fromkeys(_widened(before, then, known=now is not None)))


def _widened(now: Settings, then: Settings, *, known: bool) -> Iterator[str]:
    a, b = now.host, then.host
    if b.get("Privileged") and not a.get("Privileged"):
        yield "it is privileged"
    yield from (
        f"it has the capability {each}" for each in _more(_capabilities(a, "CapAdd"), _capabilities(b, "CapAdd"))
    )
    yield from (
        f"it keeps the capability {each}" for each in _more(_capabilities(b, "CapDrop"), _capabilities(a, "CapDrop"))
    )
    yield from (f"it has {each} of the host" for each in _more(_paths(now), _paths(then)))
    for key in ("Devices", "DeviceRequests"):
        have = a.get(key) or ()
        yield from (f"it has the device {_device(each)}" for each in b.get(key) or () if each not in have)
    yield from (
        f"it has devices by the rule {each}" for each in _more(a.get("DeviceCgroupRules"), b.get("DeviceCgroupRules"))
    )
    for key, word in _NAMESPACES.items():
        mode = str(b.get(key) or "")
        if mode != a.get(key) and (mode == "host" or mode.startswith("container:")):
            yield f"it shares the {word} namespace of {mode.removeprefix('container:')}"
    yield from _security(a, b)
    yield from (f"it is in the group {each}" for each in _more(a.get("GroupAdd"), b.get("GroupAdd")))
    if known:
        yield from _otherwise(now, then)
    for key in sorted(b.keys() - _LOOKED_AT - _HARMLESS):
        if b[key] and b[key] != a.get(key):
            yield f"{key} is {str(b[key])[:60]}"


def _security(a: Mapping[str, Any], b: Mapping[str, Any]) -> Iterator[str]:
    had, has = set(a.get("SecurityOpt") or ()), set(b.get("SecurityOpt") or ())
    if b.get("Privileged"):
        has -= {"label=disable"}  # the engine's own addition
    yield from (f"it has the security option {each}" for each in sorted(has - had) if not each.startswith(_NARROWS))
    yield from (f"it is without the security option {each}" for each in sorted(had - has) if each != "label=disable")
    for key, word in (("MaskedPaths", "sees"), ("ReadonlyPaths", "may write to")):
        if b.get(key) is None:
            continue  # the engine's choice
        shown = sorted(set(a.get(key) or ()) - set(b[key]))
        if shown or (not b[key] and a.get(key) is None):
            yield f"it {word} {', '.join(shown) or 'what the engine hides of the kernel'}"


def _otherwise(now: Settings, then: Settings) -> Iterator[str]:
    for key, word in (("Runtime", "runtime"), ("CgroupParent", "control group")):
        if (then.host.get(key) or "") != (now.host.get(key) or ""):
            yield f"it has another {word}: {then.host.get(key) or 'the default'}"
    was, will = (str(each.config.get("User") or "").partition(":")[0] for each in (now, then))
    if will in _ROOT and was not in _ROOT:
        yield f"it runs as root, not as {was}"


def _paths(settings: Settings) -> list[str]:
    """What of the host is mounted, each with how."""
    found = []
    for source, _, mode in map(parse_bind, settings.host.get("Binds") or ()):
        if source.startswith(("/", ".", "~")) or "\\" in source:
            found += _mounted(
                source, "ro" not in mode.split(","), [each for each in mode.split(",") if "shared" in each]
            )
    for mount in settings.host.get("Mounts") or ():
        kind, source = mount.get("Type"), str(mount.get("Source") or "")
        options = mount.get("BindOptions") or {}
        if kind not in ("volume", "tmpfs"):
            shared = [each for each in [str(options.get("Propagation") or "")] if "shared" in each]
            found += _mounted(source, not mount.get("ReadOnly"), shared)
        if kind == "volume" and ((mount.get("VolumeOptions") or {}).get("DriverConfig") or {}).get("Options"):
            found.append(f"a volume with options: {mount['VolumeOptions']['DriverConfig']['Options']}")
    for volume in settings.volumes.values():
        if volume.options or volume.driver != "local":
            said = ",".join(f"{key}={hidden(key, value)}" for key, value in sorted(volume.options.items()))
            found.append(f"a volume of the driver {volume.driver} with {said or 'no options'}")
    return found


def _mounted(source: str, writable: bool, shared: list[str]) -> list[str]:
    """Who may write may read as well."""
    found = [f"{source} (to read)"] + [f"{source} (with mounts that spread: {each})" for each in shared]
    return [*found, f"{source} (to write)"] if writable else found


def _capabilities(host: Mapping[str, Any], key: str) -> list[str]:
    return [str(each).upper().removeprefix("CAP_") for each in host.get(key) or ()]


def _device(device: Mapping[str, Any]) -> str:
    return str(device.get("PathOnHost") or device.get("Driver") or device.get("Capabilities") or device)[:60]


def _more(had: Iterable[str] | None, has: Iterable[str] | None) -> list[str]:
    known = set(had or ())
    return [each for each in has or () if each not in known]
