"""LangGraph with the instrumentation of OpenInference, and the messages of the graph at its end."""

import asyncio
from pathlib import Path

from langchain_core.messages import message_to_dict
from openinference.instrumentation.langchain import LangChainInstrumentor

from langchain_graph import converse
from shop import Shop, harmless, tracer_provider, write, write_calls, write_otlp

HERE = Path(__file__).parent


async def main():
    provider, exporter = tracer_provider()
    LangChainInstrumentor().instrument(tracer_provider=provider)
    shop = Shop()
    messages = await converse(shop)
    write_otlp(HERE / "trace.otlp.jsonl", exporter)
    write(HERE / "state.json", harmless([{"messages": [message_to_dict(message) for message in messages]}]))
    write_calls(HERE, shop)


asyncio.run(main())
