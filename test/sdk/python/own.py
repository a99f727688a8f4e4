"""
What is of Python only: types of arguments, Ctrl-C, threads, forks and event loops. Every URL is of
the broken server, which follows the protocol here. The name of the tool chooses the outcome.
"""

import _thread
import asyncio
import os
import pickle
import threading
import unittest
import warnings
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum, IntEnum
from pathlib import Path
from typing import Annotated, Any, NamedTuple
from uuid import UUID

from langchain_core.tools import InjectedToolArg
from langgraph.prebuilt import InjectedState, ToolRuntime
from mcp.server.mcpserver import Context
from pydantic import BaseModel
from pydantic_core import to_json

from countersign_sdk import (
    AsyncCountersign,
    Countersign,
    JsonText,
    MemoryLedger,
    NotApproved,
    Ticket,
    ToolCall,
    Unavailable,
)
from countersign_sdk.arguments import parsed, read_once, text_of
from countersign_sdk.gate import gate

count = iter(range(1_000_000))


def call(tool: str = "approve", **more: Any) -> ToolCall:
    given = {"call_id": f"own {os.getpid()} {next(count)}", "arguments": {"amount": 1}, **more}
    return ToolCall(tool=tool, session="own", **given)


def clients(**more: Any) -> tuple[Countersign, AsyncCountersign]:
    return Countersign(limit="2m", **more), AsyncCountersign(limit="2m", **more)


def outcome(work: Callable[[], Any]) -> Any:
    try:
        return work()
    except NotApproved as error:
        return error.status


class Arguments(unittest.TestCase):
    def test_are_written_without_a_change(self) -> None:
        class Color(str, Enum):
            RED = "red"

        class Size(IntEnum):
            BIG = 3

        given = {
            "decimal": Decimal("12.50"),
            "big": 10**5_000 + 1,
            "float": 0.1,
            "minus": -0.0,
            "list": (1, [True, None]),
            "half": "\ud83d",
            "color": Color.RED,
            "size": Size.BIG,
            "ordered": OrderedDict(a=1),
        }
        text, copy = read_once(given, "arguments")
        self.assertEqual(
            text,
            '{"decimal":12.50,"big":1' + "0" * 4_999 + '1,"float":0.1,"minus":-0.0,'
            '"list":[1,[true,null]],"half":"\\ud83d","color":"red","size":3,"ordered":{"a":1}}',
        )
        # A copy of the caller's own types.
        self.assertIs(copy["decimal"], given["decimal"])
        self.assertEqual(copy["list"], (1, [True, None]))
        self.assertIsNot(copy["ordered"], given["ordered"])

    def test_keep_the_type_of_a_named_tuple(self) -> None:
        class Point(NamedTuple):
            x: int
            tags: list[str]

        given = {"a": Point(1, ["b"]), "many": [Point(2, [])]}
        text, copy = read_once(given, "arguments")
        self.assertEqual(text, '{"a":[1,["b"]],"many":[[2,[]]]}')
        self.assertEqual((copy["a"].x, type(copy["many"][0])), (1, Point))
        self.assertIsNot(copy["a"].tags, given["a"].tags)

    def test_that_json_would_change_are_refused(self) -> None:
        loop: dict[str, Any] = {}
        loop["loop"] = loop
        for wrong in [
            *(float("nan"), float("inf"), Decimal("NaN"), Decimal("Infinity"), 1j, b"x"),
            *({1: 2}, {None: 1}, {True: 1}, object(), range(2), loop, date, {float("nan")}),
        ]:
            with self.assertRaises(TypeError):
                text_of({"a": wrong})
        for text in ["[1]", '{"half": "\ud83d"}']:
            with self.assertRaises(TypeError):
                JsonText(text)

    def test_are_written_as_pydantic_does(self) -> None:
        class Level(Enum):
            HIGH = 3

        class Refund(BaseModel):
            when: datetime
            amount: Decimal

        @dataclass
        class Payee:
            name: str

        refund = Refund(when=datetime(2026, 1, 2), amount=Decimal("1.50"))
        for value in [
            *(datetime(2026, 1, 2, 3, 4, 5), datetime(2026, 1, 2, tzinfo=timezone.utc)),
            *(datetime(2026, 1, 2, tzinfo=timezone(timedelta(hours=2))), date(2026, 1, 2)),
            *(time(3, 4), timedelta(days=400, seconds=3661, milliseconds=5), timedelta(0)),
            *(timedelta(seconds=-90), UUID(int=1), Path("/a/b"), Level.HIGH, refund),
            *(Payee("Ada"), {3}, [frozenset("a")]),
        ]:
            text, copy = read_once({"a": value}, "arguments")
            self.assertEqual(text, to_json({"a": value}).decode())
            self.assertEqual(copy, {"a": value})
        self.assertIsNot(read_once({"a": refund}, "arguments")[1]["a"], refund)
        self.assertEqual(text_of({"a": {"y", "x"}}), '{"a":["x","y"]}')

    def test_of_a_text_have_every_digit(self) -> None:
        text = '{"a":12.5,"b":9007199254740993.0,"c":1e400,"d":9007199254740993,"e":1.10,"f":-0}'
        read = parsed(text)
        kinds = {name: type(value).__name__ for name, value in read.items()}
        expected = ["float", "Decimal", "Decimal", "int", "float", "float"]
        self.assertEqual(list(kinds.values()), expected)
        self.assertEqual(read["b"], Decimal("9007199254740993"))
        self.assertEqual(read["d"], 9007199254740993)
        self.assertIsInstance(parsed(f'{{"a":1{"0" * 5_000}}}')["a"], Decimal)


