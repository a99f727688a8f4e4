"""A stand-in for Anthropic's API. The model calls one tool, reads the result, and ends."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Api(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, call: dict[str, Any]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.call = call
        self.told: list[str] = []
        """What the model got in the place of results."""
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    server: Api

    def log_message(self, *_: Any) -> None:
        pass

    def do_HEAD(self) -> None:
        self._reply("text/plain", b"")

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
        if "count_tokens" in self.path:
            return self._reply("application/json", b'{"input_tokens":1}')
        content = asked["messages"][-1]["content"]
        results = [
            each["content"]
            for each in (content if isinstance(content, list) else [])
            if each["type"] == "tool_result"
        ]
        self.server.told += [str(each) for each in results]
        is_calling = bool(asked.get("tools")) and not results
        block = (
            {"type": "tool_use", **self.server.call}
            if is_calling
            else {"type": "text", "text": "done"}
        )
        stop = "tool_use" if is_calling else "end_turn"
        events = _events(asked.get("model"), block, stop)
        text = "".join(
            f"event: {name}\ndata: {json.dumps({'type': name, **data})}\n\n"
            for name, data in events
        )
        return self._reply("text/event-stream", text.encode())

    def _reply(self, kind: str, body: bytes) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _events(
    model: str | None, block: dict[str, Any], stop: str
) -> list[tuple[str, dict[str, Any]]]:
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": model}
    message |= {"content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
    if block["type"] == "text":
        empty, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
    else:
        text = json.dumps(block["input"])
        empty, delta = {**block, "input": {}}, {"type": "input_json_delta", "partial_json": text}
    end = {"stop_reason": stop, "stop_sequence": None}
    return [
        ("message_start", {"message": message}),
        ("content_block_start", {"index": 0, "content_block": empty}),
        ("content_block_delta", {"index": 0, "delta": delta}),
        ("content_block_stop", {"index": 0}),
        ("message_delta", {"delta": end, "usage": usage}),
        ("message_stop", {}),
    ]
