"""What a person does to a directory, with all that a filesystem allows."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import rule

from support.machine.base import PATHS, Machine, anything, paths, places


class People(Machine):
    @rule(place=places, path=paths, line=st.integers(0, 30))
    def person_adds_a_line(self, place: int, path: str, line: int) -> None:
        world = self.world(place)
        lines = self.text(world, path).splitlines(keepends=True)
        lines.insert(min(line, len(lines)), self.token("a person"))
        self.put(world, path, "".join(lines))

    @rule(place=places, path=anything)
    def person_removes(self, place: int, path: str) -> None:
        if self.world(place).exists(path):
            self.world(place).remove(path)

    @rule(place=places, old=anything, new=anything)
    def person_renames(self, place: int, old: str, new: str) -> None:
        """A file, a link, or a whole directory."""
        world = self.world(place)
        above = (world.root / new).parent
        inside = f"{new}/".startswith(f"{old}/")
        if world.exists(old) and not world.exists(new) and not inside and (above.is_dir() or not above.exists()):
            if above.is_symlink() or (above.parent != world.root and not above.parent.is_dir()):
                return
            world.rename(old, new)

    @rule(place=places, path=anything, mode=st.sampled_from([0o600, 0o644, 0o755, 0o700]))
    def person_changes_permissions(self, place: int, path: str, mode: int) -> None:
        target = self.world(place).root / path
        if target.is_symlink() or not target.exists():
            return
        target.chmod(mode | 0o700 if target.is_dir() else mode)

    @rule(place=places, path=anything, to=st.sampled_from([*PATHS, "nowhere", "../outside", "/etc/hostname"]))
    def person_makes_a_link(self, place: int, path: str, to: str) -> None:
        world = self.world(place)
        self.clear(world, path)
        (world.root / path).symlink_to(to)

    @rule(place=places, path=anything, kind=st.sampled_from(["empty directory", "directory", "file", "empty file"]))
    def person_changes_what_it_is(self, place: int, path: str, kind: str) -> None:
        world = self.world(place)
        self.clear(world, path)
        if kind.endswith("file"):
            world.write(path, self.token("a person") if kind == "file" else "")
            return
        (world.root / path).mkdir()
        if kind == "directory":
            world.write(f"{path}/inner", self.token("a person"))

    @rule(target=Machine.snapshots, place=places, trigger=st.sampled_from(["manual", "interval"]))
    def person_saves(self, place: int, trigger: str) -> str:
        return self.saved(self.world(place), self.world(place).line.save(trigger=trigger))
