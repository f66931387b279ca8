"""What all recorders in Python share: the shop's tools, the script of the model, and how a trace is written down.

The tools note what they were really called with and what they really gave. That list, not the trace, becomes `calls.json`.
"""

import asyncio
import json
import random
import re
import socket
from datetime import datetime, timedelta
from pathlib import Path

HERE = Path(__file__).parent
RUNS = json.loads((HERE / "scenario.json").read_text(encoding="utf-8"))
PROMPT = "You work for a shop that sells lamps."


class ServiceAway(Exception):
    """What the refund tool raises when it is called for the first time."""


class Shop:
    """The tools, and the list of what they did."""

    def __init__(self):
        self.ran = []
        self.run = 0
        self.message = 0
        self.refunds = 0

    def says(self, run, message):
        """The model is about to send this message of this run; the calls that follow are its calls."""
        self.run, self.message = run, message

    async def _note(self, name, args, seconds, work):
        entry = {"run": self.run, "message": self.message, "name": name, "args": args}
        self.ran.append(entry)
        # Calls of one message overlap, and those that begin first end last.
        await asyncio.sleep(seconds)
        try:
            entry["output"] = work()
        except ServiceAway as error:
            entry["error"] = str(error)
            raise
        return entry["output"]

    async def find_order(self, order_id: int) -> dict:
        """Finds an order by its number."""
        lines = [{"sku": "LAMP-2", "quantity": 2, "price": 19.95}]
        return await self._note(
            "find_order", {"order_id": order_id}, 0.05, lambda: {"order_id": order_id, "status": "delivered", "lines": lines}
        )

    async def get_policy(self, topic: str, region: str | None) -> str:
        """Gives the shop's policy on a topic."""
        return await self._note("get_policy", {"topic": topic, "region": region}, 0.02, lambda: "30 days – für alle Artikel")

    async def refund(self, order_id: int, lines: list[dict], reason: str) -> dict:
        """Refunds lines of an order."""

        def work():
            self.refunds += 1
            if self.refunds == 1:
                raise ServiceAway("the payment service is away")
            return {"refunded": 39.9, "currency": "EUR"}

        return await self._note("refund", {"order_id": order_id, "lines": lines, "reason": reason}, 0.02, work)

    async def send_email(self, to: str, body: str) -> dict:
        """Sends an email."""
        seconds = 0.05 if to.startswith("zoë") else 0.02
        return await self._note("send_email", {"to": to, "body": body}, seconds, lambda: {"sent": True, "to": to})

    @property
    def tools(self):
        return [self.find_order, self.get_policy, self.refund, self.send_email]


class Script:
    """The scripted model: gives the replies of a run one after another, whatever it is told."""

    def __init__(self, shop):
        self.shop = shop
        self.run = self.next = 0

    def begin(self, run):
        self.run, self.next = run, 0

    def reply(self):
        message, self.next = self.next, self.next + 1
        self.shop.says(self.run, message)
        return RUNS[self.run]["replies"][message]


# What follows writes files down so that they say nothing of the machine and are the same after every recording.

RANDOM = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?<![0-9a-f])(?:[0-9a-f]{32}|[0-9a-f]{24})(?![0-9a-f])")
TRACEBACK = re.compile(r"Traceback \(most recent call last\):\n(?:(?:[ \t].*|During .*|The above .*|Traceback .*)?\n)*")
START = 1_735_689_600_000_000_000  # 2025-01-01


