// The AI SDK with its mock model and its telemetry, and the results that it returns.

import { context, trace } from "@opentelemetry/api";
import { JsonTraceSerializer } from "@opentelemetry/otlp-transformer";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-node";
import { generateText, stepCountIs, tool } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { z } from "zod";

const [here, packages] = process.argv.slice(2);
const runs = JSON.parse(fs.readFileSync(path.join(here, "../scenario.json"), "utf8"));

/// What the tools were really called with and really gave: this, not the trace, becomes `calls.json`.
const ran = [];
let now = { run: 0, message: -1 };
let refunds = 0;

const noted = (name, milliseconds, work) => async (args) => {
  const entry = { ...now, name, args: structuredClone(args) };
  ran.push(entry);
  // Calls of one message overlap, and those that begin first end last.
  await new Promise((resolve) => setTimeout(resolve, milliseconds(args)));
  try {
    return (entry.output = work(args));
  } catch (error) {
    entry.error = error.message;
    throw error;
  }
};

const lines = z.array(z.object({ sku: z.string(), quantity: z.number(), price: z.number() }));
const tools = {
  find_order: tool({
    description: "Finds an order by its number.",
    inputSchema: z.object({ order_id: z.number() }),
    execute: noted("find_order", () => 50, ({ order_id }) => ({
      order_id, status: "delivered", lines: [{ sku: "LAMP-2", quantity: 2, price: 19.95 }],
    })),
  }),
  get_policy: tool({
    description: "Gives the shop's policy on a topic.",
    inputSchema: z.object({ topic: z.string(), region: z.string().nullable() }),
    execute: noted("get_policy", () => 20, () => "30 days – für alle Artikel"),
  }),
  refund: tool({
    description: "Refunds lines of an order.",
    inputSchema: z.object({ order_id: z.number(), lines, reason: z.string() }),
    execute: noted("refund", () => 20, () => {
      if (++refunds === 1) throw new Error("the payment service is away");
      return { refunded: 39.9, currency: "EUR" };
    }),
  }),
  send_email: tool({
    description: "Sends an email.",
    inputSchema: z.object({ to: z.string(), body: z.string() }),
    execute: noted("send_email", ({ to }) => (to.startsWith("zoë") ? 50 : 20), ({ to }) => ({ sent: true, to })),
  }),
};

const model = new MockLanguageModelV3({
  modelId: "scripted",
  doGenerate: async () => {
    now = { ...now, message: now.message + 1 };
    const reply = runs[now.run].replies[now.message];
    const count = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0, text: 1, reasoning: 0 };
    return {
      content: reply.calls
        ? reply.calls.map(({ id, name, args }) => ({ type: "tool-call", toolCallId: id, toolName: name, input: JSON.stringify(args) }))
        : [{ type: "text", text: reply.text }],
      finishReason: reply.calls ? { unified: "tool-calls", raw: "tool_calls" } : { unified: "stop", raw: "stop" },
      usage: { inputTokens: count, outputTokens: count },
      response: { id: `response-${now.run}-${now.message}`, timestamp: new Date(1735689600000), modelId: "scripted" },
      warnings: [],
    };
  },
});

let last = 0n;
const exporter = new InMemorySpanExporter();
const provider = new NodeTracerProvider({
  resource: resourceFromAttributes({ "service.name": "shop" }),
  idGenerator: {
    generateTraceId: () => (++last).toString(16).padStart(32, "0"),
    generateSpanId: () => (++last).toString(16).padStart(16, "0"),
  },
  spanProcessors: [new SimpleSpanProcessor(exporter)],
});
provider.register();

const results = [];
let messages = [];
for (const [run, { ask }] of runs.entries()) {
  now = { run, message: -1 };
  messages.push({ role: "user", content: ask });
  const result = await generateText({
    model, tools, messages, stopWhen: stepCountIs(10), maxRetries: 0,
    experimental_telemetry: { isEnabled: true, functionId: "shop", tracer: provider.getTracer("ai") },
  });
  messages = [...messages, ...result.response.messages];
  results.push({ text: result.text, finishReason: result.finishReason, steps: result.steps });
}

// What follows writes files down so that they say nothing of the machine and are the same after every recording.

const harmless = (value) => JSON.parse(JSON.stringify(value, (key, item) =>
  key === "stack" || key === "exception.stacktrace" ? undefined : item instanceof Error ? { name: item.name, message: item.message } : item));

const write = (name, text) => {
  for (const secret of [os.hostname(), os.homedir() + "/", path.resolve(here), path.resolve(packages), "node_modules"]) {
    if (text.includes(secret)) throw new Error(`${name} holds ${secret}`);
  }
  fs.writeFileSync(path.join(here, name), text);
};

const spans = exporter.getFinishedSpans();
const nanos = ([seconds, nanos]) => BigInt(seconds) * 1_000_000_000n + BigInt(nanos);
const times = [...new Set(spans.flatMap((span) => [span.startTime, span.endTime, ...span.events.map((event) => event.time)].map((it) => String(nanos(it)))))];
times.sort((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1));
const grid = new Map(times.map((time, place) => [time, String(1_735_689_600_000_000_000n + BigInt(place) * 1_000_000n)]));
const isMeasured = /(^|\.)(ms|msTo|avg)|PerSecond|InMs|duration/i;
const traces = [...new Set(spans.map((span) => span.spanContext().traceId))];
const requests = traces.map((id) => {
  const bytes = JsonTraceSerializer.serializeRequest(spans.filter((span) => span.spanContext().traceId === id));
  const request = JSON.parse(new TextDecoder().decode(bytes));
  for (const span of request.resourceSpans.flatMap((it) => it.scopeSpans).flatMap((it) => it.spans)) {
    span.attributes = span.attributes.filter(({ key }) => !isMeasured.test(key));
    for (const timed of [span, ...span.events]) {
      for (const key of ["startTimeUnixNano", "endTimeUnixNano", "timeUnixNano"]) if (key in timed) timed[key] = grid.get(timed[key]);
      timed.attributes = timed.attributes.filter(({ key }) => key !== "exception.stacktrace");
    }
  }
  return JSON.stringify(request) + "\n";
});
write("trace.otlp.jsonl", requests.join(""));
write("results.json", `[${results.map((it) => JSON.stringify(harmless(it))).join(",\n")}]\n`);
write("messages.json", JSON.stringify(harmless(messages)) + "\n");
write("calls.json", `[${ran.map((entry) => JSON.stringify(entry)).join(",\n ")}]\n`);
