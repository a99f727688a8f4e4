"""
Visits each framework. `crash` waits for reviewers until it is killed; `all` prints what happened.
Takes the addresses and the token from its environment.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import edges
from countersign_sdk import AsyncCountersign, Countersign
from frameworks import FAILING_HOOKS, FRAMEWORKS, SYNC, Visit

URL, TOKEN, FOLDER = (os.environ[name] for name in ("URL", "TOKEN", "FOLDER"))
CLAUDE_AT_ONCE = asyncio.Semaphore(2)

Outcome = dict[str, Any]


def visit_of(name: str, scenario: str, course: str = "hold", **more: Any) -> Visit:
    options = {"url": URL, "token": TOKEN, "timeout": "10m", **more.pop("options", {})}
    course = f"{name}: {course} {scenario}"
    return Visit(session=f"{name} {scenario}", course=course, options=options, **more)


async def outcome_of(name: str, visit: Visit, call: Any = None) -> Outcome:
    raised = None
    try:
        if name == "claude":
            async with CLAUDE_AT_ONCE:
                await (call or FRAMEWORKS[name])(visit)
        else:
            await (call or FRAMEWORKS[name])(visit)
    except Exception as error:
        raised = f"{type(error).__name__}: {error}"
    except asyncio.CancelledError:
        raised = "cancelled"
    return {"ran": len(visit.ran), "told": visit.told, "raised": raised}


def folder_of(name: str) -> str:
    folder = os.path.join(FOLDER, name)
    os.makedirs(folder, exist_ok=True)
    return folder


async def crashing(name: str) -> Outcome:
    return await outcome_of(name, visit_of(name, "crash", folder=folder_of(name)))


async def restarted(name: str) -> tuple[Outcome, Outcome]:
    """Goes on where a killed process waited. Its approval counts for five minutes."""
    return await crashing(name), await crashing(name)


async def aborted(name: str) -> Outcome:
    visit = visit_of(name, "abort")
    running = asyncio.ensure_future(outcome_of(name, visit))
    waiting = asyncio.ensure_future(visit.pending.wait())
    await asyncio.wait({running, waiting}, return_when=asyncio.FIRST_COMPLETED)
    running.cancel()
    return await running


async def scenarios(name: str) -> dict[str, Outcome]:
    urls = json.loads(os.environ["PROXIES"])[name]
    wrong = {"url": os.environ["HTML_URL"]}
    unknown = {"token": "whc_0000000000_x"}
    visits = {
        "approve": visit_of(name, "approve", "approve"),
        "deny": visit_of(name, "deny", "deny"),
        "expire": visit_of(name, "expire", options={"timeout": "1s"}),
        "wrong url": visit_of(name, "wrong", "approve", options=wrong),
        "401": visit_of(name, "401", "approve", options=unknown),
        "forged": visit_of(name, "forged", "deny", is_forged=True),
        "killed": visit_of(name, "killed", options={"url": urls["killed"], "limit": "10s"}),
        "restart": visit_of(name, "restart", options={"url": urls["restart"]}),
    }
    outcomes = {each: outcome_of(name, visit) for each, visit in visits.items()}
    if name in SYNC:
        for course in ("approve", "deny"):
            visit = visit_of(name, f"sync {course}", course)
            outcomes[f"sync {course}"] = outcome_of(name, visit, SYNC[name])
    outcomes["abort"] = aborted(name)
    # Before all others, of which a busy machine runs few at once.
    after_crash = asyncio.ensure_future(restarted(name))
    done = dict(zip(outcomes, await asyncio.gather(*outcomes.values()), strict=True))
    done["crash"], done["again"] = await after_crash
    if name == "claude":
        failing = FAILING_HOOKS.items()
        done |= {each: await outcome_of(name, visit_of(name, each), run) for each, run in failing}
    return done


async def edge(attempt: Callable[[], Any], ran: list[Any]) -> Outcome:
    told, raised = [], None
    try:
        told = await edges.settled(attempt())
    except Exception as error:
        raised = f"{type(error).__name__}: {error}"
    return {"ran": len(ran), "told": told or [], "raised": raised}


async def refused() -> dict[str, Outcome]:
    options = {"url": URL, "token": TOKEN, "timeout": "10m"}
    ran: list[Any] = []
    attempts = edges.refusals((Countersign(**options), AsyncCountersign(**options)), ran)
    return {what: await edge(attempt, ran) for what, attempt in attempts.items()}


async def shapes() -> dict[str, Outcome]:
    options = {"url": URL, "token": TOKEN, "timeout": "10m"}
    client = AsyncCountersign(**options)
    digits = partial(edges.digits, client)
    attempts = {
        "all kinds": lambda: asyncio.to_thread(edges.all_kinds, Countersign(**options)),
        "tool node": lambda: asyncio.to_thread(edges.tool_node, Countersign(**options)),
        "hook": lambda: edges.hook_names(options),
        "below a decorator": lambda: edges.function_as_tool(client),
        "digits": lambda: digits('{"amount": 9007199254740993.10, "course": "x: approve shapes"}'),
        "no JSON": lambda: digits('{"amount": 1, "amount": 2}'),
        "raise": lambda: digits('{"course": "x: deny shapes"}', on_refusal="raise"),
    }
    return {what: await edge(attempt, []) for what, attempt in attempts.items()}


async def examples() -> dict[str, Outcome]:
    paths = Path(os.environ["EXAMPLES"]).glob("*.py")
    return {path.name: await edge(partial(edges.load, path), []) for path in paths}


async def main() -> None:
    if sys.argv[1] == "crash":
        await asyncio.gather(*(crashing(name) for name in FRAMEWORKS))
        return
    tasks = {name: scenarios(name) for name in FRAMEWORKS}
    tasks |= {"refused": refused(), "shapes": shapes(), "examples": examples()}
    print(json.dumps(dict(zip(tasks, await asyncio.gather(*tasks.values()), strict=True))))


asyncio.run(main())
