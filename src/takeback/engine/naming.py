"""How a person names a container's part on the command line, where a message says what would help."""

from __future__ import annotations

from takeback.model.snapshot import Part

NOT_AT_HAND = "its container is not at hand here, so it stays as it is"


def naming(part: Part) -> str:
    """The option that has the container of a part at hand; empty for what is no container."""
    container = part.detail.get("container")
    if part.kind != "container" or not isinstance(container, str) or not container.isprintable():
        return ""
    import shlex

    said = container if part.name == "container" else f"{part.name}={container}"
    return f"--container {shlex.quote(said)}"
