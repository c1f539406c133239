"""OpenAI's chat completions, for opencode: `POST /v1/chat/completions`."""

from __future__ import annotations

import json

from support.agents.script import Calls, Say
from support.agents.wire import events


def answer(step: Say | Calls, number: int) -> bytes:
    delta: dict[str, object]
    if isinstance(step, Say):
        delta = {"role": "assistant", "content": step.text}
    else:
        delta = {
            "role": "assistant",
            "tool_calls": [
                {
                    "index": place,
                    "id": f"call_{number}_{place}",
                    "type": "function",
                    "function": {"name": call.tool, "arguments": json.dumps(call.arguments)},
                }
                for place, call in enumerate(step.calls)
            ],
        }
    reason = "stop" if isinstance(step, Say) else "tool_calls"
    usage = {"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20}
    common = {"id": f"chatcmpl_{number}", "object": "chat.completion.chunk", "created": 0, "model": "scripted"}
    chunks = (
        {**common, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
        {**common, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}], "usage": usage},
    )
    return events.data(*chunks) + b"data: [DONE]\n\n"


def error(status: int) -> bytes:
    return json.dumps({"error": {"message": "the script says no", "type": "invalid_request_error"}}).encode()
