"""`DockerSnapshotProvider`: which containers there are, and the sources and places that stand for them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from takeback.adapters.cua.config import SnapshotConfig
from takeback.adapters.cua.describing import PART
from takeback.adapters.cua.errors import ContainerNotFoundError, SnapshotError, told_as
from takeback.adapters.cua.values import RestoreOptions
from takeback.adapters.remembering import finished
from takeback.errors import NotFound
from takeback.sources.container.daemon import Daemon, Inspected

if TYPE_CHECKING:
    from takeback.sources.protocol import Source

_USABLE = frozenset({"running", "paused", "exited", "created"})


class DockerSnapshotProvider:
    """A Docker engine: the one that the environment names, or a client's. It is spoken to when it is first needed."""

    def __init__(self, docker_client: Any = None) -> None:
        self.client = docker_client
        """A ``docker.DockerClient``, or its ``APIClient``."""
        self._given = getattr(docker_client, "api", docker_client)
        self.daemon = Daemon(self._given)

    def inspected(self, container: str) -> Inspected:
        """A container by its name or id; ContainerNotFoundError if there is none."""
        with told_as(SnapshotError):
            try:
                return self.daemon.inspect(container)
            except NotFound as error:
                raise ContainerNotFoundError(
                    f"there is no container {container!r}", hints=["`docker ps --all` lists containers"]
                ) from error

    def exists(self, container: str) -> bool:
        with told_as(SnapshotError):
            return self.daemon.find(container) is not None

    def source(self, container: str, config: SnapshotConfig) -> Source:
        """What captures a container, and puts it back in its place."""
        from takeback.sources.container.source import Container

        return Container(
            container,
            volumes=config.include_volumes,
            strategy=config.strategy,
            image=config.image,
            name=PART,
            binds=config.include_binds,
            secrets=config.keep_secrets,
            client=self._given,
        )

    def place(self, container: str, options: RestoreOptions, volumes: str) -> Any:
        """Where a snapshot becomes a container that there is not yet."""
        from takeback.sources.container.source import Container

        return Container.copy(
            container,
            environment=options.environment_overrides,
            ports=options.ports,
            volumes=volumes if options.preserve_volumes else "none",
            networks=options.preserve_networks,
        )

    def remove_images(self, tags: Iterable[str]) -> None:
        """Remove images that were made with snapshots."""
        from takeback.sources.container.images import remove

        remove(self.daemon, tags)

    async def validate_container(self, container_id: str) -> bool:
        """Whether there is such a container, in a state in which it can be captured; SnapshotError if Docker is down."""

        def look() -> bool:
            try:
                box = self.inspected(container_id)
            except ContainerNotFoundError:
                return False
            return box.raw["State"].get("Status") in _USABLE

        return await finished(look)
