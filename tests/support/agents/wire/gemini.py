"""Google's contents, for Gemini CLI: `POST /v1beta/models/NAME:streamGenerateContent`."""

from __future__ import annotations

import json

from support.agents.script import Calls, Say
from support.agents.wire import events


def answer(step: Say | Calls, number: int) -> bytes:
    return events.data(content(step, number))


def content(step: Say | Calls, number: int) -> dict[str, object]:
    """One whole answer, also for the requests that want no stream."""
    parts: list[dict[str, object]]
    if isinstance(step, Say):
        parts = [{"text": step.text}]
    else:
        parts = [
            {"functionCall": {"id": f"call_{number}_{place}", "name": call.tool, "args": call.arguments}}
            for place, call in enumerate(step.calls)
        ]
    return {
        "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 10, "totalTokenCount": 20},
        "modelVersion": "scripted",
        "responseId": f"response_{number}",
    }


def error(status: int) -> bytes:
    return json.dumps(
        {"error": {"code": status, "message": "the script says no", "status": "INVALID_ARGUMENT"}}
    ).encode()
