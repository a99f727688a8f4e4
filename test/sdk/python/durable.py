"""Runs of the OpenAI Agents SDK that are kept while a person is asked."""

import asyncio
import unittest
from typing import Any

from agents import (
    Agent,
    RunContextWrapper,
    Runner,
    RunState,
    SQLiteSession,
    function_tool,
    set_tracing_disabled,
)
from agents.testing import ScriptedModel, assistant_message, function_call
from service import Service

from countersign_sdk import AsyncCountersign, Countersign, ToolCall, Unavailable
from countersign_sdk.openai_agents import (
    DurableRunEnd,
    Suspended,
    gate_tool,
    run_durable,
    stream_durable,
)

set_tracing_disabled(True)
CONTEXT = {"conversation": "s"}


def conversation(run: RunContextWrapper[Any]) -> str:
    return str(run.context["conversation"])


class Runs(unittest.IsolatedAsyncioTestCase):
    def setUp(self) -> None:
        self.service = Service()
        self.ran: list[int] = []

    def agent(self, *texts: str, limit: str | None = None, is_durable: bool = True) -> Agent[Any]:
        """As each process makes it. The model calls the tool with the texts, then ends."""

        @function_tool
        async def pay(n: int) -> str:
            self.ran.append(n)
            return f"paid {n}"

        client = AsyncCountersign(**self.service.options, timeout="10m", limit=limit)
        gated = gate_tool(pay, client, session=conversation, durable=is_durable)
        calls = [function_call("pay", text, call_id=f"call_{at}") for at, text in enumerate(texts)]
        turns = [calls] if calls else []
        model = ScriptedModel([*turns, [assistant_message("done")]])
        return Agent(name="Payer", model=model, tools=[gated])

    async def suspended(self, *texts: str) -> Suspended:
        run = await run_durable(self.agent(*texts), "Pay.", context=CONTEXT)
        assert run.suspended
        return run.suspended

    async def resumed(self, state: str, **options: Any) -> Any:
        return await run_durable(self.agent(**options), {"state": state}, context=CONTEXT)

    def outputs(self, run: Any) -> list[str]:
        items = run.result.new_items
        return [str(each.output) for each in items if each.type == "tool_call_output_item"]

    async def test_go_on_in_another_process_when_people_have_decided(self) -> None:
        kept = await self.suspended('{"n": 1}', '{"n": 2}')
        self.assertEqual([each.tool for each in kept.tickets], ["pay", "pay"])
        # No one has decided on the second one.
        self.service.decide("approved", kept.tickets[0].id)
        half = await self.resumed(kept.state)
        self.assertEqual(
            (self.ran, [each.id for each in half.suspended.tickets]), ([1], [kept.tickets[1].id])
        )
        self.service.decide("denied")
        whole = await self.resumed(half.suspended.state)
        self.assertIsNone(whole.suspended)
        self.assertEqual((self.ran, len(self.service.rows)), ([1], 2))
        self.assertIn("denied this call", self.outputs(whole)[-1])
        self.assertEqual([each["outcome"] for each in self.service.results], ["succeeded"])

    async def test_stay_suspended_while_the_service_is_away(self) -> None:
        kept = await self.suspended('{"n": 1}')
        self.service.decide("approved")
        self.service.lose = lambda _: True
        away = await self.resumed(kept.state, limit="1s")
        self.assertEqual((self.ran, away.suspended.tickets), ([], []))
        self.service.lose = lambda _: False
        done = await self.resumed(away.suspended.state)
        self.assertEqual((self.ran, self.outputs(done)), ([1], ["paid 1"]))

    async def test_do_not_lose_their_request_when_the_service_is_back_too_late(self) -> None:
        kept = await self.suspended('{"n": 1}')
        self.service.lose = lambda step: step == "POST"
        away = await self.resumed(kept.state, limit="1s")
        self.assertEqual((away.suspended.tickets, self.service.statuses()), ([], ["pending"]))

    async def test_run_nothing_for_a_state_that_says_it_was_approved(self) -> None:
        kept = await self.suspended('{"n": 1}')
        state = await RunState.from_string(self.agent(), kept.state, context_override=CONTEXT)
        state.approve(state.get_interruptions()[0])
        self.service.decide("denied")
        run = await self.resumed(state.to_string())
        self.assertEqual(self.ran, [])
        self.assertIn("denied this call", self.outputs(run)[0])

    async def test_are_streamed_suspended_and_resumed(self) -> None:
        async def streamed(agent: Agent[Any], input: Any) -> tuple[set[str], DurableRunEnd]:
            types = set()
            async for event in stream_durable(agent, input, context=CONTEXT):
                types.add(event.type)
            assert isinstance(event, DurableRunEnd)
            return types, event

        _, first = await streamed(self.agent('{"n": 1}'), "Pay.")
        assert first.suspended
        self.assertEqual((self.ran, len(first.suspended.tickets)), ([], 1))
        self.service.decide("approved")
        types, last = await streamed(self.agent(), {"state": first.suspended.state})
        self.assertEqual((last.suspended, self.outputs(last)), (None, ["paid 1"]))
        self.assertIn("run_item_stream_event", types)

    async def test_end_with_the_stream(self) -> None:
        self.service.outcome = lambda _: "approved"
        stream = stream_durable(self.agent('{"n": 1}'), "Pay.", context=CONTEXT)
        await anext(stream)
        await stream.aclose()
        await asyncio.sleep(0)
        self.assertEqual(self.ran, [])

    async def test_tell_a_model_that_writes_no_json(self) -> None:
        run = await run_durable(self.agent('{"n": 1'), "Pay.", context=CONTEXT)
        self.assertEqual((self.ran, self.service.statuses(), run.suspended), ([], [], None))
        self.assertIn("no JSON object", self.outputs(run)[0])


