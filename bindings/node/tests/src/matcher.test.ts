// `toMatchToolCalls`, registered by the setup file `rightcall/vitest`.
import { generateText, stepCountIs, tool } from "ai";
import { expect, it } from "vitest";
import { z } from "zod";

import { scripted } from "./models.js";

const find = { name: "find_order", args: { id: 7 } };

function messageOf(fails: () => void): string {
  try {
    fails();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("it passes");
}

it("passes for the calls that are expected", () => {
  expect([find, { name: "refund", args: { id: 7 } }]).toMatchToolCalls([find, "refund"]);
  expect([{ type: "tool-call", toolCallId: "1", toolName: "find_order", input: { id: 7 } }]).toMatchToolCalls([find]);
  expect([find]).not.toMatchToolCalls(["refund"]);
});

it("shows the alignment where it fails", () => {
  const message = messageOf(() => expect([{ name: "find_order", args: { id: 8 } }]).toMatchToolCalls([find, "refund"]));
  expect(message).toMatchInlineSnapshot(`
    "expected these tool calls

    trajectory,threshold=1 · score 0.000 · failed (threshold 1)

          expected                                           actual
        1 find_order(id=7)                            ≠    1 find_order(id=8)
             /id   expected 7   found 8
        2 refund                                      –      missed

      0 of 2 expected calls matched; 1 with other arguments; 1 missed
      precision = 0 / 1 = 0.000
      recall = 0 / 2 = 0.000
      f1 = 0.000: precision and recall are zero
    "
  `);
});

it("takes any evaluator, its settings and a threshold", () => {
  const calls = [find, { name: "mail", args: {} }];
  expect(calls).toMatchToolCalls([find, "refund"], { evaluator: "axion/tool-correctness", threshold: 0.5 });
  expect(calls).not.toMatchToolCalls([find, "refund"], { evaluator: "axion/tool-correctness", threshold: 0.6 });
  expect(calls).toMatchToolCalls([find], { mode: "superset" });
  // @ts-expect-error: a setting of another evaluator
  expect(() => expect(calls).toMatchToolCalls([find], { check_parameters: true })).toThrow("check_parameters");
});

it("gives no verdict where there is no score", () => {
  expect(() => expect([{ name: "find_order" }]).not.toMatchToolCalls([find])).toThrow("recorded without `args`");
});

it("takes a result of the AI SDK, with the calls of all its steps", async () => {
  const order = tool({ inputSchema: z.object({ id: z.number() }), execute: async () => "shipped" });
  const result = await generateText({
    model: scripted({ calls: [["order", { id: 7 }]] }, { calls: [["order", { id: 8 }]] }, { text: "Both are shipped." }),
    tools: { order },
    stopWhen: stepCountIs(5),
    prompt: "Where are orders 7 and 8?",
  });
  expect(result).toMatchToolCalls([{ name: "order", args: { id: 7 } }, { name: "order", args: { id: 8 } }]);
});
