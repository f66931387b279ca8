"""LangGraph with the instrumentation of OpenLLMetry."""

import asyncio
from pathlib import Path

from opentelemetry.instrumentation.langchain import LangchainInstrumentor

from langchain_graph import converse
from shop import Shop, tracer_provider, write_calls, write_otlp

HERE = Path(__file__).parent


async def main():
    provider, exporter = tracer_provider()
    LangchainInstrumentor().instrument(tracer_provider=provider)
    shop = Shop()
    await converse(shop)
    write_otlp(HERE / "trace.otlp.jsonl", exporter)
    write_calls(HERE, shop)


asyncio.run(main())