def walked(value, change):
    """The value with every text in it changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [walked(item, change) for item in value]
    if isinstance(value, dict):
        return {key: walked(item, change) for key, item in value.items()}
    return value


def harmless(value, keep=()):
    """The value without stack traces, and with random ids replaced by numbered ones."""
    seen = {}

    def number(match):
        if match[0] in keep:
            return match[0]
        digits = iter(f"{seen.setdefault(match[0], len(seen) + 1):0{len(match[0].replace('-', ''))}x}")
        return "".join("-" if char == "-" else next(digits) for char in match[0])

    return walked(value, lambda text: RANDOM.sub(number, TRACEBACK.sub("", text)))


def on_a_grid(times):
    """A millisecond a step for times that differ, in their order."""
    return {time: START + place * 1_000_000 for place, time in enumerate(sorted(set(times)))}


def write(path, values, indent=None):
    """Writes values one after another, each on a line or indented, unless they tell of the machine."""
    text = "".join(json.dumps(value, ensure_ascii=False, indent=indent) + "\n" for value in values)
    for secret in (socket.gethostname(), str(Path.home()) + "/", str(HERE), "site-packages"):
        assert secret not in text, f"{path.name} holds {secret}"
    path.write_text(text, encoding="utf-8")


def write_calls(folder, shop):
    """Writes what the tools noted."""
    entries = ",\n ".join(json.dumps(entry, ensure_ascii=False) for entry in shop.ran)
    (folder / "calls.json").write_text(f"[{entries}]\n", encoding="utf-8")


def tracer_provider():
    """A provider of tracers with ids from a fixed seed and a resource that names the service alone, and its exporter."""
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
    from opentelemetry.sdk.trace.id_generator import IdGenerator

    class Seeded(IdGenerator):
        def __init__(self):
            self.random = random.Random(1042)

        def generate_span_id(self):
            return self.random.getrandbits(63) + 1

        def generate_trace_id(self):
            return self.random.getrandbits(127) + 1

    exporter = InMemorySpanExporter()
    provider = TracerProvider(resource=Resource({"service.name": "shop"}), id_generator=Seeded())
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    return provider, exporter


def write_otlp(path, exporter):
    """Writes what was exported as OTLP JSON, in the order of export, a trace a line."""
    import base64

    from google.protobuf.json_format import MessageToDict
    from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans

    spans = exporter.get_finished_spans()
    grid = on_a_grid([it for span in spans for it in (span.start_time, span.end_time, *(event.timestamp for event in span.events))])
    hexadecimal = lambda text: base64.b64decode(text).hex()
    requests = []
    for trace in dict.fromkeys(span.context.trace_id for span in spans):
        request = MessageToDict(encode_spans([span for span in spans if span.context.trace_id == trace]))
        for scope in (scope for resource in request["resourceSpans"] for scope in resource["scopeSpans"]):
            for span in scope["spans"]:
                for key in ("traceId", "spanId", "parentSpanId"):
                    if key in span:
                        span[key] = hexadecimal(span[key])
                # The mapping of JSON wants the numbers of enums.
                span["kind"] = {"SPAN_KIND_INTERNAL": 1, "SPAN_KIND_SERVER": 2, "SPAN_KIND_CLIENT": 3}[span["kind"]]
                if "code" in span.get("status", {}):
                    span["status"]["code"] = {"STATUS_CODE_OK": 1, "STATUS_CODE_ERROR": 2}[span["status"]["code"]]
                for timed, keys in ((span, ("startTimeUnixNano", "endTimeUnixNano")), *((event, ("timeUnixNano",)) for event in span.get("events", []))):
                    for key in keys:
                        timed[key] = str(grid[int(timed[key])])
                for link in span.get("links", []):
                    link.update(traceId=hexadecimal(link["traceId"]), spanId=hexadecimal(link["spanId"]))
        requests.append(request)
    traces = {f"{span.context.trace_id:032x}" for span in spans}
    write(path, harmless(requests, keep=traces))


def write_console(path, exporter):
    """Writes what was exported as the console exporter prints it: objects over several lines, one after another."""
    spans = [json.loads(span.to_json()) for span in exporter.get_finished_spans()]
    timed = [it for span in spans for it in (span, *span["events"])]
    keys = ("start_time", "end_time", "timestamp")
    grid = on_a_grid([it[key] for it in timed for key in keys if key in it])
    iso = lambda time: (datetime(1970, 1, 1) + timedelta(microseconds=grid[time] // 1000)).isoformat(timespec="microseconds") + "Z"
    for it in timed:
        it.update({key: iso(it[key]) for key in keys if key in it})
    keep = {it for span in spans for it in span["context"].values()}
    write(path, harmless(spans, keep={it.removeprefix("0x") for it in keep}), indent=4)
