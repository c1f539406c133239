"""Anthropic's messages, for Claude Code: `POST /v1/messages`."""

from __future__ import annotations

import json
from collections.abc import Iterator

from support.agents.script import Calls, Say
from support.agents.wire import events


def answer(step: Say | Calls, number: int) -> bytes:
    return events.named(_events(step, number))


def error(status: int) -> bytes:
    return json.dumps(
        {"type": "error", "error": {"type": "invalid_request_error", "message": "the script says no"}}
    ).encode()


def _events(step: Say | Calls, number: int) -> Iterator[dict[str, object]]:
    message = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": "scripted", "content": []}
    usage = {"input_tokens": 10, "output_tokens": 10}
    yield {"type": "message_start", "message": {**message, "stop_reason": None, "stop_sequence": None, "usage": usage}}
    for index, (block, delta) in enumerate(_blocks(step, number)):
        yield {"type": "content_block_start", "index": index, "content_block": block}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    reason = "end_turn" if isinstance(step, Say) else "tool_use"
    yield {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": usage}
    yield {"type": "message_stop"}


def _blocks(step: Say | Calls, number: int) -> Iterator[tuple[dict[str, object], dict[str, object]]]:
    if isinstance(step, Say):
        yield {"type": "text", "text": ""}, {"type": "text_delta", "text": step.text}
        return
    for place, call in enumerate(step.calls):
        block: dict[str, object] = {"type": "tool_use", "id": f"toolu_{number}_{place}", "name": call.tool, "input": {}}
        yield block, {"type": "input_json_delta", "partial_json": json.dumps(call.arguments)}
