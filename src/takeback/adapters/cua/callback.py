"""`SnapshotCallback`: what a ComputerAgent calls while it runs, so that its container is saved at the right moments.

Works with every agent SDK that calls methods of these names (`cua_agent` today, `agent` before). The agent never pays for a
failure here: it is logged, and noted where the next command of a person shows it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from takeback.adapters.cua.config import SnapshotConfig
from takeback.adapters.cua.errors import SnapshotError, SnapshotNotFoundError
from takeback.adapters.cua.finding import container_in, container_of, running_agent
from takeback.adapters.cua.manager import SnapshotManager
from takeback.adapters.cua.recording import Recorder, noted
from takeback.adapters.cua.run import Run
from takeback.adapters.cua.values import RestoreOptions, SnapshotTrigger

Items = list[dict[str, Any]]
Resolver = Callable[[dict[str, Any]], Any]
"""From the arguments of a run to the name or id of its container, or None; may be async."""


class SnapshotCallback:
    """For ``ComputerAgent(callbacks=[…])``: one callback for one agent.

    ``config`` alone makes a manager for it; beside a manager it says which triggers count here. The container is that of the
    agent's computer, unless ``container_resolver`` says another or ``container`` names it.
    """

    def __init__(
        self,
        snapshot_manager: SnapshotManager | None = None,
        config: SnapshotConfig | None = None,
        container_resolver: Resolver | None = None,
        *,
        container: str | None = None,
    ) -> None:
        self.snapshot_manager = snapshot_manager or SnapshotManager(config=config)
        self.config = config or self.snapshot_manager.config
        self.container_resolver = container_resolver
        self._recorder = Recorder(self.snapshot_manager, self.config)
        self._given = self._last = container
        """The container that was named, and the last that an agent worked in."""
        self._run: Run | None = None

    async def on_run_start(self, kwargs: dict[str, Any], old_items: Items) -> None:
        agent = running_agent(self)
        tools = getattr(agent, "tools", None) or ()
        held = agent is not None
        del agent  # who holds it would keep its run

        async def begin(recorder: Recorder) -> None:
            before, self._run = self._run, None
            if before is not None and not before.ended:
                await noted(recorder, Recorder.give_up)(before, "the next run began")
            container = await self._resolved(kwargs, tools)
            self._run = run = Run(container, kwargs, old_items, held=held)
            if container is None:
                raise SnapshotError(
                    "no container is known in which the agent works, so its run is not recorded",
                    hints=["SnapshotCallback(…, container=NAME), or a container_resolver"],
                )
            self._last = container
            await recorder.begin(run)

        await noted(self._recorder, begin)()

    async def on_run_continue(self, kwargs: dict[str, Any], old_items: Items, new_items: Items) -> bool:
        if self._run is not None:
            self._run.new_items = new_items
            await noted(self._recorder, Recorder.settle)(self._run)
        return True

    async def on_llm_start(self, messages: Items) -> Items:
        if self._run is not None:
            await noted(self._recorder, Recorder.settle)(self._run)
        return messages

    async def on_computer_call_start(self, item: dict[str, Any]) -> None:
        if self._run is not None:
            await noted(self._recorder, Recorder.act)(self._run, item)

    async def on_computer_call_end(self, item: dict[str, Any], result: Items) -> None:
        if self._run is not None:
            await noted(self._recorder, Recorder.acted)(self._run, item, result)

    async def on_function_call_start(self, item: dict[str, Any]) -> None:
        await self.on_computer_call_start(item)

    async def on_function_call_end(self, item: dict[str, Any], result: Items) -> None:
        await self.on_computer_call_end(item, result)

    async def on_run_end(self, kwargs: dict[str, Any], old_items: Items, new_items: Items) -> None:
        run, self._run = self._run, None
        if run is not None:
            run.new_items = new_items
            if run.container is None:  # these arguments say more than those at its start
                run.container = container_in(kwargs)
                self._last = run.container or self._last
            await noted(self._recorder, Recorder.end)(run)

    async def create_manual_snapshot(self, description: str = "Manual snapshot") -> str:
        """A snapshot now, also in the middle of a run; its id."""
        run = self._run
        made = await self.snapshot_manager.create_snapshot(
            self._container(),
            SnapshotTrigger.MANUAL,
            description,
            "manual",
            run.id if run is not None else None,
            messages=run.messages if run is not None else None,
        )
        return made.snapshot_id

    async def restore_latest_snapshot(self, container_name_suffix: str = "restored") -> str:
        """Make a new container, ``NAME_SUFFIX``, of the container's latest snapshot; its id."""
        container = self._container()
        found = await self.snapshot_manager.list_snapshots(container, limit=1)
        if not found:
            raise SnapshotNotFoundError(f"there is no snapshot of {container!r} yet")
        options = RestoreOptions(new_container_name=f"{found[0].container_name}_{container_name_suffix}")
        return await self.snapshot_manager.restore_snapshot(found[0].snapshot_id, options)

    def get_current_context(self) -> dict[str, Any]:
        """What is known of the run that is going on."""
        run = self._run
        return {
            "container_id": run.container if run is not None else self._last,
            "run_id": run.id if run is not None else None,
            "action_count": run.actions if run is not None else 0,
            "snapshot_config": self.config.model_dump(),
        }

    async def close(self) -> None:
        """End what the agent did not end, and close the store."""
        run, self._run = self._run, None
        if run is not None and not run.ended:
            await noted(self._recorder, Recorder.give_up)(run, "the callback was closed")
        await self.snapshot_manager.close()

    async def _resolved(self, kwargs: dict[str, Any], tools: Any) -> str | None:
        if self.container_resolver is not None:
            found = self.container_resolver(kwargs)
            found = await found if inspect.isawaitable(found) else found
            return str(found) if found else None
        return self._given or container_in(kwargs) or container_of(tools) or self._last

    def _container(self) -> str:
        run = self._run
        container = run.container if run is not None and run.container is not None else self._last
        if container is None:
            raise SnapshotError(
                "no container is known yet", hints=["SnapshotCallback(…, container=NAME), or let the agent run first"]
            )
        return container
