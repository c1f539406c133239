"""A part as if some paths of its tree had never been captured: for what must not be kept, such as a secret.

The paths are listed as not captured, so a restore never deletes or overwrites what stands there. The texts of ignore
rules below a purged directory go with it; everything there counts as uncaptured anyway.
"""

from __future__ import annotations

from collections.abc import Mapping

from takeback.errors import InvalidInput
from takeback.model.ids import BlobKind
from takeback.model.snapshot import PURGED, NotCaptured, Part
from takeback.sources import trees
from takeback.sources.workspace.ignore import RULE_FILES, RulesRecord
from takeback.store.writer import Writer


def is_purgeable(path: str) -> bool:
    """Whether nothing but the tree holds what stands there: the texts of rules are kept beside it."""
    return path.rpartition("/")[2] not in RULE_FILES


def check_purgeable(path: str) -> None:
    if not is_purgeable(path):
        raise InvalidInput(
            f"{path!r} cannot be purged: snapshots keep the ignore rules of their time, to know what they lack",
            hints=["purge the directory it is in, or `takeback drop` the snapshots that hold it"],
        )


def without(writer: Writer, part: Part, paths: Mapping[str, str]) -> Part:
    """The part without some paths, each of which comes with what is said about it."""
    content = trees.patch(writer, part.content, dict.fromkeys(paths))
    stay = (item for item in part.not_captured if not trees.within(paths, item.path))
    purged = (NotCaptured(path, PURGED, detail) for path, detail in paths.items())
    records = [key for key in ("rules", "trusted") if key in part.refs] if part.kind == "workspace" else []
    rules = {key: _rules_without(writer, part.refs[key], paths) for key in records}
    detail = {key: each for key, each in part.detail.items() if key != "image"}  # which holds them, too
    return part._replace(
        detail=detail,
        refs={**part.refs, "content": content, **rules},
        not_captured=tuple(sorted((*stay, *purged))),
    )


def _rules_without(writer: Writer, rules: bytes, paths: Mapping[str, str]) -> bytes:
    record = RulesRecord.decode(writer.reader.get(rules, BlobKind.DOCUMENT))
    gone = tuple(f"{record.prefix}{path}/" for path in paths)
    stay = tuple(text for text in record.texts if not text.directory.startswith(gone))
    if len(stay) == len(record.texts):
        return rules
    return writer.put(record.with_texts(stay).encode(), BlobKind.DOCUMENT)
