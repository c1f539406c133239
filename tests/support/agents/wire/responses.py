"""OpenAI's responses, for Codex: `POST /v1/responses`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from support.agents.script import Call, Calls, Say
from support.agents.wire import events


def answer(step: Say | Calls, number: int) -> bytes:
    return events.named(_events(step, number))


def error(status: int) -> bytes:
    return json.dumps({"error": {"message": "the script says no", "type": "invalid_request_error"}}).encode()


def asked_by(body: Any) -> str:
    """Which of Codex's threads asks: ``user``, ``subagent`` (which works beside the first), ``thread_title``, …"""
    about = json.loads(body.get("client_metadata", {}).get("x-codex-turn-metadata", "{}"))
    return "subagent" if about.get("agent_name", "/root") != "/root" else str(about.get("thread_source", "user"))


def _events(step: Say | Calls, number: int) -> Iterator[dict[str, object]]:
    response: dict[str, object] = {"id": f"resp_{number}", "object": "response", "status": "in_progress", "output": []}
    yield {"type": "response.created", "response": response}
    items = (
        [_message(step, number)]
        if isinstance(step, Say)
        else [_call(call, f"{number}_{place}") for place, call in enumerate(step.calls)]
    )
    for index, item in enumerate(items):
        yield {"type": "response.output_item.added", "output_index": index, "item": item}
        yield {"type": "response.output_item.done", "output_index": index, "item": item}
    usage = {"input_tokens": 10, "output_tokens": 10, "total_tokens": 20}
    yield {
        "type": "response.completed",
        "response": {**response, "status": "completed", "output": items, "usage": usage},
    }


def _message(step: Say, number: int) -> dict[str, object]:
    content = [{"type": "output_text", "text": step.text, "annotations": []}]
    return {"type": "message", "id": f"msg_{number}", "role": "assistant", "status": "completed", "content": content}


def _call(call: Call, mark: str) -> dict[str, object]:
    namespace, _, name = call.tool.rpartition(".")
    common = {"id": f"fc_{mark}", "call_id": f"call_{mark}", "name": name, "status": "completed"}
    if isinstance(call.arguments, str):
        return {"type": "custom_tool_call", **common, "input": call.arguments}
    place = {"namespace": namespace} if namespace else {}
    return {"type": "function_call", **common, **place, "arguments": json.dumps(call.arguments)}