class Turns(unittest.IsolatedAsyncioTestCase):
    """Of models that give each call the id `call_0`."""

    def setUp(self) -> None:
        self.service = Service()
        self.ran: list[int] = []

    def agent(self, client: AsyncCountersign, *, is_durable: bool = False) -> Agent[Any]:
        @function_tool
        async def pay(n: int) -> str:
            self.ran.append(n)
            return f"paid {n}"

        tools = [gate_tool(pay, client, session="s", durable=is_durable)]
        call = function_call("pay", '{"n": 1}', call_id="call_0")
        turns = [[call], [assistant_message("done")]] * 4
        return Agent(name="Payer", model=ScriptedModel(turns), tools=tools)

    def client(self) -> AsyncCountersign:
        return AsyncCountersign(**self.service.options)

    async def test_with_an_equal_call_are_asked_about_in_each_run(self) -> None:
        self.service.outcome = lambda _: "approved"
        # As where the provider keeps the history, or it is trimmed.
        agent = self.agent(self.client())
        for _ in range(2):
            await Runner.run(agent, "Pay.")
        self.assertEqual((len(self.ran), len(self.service.rows)), (2, 2))
        # It may have run in the process before. So the model hears that, once.
        agent = self.agent(self.client())
        for _ in range(2):
            await Runner.run(agent, "Pay.")
        self.assertEqual((len(self.ran), len(self.service.rows)), (3, 3))

    async def test_are_known_after_a_restart_where_there_is_a_history(self) -> None:
        self.service.outcome = lambda _: "approved"
        history = SQLiteSession("s")
        for _ in range(3):
            await Runner.run(self.agent(self.client()), "Pay.", session=history)
        self.assertEqual((len(self.ran), len(self.service.rows)), (3, 3))

    async def test_of_a_durable_run_are_the_same_in_another_process(self) -> None:
        history = SQLiteSession("s")
        first = self.client()
        for paid in range(3):
            agent = self.agent(first, is_durable=True)
            kept = (await run_durable(agent, "Pay.", session=history)).suspended
            assert kept
            self.assertEqual(len(self.ran), paid)
            self.service.decide("approved")
            model = ScriptedModel([[assistant_message("done")]])
            other = self.client() if paid % 2 else first
            agent = self.agent(other, is_durable=True).clone(model=model)
            done = await run_durable(agent, {"state": kept.state}, session=history)
            self.assertIsNone(done.suspended)
        self.assertEqual((len(self.ran), len(self.service.rows)), (3, 3))


class Results(unittest.IsolatedAsyncioTestCase):
    async def test_of_a_tool_that_raises_is_that_it_failed_whatever_the_model_reads(self) -> None:
        service = Service()
        service.outcome = lambda _: "approved"
        told: list[str] = []

        def pay(n: int) -> str:
            raise ValueError("n is wrong")

        for more in ({}, {"failure_error_function": lambda _, error: f"own: {error}"}):
            tool = gate_tool(
                function_tool(pay, **more), AsyncCountersign(**service.options), session="s"
            )
            call = function_call("pay", '{"n": 1}', call_id=str(len(told)))
            model = ScriptedModel([[call], [assistant_message("done")]])
            run = await Runner.run(Agent(name="Payer", model=model, tools=[tool]), "Pay.")
            items = run.new_items
            told += [str(each.output) for each in items if each.type == "tool_call_output_item"]
        self.assertRegex(told[0], "An error occurred")
        self.assertEqual(told[1], "own: n is wrong")
        results = [(each["outcome"], each.get("detail")) for each in service.results]
        self.assertEqual(results, [("failed", "ValueError")] * 2)


class Starts(unittest.TestCase):
    def test_withdraw_a_lost_request_unless_it_is_kept(self) -> None:
        for keep, status in ((False, "cancelled"), (True, "pending")):
            service = Service()
            service.lose = lambda step: step == "POST"
            client = Countersign(**service.options, limit="1s")
            call = ToolCall(tool="pay", arguments={}, session="s", call_id="1")
            with self.assertRaises(Unavailable):
                client.start(call, keep=keep)
            self.assertEqual(service.statuses(), [status])


if __name__ == "__main__":
    unittest.main()
