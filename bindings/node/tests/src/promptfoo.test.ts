// The assertion for Promptfoo, called as Promptfoo calls it; the project `promptfoo` runs it inside the real package.
import { expect, it } from "vitest";
import toolCalls from "rightcall/promptfoo";

const find = { name: "find_order", args: { id: 7 } };

it("judges calls, and JSON text of calls", () => {
  expect(toolCalls([find], { vars: { expected: [find] } })).toMatchObject({ pass: true, score: 1 });
  const { pass, score, reason } = toolCalls(JSON.stringify([find]), { config: { expected: [find, "refund"], threshold: 0.7 } });
  expect([pass, score]).toEqual([false, 2 / 3]);
  expect(reason).toContain("missed");
});

it("reads the calls of providers", () => {
  const openai = [{ id: "call_1", type: "function", function: { name: "find_order", arguments: '{"id": 7}' } }];
  expect(toolCalls(openai, { config: { expected: [find] } })).toMatchObject({ pass: true });
  const anthropic = `I shall look.\n\n${JSON.stringify({ type: "tool_use", id: "toolu_1", name: "find_order", input: { id: 7 } })}`;
  expect(toolCalls(anthropic, { config: { expected: [find] } })).toMatchObject({ pass: true });
});

it("never passes without a score", () => {
  const judged = toolCalls([{ name: "find_order" }], { config: { expected: [find] } });
  expect(judged).toMatchObject({ pass: false, score: 0, reason: expect.stringContaining("no score") });
  expect(() => toolCalls([find], {})).toThrow("nothing is expected");
  expect(() => toolCalls("I found it.", { config: { expected: [find] } })).toThrow("no tool calls in the output");
});
