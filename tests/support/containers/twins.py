"""In what two containers are not the same: everything the engine says of them, apart from a short list of what must differ."""

from __future__ import annotations

import json
import re
from typing import Any

TIMES = {"Created", "State.StartedAt", "State.FinishedAt", "State.Health"}
IDS = {
    "Id",
    "State.Pid",
    "GraphDriver.Data",  # directories of layers
    "NetworkSettings.SandboxID",
    "NetworkSettings.SandboxKey",
    "NetworkSettings.EndpointID",
    "NetworkSettings.Networks.*.EndpointID",
}
CHOSEN = {  # by the engine, unless it was asked for one
    "NetworkSettings.IPAddress",
    "NetworkSettings.MacAddress",
    "NetworkSettings.Networks.*.IPAddress",
    "NetworkSettings.Networks.*.MacAddress",
}
_VOLUME = re.compile(r"\b[0-9a-f]{64}\b")


def unlike(a: dict[str, Any], b: dict[str, Any], *, kept_volumes: bool = False) -> dict[str, tuple[Any, Any]]:
    """The fields in which they differ, each with both values. Their own ids and names are equal, wherever they stand, and
    so are volumes that nobody named. With ``kept_volumes``, ``b`` has those of ``a``, which it calls by their names."""
    left, right = _flat(_blank(a)), _flat(_blank(b))
    for each in (left, right):
        _forget_unnamed(each, kept=kept_volumes)
    return {
        path: (left.get(path), right.get(path))
        for path in sorted(left.keys() | right.keys())
        if left.get(path) != right.get(path) and not _may_differ(path, a)
    }


def _blank(raw: dict[str, Any]) -> dict[str, Any]:
    text = json.dumps({**raw, "Mounts": sorted(raw["Mounts"], key=lambda each: str(each["Destination"]))})
    text = text.replace(raw["Id"], "<id>").replace(raw["Id"][:12], "<short id>").replace(raw["Name"], "/<name>")
    for mount in raw["Mounts"]:
        if _VOLUME.fullmatch(mount.get("Name", "")):
            text = text.replace(mount["Name"], f"<volume at {mount['Destination']}>")
    found: dict[str, Any] = json.loads(text)
    # The same for both, also where it was chosen; but the host's own means nothing here.
    found["Config"]["Hostname"] = hostname = "" if raw["HostConfig"]["UTSMode"] else raw["Config"]["Hostname"]
    for network in found["NetworkSettings"]["Networks"].values():
        network["Aliases"] = [each for each in network.get("Aliases") or () if each not in (hostname, "<short id>")]
    return found


def _flat(value: Any, path: str = "") -> dict[str, Any]:
    if isinstance(value, dict) and value:
        return {
            key: each
            for name, inner in value.items()
            for key, each in _flat(inner, f"{path}.{name}" if path else name).items()
        }
    return {path: value}


def _forget_unnamed(fields: dict[str, Any], *, kept: bool) -> None:
    """Volumes without names can be asked for in two ways."""
    binds = [each for each in fields["HostConfig.Binds"] or () if ":" in each]
    for mount in fields["Mounts"]:
        if mount.get("Name", "").startswith("<volume at"):
            del mount["Mode"]
    if kept:
        binds = [each for each in binds if not each.startswith("<volume at")]
        for mount in fields.get("HostConfig.Mounts") or ():
            if mount.get("Source", "").startswith("<volume at"):
                del mount["Source"]
    fields["HostConfig.Binds"] = binds or None


def _may_differ(path: str, a: dict[str, Any]) -> bool:
    network = re.sub(r"^(NetworkSettings\.Networks)\.(.*)\.(\w+)$", r"\1.*.\3", path)
    if any(path == each or path.startswith(f"{each}.") for each in TIMES | IDS) or network in IDS:
        return True
    if path.startswith("NetworkSettings.Ports."):
        asked = (a["HostConfig"]["PortBindings"] or {}).get(path.removeprefix("NetworkSettings.Ports.")) or ()
        return all(each["HostPort"] in ("", "0") for each in asked)
    if network in CHOSEN:
        asked = path != network and (a["NetworkSettings"]["Networks"][path.split(".")[2]]["IPAMConfig"] or {})
        return not asked and not a["Config"].get("MacAddress")
    return False
