"""Google's Agent Development Kit with its own OpenTelemetry, and the session that it keeps."""

import asyncio
import os
from pathlib import Path

from google.adk.agents import Agent
from google.adk.models import BaseLlm, LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import types
from opentelemetry import trace

from shop import PROMPT, RUNS, Script, Shop, harmless, on_a_grid, tracer_provider, write, write_calls, write_otlp

HERE = Path(__file__).parent


class ScriptedModel(BaseLlm):
    script: object

    async def generate_content_async(self, llm_request, stream=False):
        reply = self.script.reply()
        parts = [
            types.Part(function_call=types.FunctionCall(id=call["id"], name=call["name"], args=call["args"]))
            for call in reply.get("calls", [])
        ] or [types.Part(text=reply["text"])]
        yield LlmResponse(content=types.Content(role="model", parts=parts))


def tell_error(tool, args, tool_context, error):
    """Errors go to the model, which would otherwise never hear of them."""
    return {"error": str(error)}


async def converse(shop):
    """Runs the whole scenario in one session, which it gives."""
    script = Script(shop)
    agent = Agent(
        name="shop", model=ScriptedModel(model="scripted", script=script), instruction=PROMPT, tools=shop.tools,
        on_tool_error_callback=tell_error,
    )
    runner = InMemoryRunner(agent, app_name="recorders")
    await runner.session_service.create_session(app_name="recorders", user_id="zoe", session_id="scratched-lamps")
    for number, run in enumerate(RUNS):
        script.begin(number)
        message = types.Content(role="user", parts=[types.Part(text=run["ask"])])
        async for _ in runner.run_async(user_id="zoe", session_id="scratched-lamps", new_message=message):
            pass
    return await runner.session_service.get_session(app_name="recorders", user_id="zoe", session_id="scratched-lamps")


# What the kit's spans hold is up to the environment; these are the files, and the settings that each was recorded with.
SETTINGS = {
    "names.otlp.jsonl": {},
    "trace.otlp.jsonl": {
        "OTEL_SEMCONV_STABILITY_OPT_IN": "gen_ai_latest_experimental",
        "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "SPAN_ONLY",
    },
    "legacy-names.otlp.jsonl": {"ADK_TELEMETRY_SCHEMA_VERSION_OPT_IN": "1", "ADK_CAPTURE_MESSAGE_CONTENT_IN_SPANS": "false"},
    "legacy.otlp.jsonl": {"ADK_TELEMETRY_SCHEMA_VERSION_OPT_IN": "1"},
}


async def main():
    provider, exporter = tracer_provider()
    trace.set_tracer_provider(provider)
    for file, settings in SETTINGS.items():
        os.environ.update(settings)
        shop = Shop()
        session = await converse(shop)
        write_otlp(HERE / file, exporter)
        exporter.clear()
        for name in settings:
            del os.environ[name]
    kept = session.model_dump(mode="json", by_alias=True, exclude_none=True)
    times = on_a_grid(event["timestamp"] for event in kept["events"])
    for event in kept["events"]:
        event["timestamp"] = times[event["timestamp"]] / 1e9
    kept["lastUpdateTime"] = kept["events"][-1]["timestamp"]
    write(HERE / "session.json", [harmless(kept)])
    write_calls(HERE, shop)


asyncio.run(main())
