"""What agreeing to a project's file would mean here, for whoever asks the person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from takeback.locate.agreed import Agreed
from takeback.locate.chosen import declared_by, policy_of, resolved

if TYPE_CHECKING:
    from takeback.locate import Place


def proposal(where: Place, layer: Mapping[str, Any] | None = None) -> Agreed:
    """The record that agreeing to the project's file, or to what else would be in it, makes; InvalidInput if that names what
    it must not. In a fork, what its names mean already stays so."""
    known = where.agreed
    said = where.file.named if layer is None else layer
    named = {each.key: resolved(where.root, each, said.get("team_dir")) for each in declared_by(said)}
    if known is not None and known.timeline is not None:
        return Agreed(where.root, known.timeline, {**named, **known.sources}, known.policy)
    return Agreed(where.root, None, named, policy_of(said))


def in_words(agreed: Agreed) -> Iterator[str]:
    """A line for each thing that is agreed to."""
    for key, here in agreed.sources.items():
        kind, _, rest = key.partition(" ")
        if here:
            part = rest.partition("=")[0]
            where = f" in {here['data_dir']}" if here.get("data_dir") else ""
            options = [f"{name} = {value}" for name, value in here.items() if name not in ("name", "data_dir")]
            about = "".join(f", {each}" for each in (*([f"as {part}"] if part != kind else []), *options))
            yield f"the {kind} {here.get('name')}{where}{about}: saved with each snapshot, and put back with it"
    for name, value in agreed.policy.items():
        yield f"{name} = {value}: older snapshots of this directory go by themselves"
