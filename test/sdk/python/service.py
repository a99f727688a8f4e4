"""
A small service in this process, which follows the protocol. A test decides, loses responses, and
sees what was asked, withdrawn and reported.
"""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

Reply = tuple[int, Any]
_PARTS_OF_STEP = 7
_SECONDS = {"s": 1, "m": 60, "h": 3_600}


def seconds_of(duration: str) -> int:
    return int(duration[:-1]) * _SECONDS[duration[-1]]


def instant(at: datetime) -> str:
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Service(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 100

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.rows: dict[str, dict[str, Any]] = {}
        self.keys: dict[str, str] = {}
        self.agents: dict[str, str] = {}
        """Who asked for each."""
        self.started: dict[str, str] = {}
        """The key of each start."""
        self.steps: list[str] = []
        """As `POST start`, in order."""
        self.results: list[dict[str, Any]] = []
        self.lose: Callable[[str], bool] = lambda _: False
        """Of a step: whether its response is lost. What it does is done."""
        self.outcome: Callable[[dict[str, Any]], str] = lambda _: "pending"
        """Of a new request."""
        self.changed = threading.Condition()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def options(self) -> dict[str, str]:
        return {"url": f"http://127.0.0.1:{self.server_port}", "token": "whc_1"}

    def handle_error(self, *_: Any) -> None:
        """A client that was cancelled has gone."""

    def decide(self, status: str, id: str | None = None) -> None:
        """Of one request, or of all that are pending."""
        with self.changed:
            for row in self.rows.values():
                if row["status"] == "pending" and id in (None, row["id"]):
                    conclude(row, status)
            self.changed.notify_all()

    def wait_for(self, condition: Callable[[], bool], seconds: float = 10) -> None:
        with self.changed:
            if not self.changed.wait_for(condition, seconds):
                raise TimeoutError(f"It did not happen. Steps: {self.steps}")

    def statuses(self) -> list[str]:
        return [row["status"] for row in self.rows.values()]

    def respond(self, method: str, path: str, body: Any, headers: Mapping[str, Any]) -> Reply:
        at = urlsplit(path)
        query = {name: value[0] for name, value in parse_qs(at.query).items()}
        id, what = [*at.path.split("/requests")[1].split("/")[1:], "", ""][:2]
        id = id or self.keys.get(query.get("idempotency_key", ""), "")
        key = headers.get("idempotency-key")
        with self.changed:
            if (method, what) == ("POST", "") and not id:
                return self.create(body, str(key), headers["authorization"])
            row = self.rows.get(id)
            if row is None:
                return refused(404, "not_found")
            if method == "GET":
                seconds = seconds_of(query.get("wait", "0s"))
                self.changed.wait_for(lambda: row["status"] != "pending", seconds)
                return 200, row
            if method == "DELETE":
                if row["status"] == "pending":
                    conclude(row, "cancelled")
                is_cancelled = row["status"] == "cancelled"
                return (200, row) if is_cancelled else refused(409, "already_terminal")
            return self.start(row, key) if what == "start" else self.result(row, body)

    def create(self, body: dict[str, Any], key: str, agent: str) -> Reply:
        is_resumed = body.pop("resume", False)
        for row in self.rows.values():
            is_open = row["status"] == "pending" or (
                row["status"] == "approved" and row["id"] not in self.started
            )
            names = ("tool", "server", "arguments")
            is_equal = all(row.get(name) == body.get(name) for name in names)
            is_own = self.agents[row["id"]] == agent
            if self.keys.get(key) == row["id"] or all((is_resumed, is_open, is_equal, is_own)):
                return 200, row
        now = datetime.now(timezone.utc)
        now = now.replace(microsecond=now.microsecond // 1_000 * 1_000)
        row = {"id": str(uuid.uuid4()), **body, "status": "pending", "created_at": instant(now)}
        row["deadline_at"] = instant(now + timedelta(seconds=seconds_of(body["timeout"])))
        self.rows[row["id"]] = row
        self.keys[key], self.agents[row["id"]] = row["id"], agent
        outcome = self.outcome(row)
        if outcome != "pending":
            conclude(row, outcome)
        return 201, row

    def start(self, row: dict[str, Any], key: str | None) -> Reply:
        if row["status"] != "approved":
            return refused(409, "not_approved")
        if self.started.setdefault(row["id"], key or "") != key:
            return refused(409, "already_started")
        return 200, {"id": row["id"], "started_at": instant(datetime.now(timezone.utc))}

    def result(self, row: dict[str, Any], body: dict[str, Any]) -> Reply:
        if row["id"] not in self.started:
            return refused(409, "not_started")
        self.results.append({"id": row["id"], **body})
        return 204, None


def conclude(row: dict[str, Any], status: str) -> None:
    now = datetime.now(timezone.utc)
    row["status"] = status
    row["decision"] = {"status": status, "decided_at": instant(now)}
    if status == "approved":
        row["decision"]["expires_at"] = instant(now + timedelta(minutes=5))


def refused(status: int, code: str) -> Reply:
    return status, {"error": {"code": code, "message": code}}


class Handler(BaseHTTPRequestHandler):
    server: Service
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        pass

    def handle_call(self) -> None:
        length = int(self.headers.get("content-length", 0))
        body = json.loads(self.rfile.read(length) or b"null")
        path = urlsplit(self.path).path.split("/")
        step = f"{self.command} {path[-1] if len(path) == _PARTS_OF_STEP else ''}".strip()
        status, reply = self.server.respond(self.command, self.path, body, self.headers)
        with self.server.changed:
            self.server.steps.append(step)
            self.server.changed.notify_all()
        if self.server.lose(step):
            self.close_connection = True
            return
        text = b"" if reply is None else json.dumps(reply).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = do_DELETE = handle_call
