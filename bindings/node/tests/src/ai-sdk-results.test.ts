// Results of the AI SDK, complete and in parts.
import { generateText, stepCountIs, tool } from "ai";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { z } from "zod";
import { CaseError } from "rightcall";
import { toolCallAccuracy } from "rightcall/evalite";

import { scripted } from "./models.js";

const lookUp = (what: string) =>
  tool({ description: `Look up ${what}`, inputSchema: z.object({ id: z.number() }), execute: async ({ id }) => `${what} ${id}` });

const run = () =>
  generateText({
    model: scripted({ calls: [["order", { id: 7 }]] }, { calls: [["customer", { id: 3 }]] }, { text: "Done." }),
    tools: { order: lookUp("order"), customer: lookUp("customer") },
    stopWhen: stepCountIs(5),
    prompt: "Who ordered order 7?",
  });

const expectedCalls = [
  { toolName: "order", input: { id: 7 } },
  { toolName: "customer", input: { id: 3 } },
];

let warnings = vi.spyOn(process, "emitWarning");
beforeEach(() => void (warnings = vi.spyOn(process, "emitWarning").mockImplementation(() => {})));
afterEach(() => void warnings.mockRestore());

it("takes the calls of all steps of a result, or of its steps", async () => {
  const result = await run();
  expect((await toolCallAccuracy({ actualCalls: result, expectedCalls })).score).toBe(1);
  expect((await toolCallAccuracy({ actualCalls: result.steps, expectedCalls })).score).toBe(1);
  expect(warnings).not.toHaveBeenCalled();
});

it("takes a result whose members are promises", async () => {
  const { steps } = await run();
  const streamed = { steps: Promise.resolve(steps), toolCalls: Promise.resolve([]) };
  expect((await toolCallAccuracy({ actualCalls: streamed, expectedCalls })).score).toBe(1);
});

it("makes no score of a copy that has lost its steps, but of its messages", async () => {
  const result = await run();
  // A result's `toolCalls` before version 7 of the SDK.
  const copy = { ...result, ...{ response: result.response }, steps: undefined, toolCalls: result.steps.at(-1)!.toolCalls };
  const { responseMessages } = result as unknown as { responseMessages?: never };
  await expect(toolCallAccuracy({ actualCalls: { ...copy, responseMessages } as never, expectedCalls })).rejects.toThrow(CaseError);
  const { messages } = result.response;
  expect((await toolCallAccuracy({ actualCalls: responseMessages ?? (messages as never), expectedCalls })).score).toBe(1);
  expect(warnings).not.toHaveBeenCalled();
});

it("explains", async () => {
  const { metadata } = await toolCallAccuracy({
    actualCalls: [{ toolName: "order", input: { id: 8 } }],
    expectedCalls: expectedCalls.slice(0, 1),
    explain: true,
  });
  expect(metadata.alignment!.pairs).toMatchObject([
    { expected: 0, actual: 0, differences: [{ pointer: "/id", expected: 7, found: 8 }] },
  ]);
});
