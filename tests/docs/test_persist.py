"""docs/persist.md: its code runs in the order in which it stands, its commands run, its table is true."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from support.cli import Cli
from takeback.adapters.persist import known
from takeback.adapters.persist.reading import LARGEST

pytest.importorskip("langchain_classic")

from langchain_core.language_models import FakeListLLM
from pydantic import SecretStr

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "persist.md").read_text()
ASKED: list[str] = []


class Model(FakeListLLM):
    def _call(self, prompt: str, *arguments: Any, **options: Any) -> str:
        ASKED.append(prompt)
        return super()._call(prompt, *arguments, **options)


class KeyedModel(FakeListLLM):
    key: SecretStr

    @property
    def lc_secrets(self) -> dict[str, str]:
        return {"key": "MY_KEY"}

    @classmethod
    def is_lc_serializable(cls) -> bool:
        return True


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.filterwarnings("ignore::langchain_core._api.LangChainDeprecationWarning")
def test_the_page_is_true(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    cli = Cli(tmp_path, capsysbinary)
    monkeypatch.chdir(cli.root)
    monkeypatch.setattr(known, "_allowed", {})
    model = Model(responses=["Again!"])
    names: dict[str, Any] = {"Model": Model, "model": model, "KeyedModel": KeyedModel}
    changed, basic, left_out, keyed = blocks("python")
    exec(changed + basic, names)
    assert "Hello, how are you?\nAI: I am well." in ASKED[-1]
    assert names["agent"].memory.chat_memory.messages[-1].content == "You asked how I am."
    for line in blocks("sh")[0].splitlines():
        assert cli(*shlex.split(line, comments=True)[1:]).out
    exec(left_out, names)
    assert names["agent"].llm is model
    known.allow(KeyedModel)
    names["persist"].snapshot(KeyedModel(responses=["x"], key=SecretStr("sk-1")), "keyed.json.gz")
    known._allowed.clear()
    exec(keyed, names)
    assert names["agent"].key.get_secret_value() == "…"


def test_what_it_says_about_names_and_sizes_is_so() -> None:
    for name in ("InMemoryChatMessageHistory", "ConversationChain", "LLMChain"):
        assert name in known._CLASSIC
        assert f"`{name}`" in PAGE
    assert f"{LARGEST >> 20} MiB" in PAGE
