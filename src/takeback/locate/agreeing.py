"""What agreeing to a project's file would mean here, for whoever asks the person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from takeback.locate import agreed as records
from takeback.locate import baseline
from takeback.locate.agreed import Agreed
from takeback.locate.chosen import declared_by, policy_of, resolved
from takeback.locate.layers import project_file

if TYPE_CHECKING:
    from takeback.locate import Place
    from takeback.model.rule_change import RuleChange


def proposal(where: Place, layer: Mapping[str, Any] | None = None) -> Agreed:
    """The record that agreeing to the project's file, or to what else would be in it, makes; InvalidInput if that names what
    it must not. In a fork, what its names mean already stays so."""
    known = where.agreed
    said = where.file.named if layer is None else layer
    named = {each.key: resolved(where.root, each, said.get("team_dir")) for each in declared_by(said)}
    if known is not None and known.timeline is not None:
        return Agreed(where.root, known.timeline, {**named, **known.sources}, known.policy)
    return Agreed(where.root, None, named, policy_of(said))


def changed_settings(where: Place) -> dict[str, Any]:
    """What an agent changed in the settings so that it does not count, as the project's file says it; None for what it does not
    say any more."""
    if where.baseline is None or where.file.broken:
        return {}
    said = baseline.plain(where.file.settings)
    names = sorted({*said, *where.baseline.settings})
    return {name: said.get(name) for name in names if said.get(name) != where.baseline.settings.get(name)}


def agree(where: Place, wanted: Agreed, rules: Sequence[RuleChange]) -> None:
    """Let all of it count: what the project's file names and says, ignore rules, and another root."""
    if wanted != (where.agreed or Agreed(where.root)):
        records.write(wanted)
    if where.baseline is not None:
        known = where.baseline._replace(
            rules=(*where.baseline.rules, *(each.digest for each in rules))[-baseline.MOST_RULES :]
        )
        if not where.file.broken:
            settings = baseline.plain(where.file.settings)
            known = known._replace(file=where.file.name, settings=settings, distrusted=())
        baseline.write(known._replace(said=""))
    if where.passed:
        file = project_file(where.passed, [])
        baseline.write(baseline.new(where.passed, file.name, file.settings))


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
