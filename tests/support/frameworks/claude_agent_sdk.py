from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from claude_agent_sdk import ClaudeAgentOptions, ResultMessage, query
from claude_agent_sdk.types import SessionStore

from takeback.adapters.claude_agent_sdk import TakebackSessionStore


def environment(address: str, home: str) -> dict[str, str]:
    """What the program is told: where the model is, and where its own files are."""
    return {
        "HOME": home,
        "CLAUDE_CONFIG_DIR": f"{home}/.claude",
        "ANTHROPIC_BASE_URL": address,
        "ANTHROPIC_API_KEY": "anything",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_AUTOUPDATER": "1",
        "IS_SANDBOX": "1",
    }


async def ask(store: SessionStore, address: str, home: str, prompt: str, resume: str | None = None) -> str:
    """One query, in a home that may be a new one; the session's id."""
    project = Path(home, "project")
    project.mkdir(parents=True, exist_ok=True)
    options = ClaudeAgentOptions(
        cwd=project, resume=resume, session_store=store, setting_sources=[], env=environment(address, home)
    )
    session = ""
    async for each in query(prompt=prompt, options=options):
        if isinstance(each, ResultMessage):
            session = each.session_id
    return session


def ask_in(place: str, address: str, home: str, prompt: str, resume: str | None = None) -> str:
    store = TakebackSessionStore(place)
    try:
        return asyncio.run(ask(store, address, home, prompt, resume))
    finally:
        store.close()


def said(body: Any) -> list[tuple[str, str]]:
    """The words of a request, without what the program adds by itself."""
    words = []
    for message in body["messages"]:
        content = message["content"]
        texts = [content] if isinstance(content, str) else [each.get("text", "") for each in content]
        words += [(message["role"], text) for text in texts if text and not text.startswith("<")]
    return [each for each in words if each[0] != "system"]
