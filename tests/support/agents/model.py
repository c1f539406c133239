"""A model on loopback that plays a script: whoever asks with tools at hand gets the next step.

Requests without tools, or for a title, are the agent's own small talk: they get a few words and use up no step. One model
serves one session at a time, so that the order of steps is the order of requests.
"""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import ModuleType, TracebackType
from typing import Any, Self

from support.agents.script import Answer, Calls, Fail, Hold, Reply, Say
from support.agents.wire import anthropic, chat, gemini, responses

_PROTOCOLS: dict[str, ModuleType] = {
    "/v1/messages": anthropic,
    "/v1/responses": responses,
    "/v1/chat/completions": chat,
    ":streamGenerateContent": gemini,
}
_SMALL_TALK = Say("A few words")
PATIENCE = 60.0


class Model:
    """The server, and what it has been asked."""

    def __init__(self) -> None:
        self.requests: list[Any] = []
        """The bodies of the requests that took a step."""
        self._steps: deque[Answer] = deque()
        self._aside: deque[Answer] = deque()
        self._tasks: list[str] = []
        """What subagents that work beside the first were asked to do."""
        self._lock = threading.Lock()
        self._answers = 0
        self._asked_for_more = False
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.daemon_threads = True
        self._server.model = self  # type: ignore[attr-defined]
        self._mark = self._server.server_port  # ids of calls differ between two models
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05})

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def play(self, steps: Sequence[Answer]) -> None:
        """What the next requests are answered with, in place of what an interrupted turn has left.

        A subagent in the background goes on with its own steps.
        """
        with self._lock:
            self._steps, self._asked_for_more = deque(steps), False
            if not self._tasks:
                self._aside = deque()

    @property
    def left(self) -> list[Answer]:
        """Steps that nobody has asked for."""
        with self._lock:
            return [*self._steps, *self._aside]

    @property
    def over(self) -> bool:
        """Whether every step was played, and nothing beyond them asked for."""
        return not self.left and not self._asked_for_more

    def take(self, body: Any) -> tuple[Answer, int]:
        with self._lock:
            self._answers += 1
            number = self._mark * 1000 + self._answers
            thread = "subagent" if self._asked_by_a_task(body) else responses.asked_by(body)
            if not body.get("tools") or thread == "thread_title":
                return _SMALL_TALK, number
            self.requests.append(body)
            steps = self._aside if thread == "subagent" else self._steps
            self._asked_for_more |= not steps
            step = steps.popleft() if steps else Say("I have nothing more to say.")
            if isinstance(step, Reply):
                step = step.to(body)
            if isinstance(step, Calls):
                self._aside.extend(step.aside)
                if step.aside:
                    asked = [call.arguments for call in step.calls if isinstance(call.arguments, dict)]
                    self._tasks += [str(arguments["prompt"]) for arguments in asked if "prompt" in arguments]
            return step, number

    def _asked_by_a_task(self, body: Any) -> bool:
        """Whether a conversation begins with a task that was given to a subagent in the background."""
        begin = json.dumps(body.get("messages", [])[:1])
        return any(json.dumps(task)[1:-1] in begin for task in self._tasks)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
        path = self.path.partition("?")[0]
        model: Model = self.server.model  # type: ignore[attr-defined]
        if path.endswith(":generateContent"):
            self._reply(200, "application/json", json.dumps(gemini.content(_SMALL_TALK, 0)).encode())
            return
        protocol = next((module for end, module in _PROTOCOLS.items() if path.endswith(end)), None)
        if protocol is None:
            self._reply(404, "application/json", b"{}")
            return
        step, number = model.take(body)
        if isinstance(step, Hold):
            step.reached.set()
            step.release.wait(PATIENCE)
            step = Say("Held no longer.")
        if isinstance(step, Fail):
            self._reply(step.status, "application/json", protocol.error(step.status))
        else:
            self._reply(200, "text/event-stream", protocol.answer(step, number))

    def do_GET(self) -> None:
        self._reply(404, "application/json", b"{}")

    def _reply(self, status: int, kind: str, body: bytes) -> None:
        try:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except ConnectionError:
            pass  # the agent was interrupted and has gone

    def log_message(self, format: str, *arguments: object) -> None:
        """Nothing: tests look at `Model.requests`."""