class Depends:
    """As of FastAPI."""


class Gates(unittest.TestCase):
    def test_leave_out_what_a_framework_fills_in(self) -> None:
        client, _ = clients()

        class Desk:
            @gate(client, session=lambda: "own", tool="approve", leave_out=["trace"])
            def pay(
                self,
                amount: int,
                *,
                context: Context[Any, Any],
                state: Annotated[dict[str, Any], InjectedState],
                database: Annotated[object, Depends()],
                trace: object,
                runtime: ToolRuntime[Any, Any] | None = None,
                user: Any = Depends(),  # noqa: B008 -- as in FastAPI
            ) -> Any:
                return amount, context, state, database, trace, user

        desk, thing = Desk(), object()
        user = Depends()
        given = {"context": thing, "state": thing, "database": thing, "trace": thing, "user": user}
        self.assertEqual(desk.pay(3, **given), (3, *given.values()))

    def test_refuse_where_they_decorate_what_json_cannot_hold(self) -> None:
        client, _ = clients()

        class Connection: ...

        # No framework fills it in, so a model could write it, and no reviewer would see it.
        def hidden(a: Annotated[str, InjectedToolArg]) -> None: ...
        def bytes_in(a: bytes) -> None: ...
        def connection(a: Connection) -> None: ...
        def many(a: list[Connection]) -> None: ...
        def missing(a: int) -> None: ...

        for function in (hidden, bytes_in, connection, many):
            with self.assertRaises(TypeError):
                gate(client, session=lambda: "own")(function)
            gate(client, session=lambda: "own", leave_out=["a"])(function)
        for wrong in (["b"], "a"):
            with self.assertRaises(TypeError):
                gate(client, session=lambda: "own", leave_out=wrong)(missing)


