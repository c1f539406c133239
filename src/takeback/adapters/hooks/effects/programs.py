"""Programs that run another command: which one, and what a shell among them is told to run."""

from __future__ import annotations

from typing import Final

from takeback.adapters.hooks.effects.commands import Command

SHELLS: Final = frozenset("sh bash zsh dash ksh fish ash".split())

_RUNNERS: Final = {
    # program: the options that take a value, and how many words come before the command
    "sudo": ("-u -g -h -p -C -T -U -D -R -r -t --user --group --host --prompt --chdir", 0),
    "doas": ("-u -C", 0),
    "su-exec": ("", 1),
    "gosu": ("", 1),
    "env": ("-u -C -S --unset --chdir", 0),
    "nohup": ("", 0),
    "setsid": ("", 0),
    "time": ("-f -o --format --output", 0),
    "timeout": ("-k -s --kill-after --signal", 1),
    "gtimeout": ("-k -s --kill-after --signal", 1),
    "nice": ("-n --adjustment", 0),
    "ionice": ("-c -n -p", 0),
    "stdbuf": ("-i -o -e", 0),
    "unbuffer": ("", 0),
    "chronic": ("", 0),
    "caffeinate": ("-t -w", 0),
    "strace": ("-e -o -p -s -u", 0),
    "exec": ("-a", 0),
    "command": ("", 0),
    "builtin": ("", 0),
    "xargs": ("-a -d -E -I -L -n -P -s --arg-file --delimiter --max-args --max-procs --replace", 0),
    "parallel": ("-j --jobs -a -n -N --colsep", 0),
    "watch": ("-n --interval", 0),
    "flock": ("-w -E --timeout", 1),
    "sshpass": ("-p -f -d -e -P", 0),
    "dotenv": ("-f -e", 0),
    "direnv": ("", 2),
    "npx": ("-p --package -w --workspace", 0),
    "bunx": ("", 0),
    "uvx": ("--from --with --python -p --index", 0),
    "pipenv": ("", 1),
    "corepack": ("", 0),
    "busybox": ("", 0),
    "op": ("--env-file --account", 1),
    "doppler": ("-p -c --project --config", 1),
    "chroot": ("", 1),
}

_RUN: Final = {
    # program and what makes it a runner: the options that take a value, and how many words come before the command
    ("uv", "run"): (
        "--with --python -p --env-file --extra --group --project --directory --package --index --with-requirements",
        0,
    ),
    ("poetry", "run"): ("", 0),
    ("pdm", "run"): ("", 0),
    ("hatch", "run"): ("", 0),
    ("rye", "run"): ("", 0),
    ("bundle", "exec"): ("", 0),
    ("pnpm", "exec"): ("", 0),
    ("pnpm", "dlx"): ("--package", 0),
    ("yarn", "exec"): ("", 0),
    ("yarn", "dlx"): ("-p --package", 0),
    ("npm", "exec"): ("-p --package", 0),
    ("bun", "x"): ("", 0),
    ("conda", "run"): ("-n --name -p --prefix --cwd", 0),
    ("mise", "exec"): ("", 0),
    ("docker", "exec"): ("-e -u -w --env --user --workdir --env-file", 1),
    ("podman", "exec"): ("-e -u -w --env --user --workdir --env-file", 1),
    ("docker-compose", "exec"): ("-e -u -w --env --user --workdir --index", 1),
}


def name(word: str) -> str:
    """A program's name as rules have it: without its directory, its version or its interpreter's version."""
    last = word[-200:].rpartition("/")[2] if len(word) <= 4096 else ""
    base = last.partition("@")[0] or last
    version = base.removeprefix("python")
    return "python" if version != base and version.replace(".", "").isdigit() else base


def run_by(words: list[str]) -> list[str] | None:
    """The command that a command runs in its turn; None if it runs none that is written there."""
    program = name(words[0])
    if _assigns(words[0]):
        return words[1:]
    if program == "python" and "-m" in words[1:6]:
        return words[words.index("-m") + 1 :]
    if program == "find":
        return _after(words, ("-exec", "-execdir", "-ok", "-okdir"))
    if program == "docker" and words[1:2] == ["compose"] and "exec" in words[2:8]:
        return _past(words[words.index("exec") + 1 :], *_RUN["docker-compose", "exec"])
    if program == "command" and words[1:2] and words[1] in ("-v", "-V"):
        return None
    if program in _RUNNERS:
        return _past(words[1:], *_RUNNERS[program])
    for at, word in enumerate(words[1:4], 1):
        if (program, word) in _RUN:
            return _past(words[at + 1 :], *_RUN[program, word])
        if not word.startswith("-"):
            break
    return None


def told(words: list[str], command: Command) -> list[str]:
    """The texts that a shell, or what behaves like one, is given to run: arguments, heredocs, what is piped into it."""
    program = name(words[0])
    if program in ("eval", "trap"):
        return [" ".join(words[1:])] if program == "eval" else words[1:2]
    if program in ("su", "script", "runuser", "nix-shell", "npx", "flock"):
        texts = [words[at + 1] for at, word in enumerate(words[:-1]) if word in ("-c", "--command", "--run")]
        return texts[:1]
    if program not in SHELLS:
        return []
    given, takes = False, False
    for word in words[1:]:
        if takes:
            takes = False
        elif word[:1] in ("-", "+") and len(word) > 1:
            given = given or (word[:2] != "--" and word[0] == "-" and "c" in word)
            takes = word in ("--rcfile", "--init-file") or (word[:2] != "--" and word.endswith("o"))
        else:
            return [word] if given else []
    return [*command.inputs, *_piped(command.before)]


def downloads(words: list[str], command: Command) -> bool:
    """Whether a shell runs what another command fetches."""
    if name(words[0]) not in SHELLS:
        return False
    before = command.before
    if before is not None and before.words and name(before.words[0]) in ("curl", "wget"):
        return len(words) == 1 or words[1].startswith("-")
    return any(word.startswith(("$(curl", "$(wget", "`curl", "`wget")) for word in words[1:4])


def _piped(before: Command | None) -> list[str]:
    """What a command prints, where that is written there."""
    if before is None or not before.words:
        return []
    if name(before.words[0]) in ("echo", "printf"):
        return [" ".join(word for word in before.words[1:] if word not in ("-e", "-n", "-en", "%s", "%s\\n"))]
    return before.inputs if name(before.words[0]) in ("cat", "tee", "sed", "envsubst") else []


def _past(words: list[str], valued: str, positional: int) -> list[str]:
    """What comes after a runner's own options and words."""
    takes = valued.split()
    at = 0
    while at < len(words):
        word = words[at]
        if word == "--":
            return words[at + 1 :]
        if word.startswith("-") and len(word) > 1:
            at += 1 + (word in takes)
        elif _assigns(word):
            at += 1
        elif positional:
            positional -= 1
            at += 1
        else:
            break
    return words[at:]


def _after(words: list[str], marks: tuple[str, ...]) -> list[str]:
    for at, word in enumerate(words):
        if word in marks:
            end = next((end for end in range(at, len(words)) if words[end] in (";", "+")), len(words))
            return words[at + 1 : end]
    return []


def _assigns(word: str) -> bool:
    """``NAME=value``"""
    head, found, _ = word[:200].partition("=")
    return bool(found) and head.removesuffix("+").replace("_", "a").isalnum() and not head[0].isdigit()
