"""
The SDK for Python, for the list of tests: a line of JSON for each command on stdin, and for each
event on stdout. The argument chooses the client: `asyncio` or `threads`.
"""

import asyncio
import json
import os
import re
import sys
import threading
import time
from concurrent.futures import CancelledError
from decimal import Decimal
from typing import Any

import countersign_sdk as sdk

speaking = threading.Lock()


def say(of: int, event: str, given: Any) -> None:
    with speaking:
        print(json.dumps({"of": of, "event": event, "given": given}, default=plain), flush=True)


def plain(value: Any) -> Any:
    return float(value) if isinstance(value, Decimal) else str(value)


def camel(given: dict[str, Any]) -> dict[str, Any]:
    return {re.sub("_(.)", lambda it: it[1].upper(), name): each for name, each in given.items()}


def snake(given: dict[str, Any]) -> dict[str, Any]:
    return {re.sub("([A-Z])", r"_\1", name).lower(): each for name, each in given.items()}


class RangeError(Exception):
    """Has the name that JavaScript gives it."""


def parking(command: dict[str, Any]) -> dict[str, Any]:
    park = command.get("park")
    return {} if park is None else {"park": park}


class FailingLedger(sdk.MemoryLedger):
    def __init__(self, fails: str) -> None:
        super().__init__()
        setattr(self, fails, self.fail)

    def fail(self, *_: str) -> None:
        raise OSError("the disk is full")


class Commands:
    def __init__(self, kind: str) -> None:
        self.clients: dict[int, Any] = {}
        self.arguments: dict[int, Any] = {}
        self.cancels: dict[int, Any] = {}
        self.threads = kind == "threads"
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()

    def hear(self, command: dict[str, Any]) -> None:
        of, what = command["id"], command["do"]
        if what == "abort":
            self.abort(of, command["target"])
        elif what == "change":
            self.arguments[command["target"]].update(command["members"])
            say(of, "ended", {})
        elif what == "client":
            self.ended(of, lambda: self.make(of, command))
        elif self.threads:
            cancel = threading.Event()
            self.cancels[of] = cancel.set
            threading.Thread(target=self.in_thread, args=(command, cancel), daemon=True).start()
        else:
            asyncio.run_coroutine_threadsafe(self.in_loop(command), self.loop)

    def abort(self, of: int, target: int) -> None:
        def told() -> None:
            self.cancels[target]()
            say(of, "ended", {})

        if self.threads:
            told()
        else:
            # After the task has begun.
            self.loop.call_soon_threadsafe(told)

    def make(self, of: int, command: dict[str, Any]) -> None:
        options, env, hangs = command["options"], command["env"], command.get("hangs")
        ledger = options.pop("ledger", None)
        if ledger is not None:
            is_file = "folder" in ledger
            options["ledger"] = (
                sdk.FileLedger(ledger["folder"]) if is_file else FailingLedger(ledger["fails"])
            )
        for name in [each for each in os.environ if each.startswith("COUNTERSIGN_")]:
            del os.environ[name]
        os.environ.update(env)
        made = sdk.Countersign if self.threads else sdk.AsyncCountersign
        never = time.sleep if self.threads else asyncio.sleep
        if hangs == "load":
            options["ledger"] = sdk.MemoryLedger()
            options["ledger"].load = lambda _: never(1e6)

        def pending(ticket: Any) -> Any:
            if hangs == "onPending":
                return never(1e6)
            return say(of, "pending", camel(ticket.to_dict()))

        self.clients[of] = made(**options, on_pending=pending)

    def in_thread(self, command: dict[str, Any], cancel: threading.Event) -> None:
        def work() -> Any:
            call, given = self.prepare(command)
            more = parking(command)
            if command["do"] not in ("withdraw", "report_tools"):
                more["cancel"] = cancel
            return call(*given, **more)

        self.ended(command["id"], work, cancel.is_set)

    async def in_loop(self, command: dict[str, Any]) -> None:
        of = command["id"]
        try:
            call, given = self.prepare(command)
            task = asyncio.ensure_future(call(*given, **parking(command)))
            self.cancels[of] = task.cancel
            value = await task
        except BaseException as error:
            caught: BaseException = error
            self.ended(of, lambda: throw(caught))
        else:
            self.ended(of, lambda: value)

    def prepare(self, command: dict[str, Any]) -> tuple[Any, list[Any]]:
        of, what = command["id"], command["do"]
        call = getattr(self.clients[command["client"]], what)
        if "ticket" in command:
            ticket = command["ticket"]
            return call, [ticket if isinstance(ticket, str) else snake(ticket)]
        if "report" in command:
            return call, [command["report"]]
        given = snake(command["call"])
        if isinstance(given["arguments"], str):
            given["arguments"] = sdk.JsonText(given["arguments"])
        self.arguments[of] = given["arguments"]
        asked = sdk.ToolCall(**given)

        def fn(arguments: dict[str, Any]) -> str:
            say(of, "ran", arguments)
            if arguments.get("fails"):
                raise RangeError("pay_1 has no 12.5")
            return "ran"

        return call, [asked, fn] if what == "run" else [asked]

    def ended(self, of: int, work: Any, is_stopped: Any = lambda: False) -> None:
        try:
            value = work()
        except (asyncio.CancelledError, CancelledError):
            say(of, "ended", {"failure": {"name": "aborted"}})
        except Exception as error:
            say(of, "ended", {"failure": failure_of(error, is_stopped())})
        else:
            if isinstance(value, sdk.Ticket):
                value = camel(value.to_dict())
            elif isinstance(value, sdk.Approved):
                value = camel(vars(value))
            say(of, "ended", {} if value is None else {"value": value})


def throw(error: BaseException) -> None:
    raise error


def failure_of(error: Exception, is_stopped: bool) -> dict[str, Any]:
    failure: dict[str, Any] = {"name": type(error).__name__, "message": str(error)}
    if isinstance(error, sdk.NotApproved):
        if is_stopped and error.status == "cancelled":
            return {"name": "aborted"}
        failure |= {"name": "NotApproved", "status": error.status, "toModel": error.to_model}
        if error.note is not None:
            failure["note"] = error.note
    if isinstance(error, sdk.Unavailable):
        failure |= {"reason": error.reason, "toModel": error.to_model}
        if error.code is not None:
            failure["refusal"] = {"status": error.http_status, "code": error.code}
    return failure


commands = Commands(sys.argv[1])
for line in sys.stdin:
    commands.hear(json.loads(line))