class Threads(unittest.TestCase):
    def test_the_function_runs_in_the_thread_of_the_caller_with_its_own_copy(self) -> None:
        client, _ = clients()
        arguments = {"amount": Decimal("12.50"), "list": [1]}
        seen: list[Any] = []
        client.run(
            call(arguments=arguments),
            lambda given: seen.extend([threading.current_thread(), given]),
        )
        self.assertIs(seen[0], threading.current_thread())
        self.assertEqual(str(seen[1]["amount"]), "12.50")
        self.assertIsNot(seen[1]["list"], arguments["list"])

    def test_a_client_can_be_used_while_a_person_is_asked(self) -> None:
        withdrawn: list[bool] = []
        client, _ = clients(on_pending=lambda ticket: withdrawn.append(client.withdraw(ticket)))
        self.assertEqual(outcome(lambda: client.run(call("hold"), print)), "cancelled")
        self.assertEqual(withdrawn, [True])

    def test_cancel_before_the_beginning_asks_no_one(self) -> None:
        client, _ = clients()
        asked, cancel = call("hold"), threading.Event()
        cancel.set()
        self.assertEqual(outcome(lambda: client.ask(asked, cancel=cancel)), "cancelled")
        self.assertIsInstance(outcome(lambda: client.start(asked)), Ticket)

    def test_ctrl_c_withdraws(self) -> None:
        client, _ = clients(
            on_pending=lambda _: threading.Timer(0.2, _thread.interrupt_main).start()
        )
        asked, ran = call("hold"), []
        with self.assertRaises(KeyboardInterrupt):
            client.run(asked, ran.append)
        self.assertEqual((ran, outcome(lambda: client.ask(asked))), ([], "cancelled"))

    def test_many_at_once(self) -> None:
        client, _ = clients(ledger=MemoryLedger())
        ran: list[Any] = []
        one = call(call_id=None)
        threads = [threading.Thread(target=client.run, args=(one, ran.append)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(ran, [{"amount": 1}] * 8)

    def test_a_forked_process_asks_with_a_loop_of_its_own(self) -> None:
        client, _ = clients()
        client.ask(call())
        with warnings.catch_warnings():
            # Python 3.12 warns, as the parent has threads.
            warnings.simplefilter("ignore")
            child = os.fork()
        if child == 0:
            try:
                os._exit(0 if client.run(call(), lambda _: "ran") == "ran" else 1)
            except BaseException:
                os._exit(2)
        _, status = os.waitpid(child, 0)
        self.assertEqual(os.waitstatus_to_exitcode(status), 0)

    def test_async_code_is_refused_before_the_call_runs(self) -> None:
        async def later(_: object) -> None: ...

        client, _ = clients(on_pending=later)
        asked = call("hold")
        with self.assertRaises(TypeError):
            client.run(asked, print)
        self.assertEqual(outcome(lambda: client.ask(asked)), "cancelled")


class Loops(unittest.TestCase):
    def test_one_client_serves_many_loops(self) -> None:
        _, client = clients()

        async def double(given: dict[str, Any]) -> int:
            await asyncio.sleep(0)
            return int(given["amount"]) * 2

        for _ in range(3):
            self.assertEqual(asyncio.run(client.run(call(), double)), 2)
        self.assertEqual(asyncio.run(client.run(call(), len)), 1)

    def test_a_task_that_is_cancelled_again_and_again_withdraws(self) -> None:
        sync, _ = clients()
        asked, pending = call("hold"), threading.Event()
        _, client = clients(on_pending=lambda _: pending.set())

        async def main() -> None:
            task = asyncio.ensure_future(client.run(asked, print))
            while not pending.is_set():  # noqa: ASYNC110 -- set in another thread, too
                await asyncio.sleep(0.01)
            while not task.done():
                task.cancel()
                await asyncio.sleep(0)

        # The loop ends before the service has responded.
        asyncio.run(main())
        self.assertEqual(outcome(lambda: sync.ask(asked)), "cancelled")

    def test_a_timeout_of_the_caller_withdraws(self) -> None:
        sync, _ = clients()
        asked, pending = call("hold"), threading.Event()
        _, client = clients(on_pending=lambda _: pending.set())

        async def main() -> None:
            task = asyncio.ensure_future(client.run(asked, print))
            while not pending.is_set():  # noqa: ASYNC110 -- set in another thread, too
                await asyncio.sleep(0.01)
            await asyncio.wait_for(task, 0.01)

        with self.assertRaises(asyncio.TimeoutError):
            asyncio.run(main())
        self.assertEqual(outcome(lambda: sync.ask(asked)), "cancelled")

    def test_callbacks_and_ledgers_may_be_async(self) -> None:
        keys: dict[str, str] = {}
        asked: list[str] = []

        class Later:
            async def load(self, name: str) -> str | None:
                return keys.get(name)

            async def save(self, name: str, key: str) -> None:
                keys[name] = key

            async def remove(self, name: str) -> None:
                keys.pop(name)

        async def pending(ticket: Ticket) -> None:
            asked.append(f"{len(keys)} {ticket.tool}")
            await client.withdraw(ticket)

        client = AsyncCountersign(limit="2m", ledger=Later(), on_pending=pending)
        ask = client.ask(call("hold", call_id=None))
        self.assertEqual(outcome(lambda: asyncio.run(ask)), "cancelled")
        self.assertEqual((asked, keys), (["1 hold"], {}))


class Values(unittest.TestCase):
    def test_tickets_can_be_kept_as_json(self) -> None:
        client, _ = clients()
        ticket = client.start(call())
        self.assertEqual(Ticket.from_dict(ticket.to_dict()), ticket)
        for wrong in [{}, {"id": ticket.id}, {**ticket.to_dict(), "id": 1}]:
            with self.assertRaises(TypeError):
                client.settle(wrong)
        with self.assertRaises(TypeError):
            client.run({"tool": "approve"}, print)  # type: ignore[arg-type]

    def test_errors_can_be_pickled(self) -> None:
        for error in [
            NotApproved("denied", "No.", "id"),
            Unavailable("refused", "No.", 403, "agent_disabled"),
        ]:
            other = pickle.loads(pickle.dumps(error))
            self.assertEqual((type(other), vars(other)), (type(error), vars(error)))
            self.assertEqual(other.to_model, error.to_model)

    def test_a_proxy_of_the_environment_gets_no_token(self) -> None:
        os.environ["HTTP_PROXY"] = os.environ["ALL_PROXY"] = "http://127.0.0.1:9"
        try:
            client, _ = clients()
            self.assertEqual(client.run(call(), len), 1)
        finally:
            del os.environ["HTTP_PROXY"], os.environ["ALL_PROXY"]


if __name__ == "__main__":
    unittest.main()
