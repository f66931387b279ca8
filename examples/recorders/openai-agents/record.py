"""The OpenAI Agents SDK: its own tracing as it is sent to its backend, the instrumentation of OpenInference, and its session."""

import asyncio
import json
from datetime import datetime, timedelta, timezone
from pathlib import Path

import httpx2 as httpx
from agents import Agent, OpenAIResponsesModel, Runner, SQLiteSession, function_tool, set_trace_processors
from agents.tracing.processor_interface import TracingProcessor
from openai import AsyncOpenAI
from openinference.instrumentation.openai_agents import OpenAIAgentsInstrumentor

from shop import PROMPT, RUNS, Script, Shop, harmless, on_a_grid, tracer_provider, walked, write, write_calls, write_otlp

HERE = Path(__file__).parent


def server(script):
    """A client whose requests go nowhere: the script answers them."""

    def answer(request):
        reply = script.reply()
        output = [
            {"type": "function_call", "id": f"fc_{call['id']}", "call_id": call["id"], "name": call["name"], "status": "completed",
             "arguments": json.dumps(call["args"], ensure_ascii=False)}
            for call in reply.get("calls", [])
        ] or [
            {"type": "message", "id": f"msg_{script.run}", "role": "assistant", "status": "completed",
             "content": [{"type": "output_text", "text": reply["text"], "annotations": []}]}
        ]
        response = {
            "id": f"resp_{script.run}_{script.next}", "object": "response", "created_at": 1735689600, "model": "scripted", "output": output,
            "parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "status": "completed",
        }
        return httpx.Response(200, json=response)

    return AsyncOpenAI(api_key="none", http_client=httpx.AsyncClient(transport=httpx.MockTransport(answer)))


class Kept(TracingProcessor):
    """Keeps what the SDK would send to its backend."""

    def __init__(self):
        self.items = []

    def on_trace_start(self, trace):
        self.items.append(trace)

    def on_span_end(self, span):
        self.items.append(span)

    def on_trace_end(self, trace): ...
    def on_span_start(self, span): ...
    def shutdown(self): ...
    def force_flush(self): ...


def on_a_grid_of_iso(items):
    """The items with their times on a grid, as ISO 8601 again."""
    times = [item[key] for item in items for key in ("started_at", "ended_at") if key in item]
    grid = on_a_grid(times)
    iso = lambda time: (datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(microseconds=grid[time] // 1000)).isoformat()
    return walked(items, lambda text: iso(text) if text in grid else text)


async def main():
    provider, exporter = tracer_provider()
    kept = Kept()
    set_trace_processors([kept])
    OpenAIAgentsInstrumentor().instrument(tracer_provider=provider, exclusive_processor=False)
    shop = Shop()
    script = Script(shop)
    tools = [function_tool(tool, strict_mode=False) for tool in shop.tools]
    agent = Agent(name="shop", instructions=PROMPT, model=OpenAIResponsesModel("scripted", server(script)), tools=tools)
    session = SQLiteSession("scratched-lamps")
    for number, run in enumerate(RUNS):
        script.begin(number)
        await Runner.run(agent, run["ask"], session=session)
    items = [item.export() for item in kept.items]
    write(HERE / "trace.jsonl", [{"data": on_a_grid_of_iso(harmless(items))}])
    write(HERE / "items.json", [harmless(await session.get_items())])
    write_otlp(HERE / "trace.otlp.jsonl", exporter)
    write_calls(HERE, shop)


asyncio.run(main())
