"""Pydantic AI with its own OpenTelemetry and a function as its model; the spans also as the console exporter prints them, and its messages."""

import asyncio
import json
from datetime import datetime, timedelta, timezone
from pathlib import Path

from pydantic_ai import Agent, ModelRetry, models
from pydantic_ai.capabilities import Instrumentation
from pydantic_ai.messages import ModelMessagesTypeAdapter, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.instrumented import InstrumentationSettings

from shop import (
    PROMPT,
    RUNS,
    Script,
    ServiceAway,
    Shop,
    harmless,
    on_a_grid,
    tracer_provider,
    walked,
    write,
    write_calls,
    write_console,
    write_otlp,
)

HERE = Path(__file__).parent
models.ALLOW_MODEL_REQUESTS = False


def stored(messages):
    """Messages as they are kept to go on with, their times on a grid."""
    stored = harmless(json.loads(ModelMessagesTypeAdapter.dump_json(messages)))
    timed = [it for message in stored for it in (message, *message["parts"])]
    grid = on_a_grid([it["timestamp"] for it in timed if it.get("timestamp")])
    iso = lambda time: (datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(microseconds=grid[time] // 1000)).isoformat()
    return walked(stored, lambda text: iso(text) if text in grid else text)


async def main():
    provider, exporter = tracer_provider()
    shop = Shop()
    script = Script(shop)

    def reply(messages, info):
        reply = script.reply()
        calls = [ToolCallPart(call["name"], call["args"], tool_call_id=call["id"]) for call in reply.get("calls", [])]
        return ModelResponse(parts=calls or [TextPart(reply["text"])])

    agent = Agent(
        FunctionModel(reply, model_name="scripted"),
        name="shop",
        system_prompt=PROMPT,
        retries=2,
        capabilities=[Instrumentation(InstrumentationSettings(tracer_provider=provider))],
    )
    for tool in (shop.find_order, shop.get_policy, shop.send_email):
        agent.tool_plain(tool)

    @agent.tool_plain
    async def refund(order_id: int, lines: list[dict], reason: str) -> dict:
        """Refunds lines of an order."""
        try:
            return await shop.refund(order_id, lines, reason)
        except ServiceAway as error:
            raise ModelRetry(str(error)) from error

    history = None
    for number, run in enumerate(RUNS):
        script.begin(number)
        result = await agent.run(run["ask"], message_history=history, conversation_id="scratched-lamps")
        history = result.all_messages()
    write_otlp(HERE / "trace.otlp.jsonl", exporter)
    write_console(HERE / "console.txt", exporter)
    write(HERE / "messages.json", [stored(history)])
    write_calls(HERE, shop)


asyncio.run(main())
