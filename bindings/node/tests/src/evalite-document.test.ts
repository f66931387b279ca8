// The examples in Evalite's documentation of `toolCallAccuracy`, with the import changed and a scripted model.
import { generateText, tool } from "ai";
import { expect, it } from "vitest";
import { z } from "zod";
import { toolCallAccuracy } from "rightcall/evalite";

import { scripted } from "./models.js";

const getCalendarEvents = tool({
  description: "Get calendar events",
  inputSchema: z.object({ date: z.string() }),
  execute: async ({ date }) => `A dentist's appointment on ${date}`,
});

it("scores the calls of a result as they are", async () => {
  const result = await generateText({
    model: scripted({ calls: [["getCalendarEvents", { date: "2024-04-27" }]] }),
    prompt: "What is in my calendar today?",
    tools: { getCalendarEvents },
  });
  const scored = await toolCallAccuracy({
    actualCalls: result.toolCalls,
    expectedCalls: [{ toolName: "getCalendarEvents", input: { date: "2024-04-27" } }],
  });
  expect(scored).toEqual({
    name: "Tool Call Accuracy",
    description: "Checks if the tool calls are correct",
    score: 1,
    metadata: { mode: "exact", exactMatches: 1, nameOnlyMatches: 0, wrongOrMissing: 0, totals: { reference: 1, output: 1 } },
  });
});

it("is exact unless told otherwise", async () => {
  const calls = [{ toolName: "getTasks" }, { toolName: "createTask", input: { title: "Water the plants" } }];
  expect((await toolCallAccuracy({ actualCalls: calls, expectedCalls: calls, mode: "exact" })).score).toBe(1);
  const swapped = [calls[1]!, calls[0]!];
  expect((await toolCallAccuracy({ actualCalls: swapped, expectedCalls: calls })).score).toBe(0);
});

it("takes any order in flexible mode", async () => {
  const calls = [{ toolName: "createTask", input: { title: "Water the plants" } }, { toolName: "getTasks" }];
  const { score, metadata } = await toolCallAccuracy({
    actualCalls: calls,
    expectedCalls: [{ toolName: "getTasks" }, { toolName: "createTask", input: { title: "Water the plants" } }],
    mode: "flexible",
  });
  expect(score).toBe(1);
  expect(metadata).toEqual({
    mode: "flexible",
    exactMatches: 2,
    nameOnlyMatches: 0,
    extras: 0,
    missing: 0,
    totals: { reference: 2, output: 2 },
    details: { matches: calls, nameOnlyMatches: [], extras: [], missingToolCalls: [] },
  });
});

it("weighs as it documents", async () => {
  const calls = [{ toolName: "a" }, { toolName: "b" }];
  const of = async (actualCalls: { toolName: string; input?: unknown }[], more: object = {}) =>
    (await toolCallAccuracy({ actualCalls, expectedCalls: calls, ...more })).score;
  expect(await of(calls, { weights: { exact: 0.8 } })).toBe(0.8);
  expect(await of(calls, { weights: { exact: 0.8 }, edition: "package" })).toBe(1);
  expect(await of([{ toolName: "a" }])).toBe(0.375);
  expect(await of([{ toolName: "a" }], { edition: "package" })).toBe(0.5);
  expect(await of([...calls, { toolName: "c" }], { mode: "flexible" })).toBe(0.875);
  expect(await of([{ toolName: "a", input: {} }, { toolName: "b" }])).toBe(1);
});
