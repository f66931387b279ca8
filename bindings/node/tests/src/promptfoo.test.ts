// The assertion for Promptfoo, called as Promptfoo calls it. The project `promptfoo` runs it in the real package.
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
});

it("takes an answer for no proof that nothing was called", () => {
  for (const answer of ["I found it.", "", '{"answer": 42}', [{ type: "text", text: "I found it." }], null, undefined]) {
    for (const expected of [[find], []]) {
      const judged = toolCalls(answer, { vars: { expected } });
      expect(judged, JSON.stringify(answer)).toMatchObject({ pass: false, score: 0, reason: expect.stringContaining("no score: ") });
    }
  }
  const messages = [{ role: "user", content: "Where is it?" }, { role: "assistant", content: "I found it." }];
  expect(toolCalls(messages, { vars: { expected: [] } })).toMatchObject({ pass: true, score: 1 });
  expect(toolCalls([find], { vars: { expected: [] } })).toMatchObject({ pass: false, score: 0 });
});

it("reads what the providers of OpenAI's Responses return", () => {
  const call = { type: "function_call", id: "fc_1", call_id: "call_1", name: "find_order", arguments: '{"id": 7}', status: "completed" };
  const outputs = [
    JSON.stringify(call),
    `I shall look.\n${JSON.stringify(call)}`,
    [call],
    { object: "response", output: [{ type: "message", content: [{ type: "output_text", text: "Wait." }] }, call] },
  ];
  for (const output of outputs) expect(toolCalls(output, { config: { expected: [find] } }), JSON.stringify(output)).toMatchObject({ pass: true });
  const both = `${JSON.stringify(call)}\n${JSON.stringify({ ...call, call_id: "call_2", arguments: '{"id": 8}' })}`;
  expect(toolCalls(both, { config: { expected: [find, { name: "find_order", args: { id: 8 } }] } })).toMatchObject({ pass: true, score: 1 });
});

it("fails where something looks like a call and is not read, and says so", () => {
  const known = { type: "function", function: { name: "find_order", arguments: '{"id": 7}' } };
  const unknown = { type: "tool_use_v9", use: { name: "refund", arguments: { id: 7 } } };
  const judged = toolCalls([known, unknown], { config: { expected: [find] } });
  expect(judged).toMatchObject({ pass: false, score: 0, reason: expect.stringContaining("no score: the run is incomplete") });
  expect(() => toolCalls([known], { config: { expected: 5 } })).toThrow("/expected");
});
