// The calls of one run, read from values, from text and from the bytes of files.
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { calls, CaseError, ConfigError, evaluate, ReadError } from "rightcall";

import { traces } from "./pages.js";
import { shapes, unread } from "./shapes.js";

const find = { name: "find", args: { id: 7 } };
const chat = (...made: object[]) => [{ role: "assistant", content: null, tool_calls: made }];
const made = { id: "c", type: "function", function: { name: "find", arguments: '{"id": 7}' } };

it("gives the calls as cases hold them", () => {
  const found = calls([...chat(made), { role: "tool", tool_call_id: "c", content: "shipped" }]);
  expect(found).toEqual([{ name: "find", args: { id: 7 }, id: "c", output: "shipped", turn: 0 }]);
  expect(found.malformed).toEqual([]);
  expect(Array.isArray(found)).toBe(true);
  expect(evaluate("trajectory", { expected: [find], actual: found }).score).toBe(1);
});

it("reads a log of one's own by a map", () => {
  const map = { run: "session", call: { name: "tool", args: "input", output: "result" } };
  const log = Buffer.from('{"session": "r1", "tool": "find", "input": {"id": 7}, "result": "shipped"}\n');
  expect([...calls(log, { map })]).toEqual([{ name: "find", args: { id: 7 }, output: "shipped", turn: 0 }]);
  expect(() => calls(log, { map: { call: { nam: "tool" } } })).toThrow(ReadError);
  expect(() => calls(log, { map, format: "otlp" })).toThrow(ConfigError);
});

it("keeps numbers that a JavaScript number cannot hold", () => {
  const text = '{"id": 1234567890123456789, "low": -9007199254740993, "safe": 9007199254740991, "odd": "\\"id\\": 1234567890123456789, NaN", "half": 0.12345678901234567}';
  const messages = chat({ id: "c", type: "function", function: { name: "find", arguments: text } });
  const args = { id: 1234567890123456789n, low: -9007199254740993n, safe: 9007199254740991, odd: '"id": 1234567890123456789, NaN', half: 0.12345678901234567 };
  for (const source of [messages, JSON.stringify(messages), Buffer.from(JSON.stringify(messages))]) {
    const found = calls(source);
    expect(found[0]!.args).toEqual(args);
    expect(evaluate("trajectory", { expected: [{ name: "find", args: text }], actual: found }).score).toBe(1);
    expect(evaluate("trajectory", { expected: [{ name: "find", args: { ...args, id: 1234567890123456800n } }], actual: found }).score).toBe(0);
  }
  const odd = calls([{ name: "find", args: { not: Number.NaN, above: Infinity, long: 10n ** 40n } }]);
  expect(odd[0]!.args).toEqual({ not: Number.NaN, above: Infinity, long: 10n ** 40n });
  const timed = calls([{ name: "find", args: {}, start: 1764600000000000001n, end: 1764600000000000002n }] as never);
  expect(timed[0]).toMatchObject({ start: expect.any(Number), end: expect.any(Number) });
});

it("keeps arguments that hold no object as their text", () => {
  expect(calls([{ name: "find", arguments: "id = 7" }])[0]!.args).toBe("id = 7");
});

it.each(Object.entries(shapes))("reads %s", (_, source) => {
  const found = calls(source);
  expect(found.map(({ name, args }) => ({ name, args: typeof args === "string" ? JSON.parse(args) : args }))).toEqual([find]);
  expect(found.malformed).toEqual([]);
});

it.each(Object.entries(unread))("refuses %s", (_, source) => {
  expect(() => calls(source)).toThrow(CaseError);
});

it("says what may be calls and was not read", () => {
  const part = { type: "tool_use_v9", payload: { name: "pay", arguments: { id: 9 } } };
  const messages = [{ role: "assistant", content: [{ type: "tool_use", id: "c", name: "find", input: { id: 7 } }, part] }];
  for (const source of [messages, JSON.stringify(messages), Buffer.from(JSON.stringify(messages))]) {
    const { malformed, ...found } = calls(source);
    expect(Object.keys(found)).toEqual(["0"]);
    expect(malformed.length).toBeGreaterThan(0);
    expect(malformed[0]).toMatchObject({ looks: expect.any(String), count: expect.any(Number) });
  }
});

it("says what is wrong, and where", () => {
  expect(() => calls({ a: 1 })).toThrow("expected");
  expect(() => calls([{ name: "find", args: {} }, { args: {} }])).toThrow(expect.objectContaining({ name: "CaseError", pointer: "/1/name" }));
  expect(() => calls(chat(made), { format: "opanai-chat" })).toThrow(ConfigError);
  expect(() => calls(Promise.resolve([]))).toThrow("still to come");
  expect(() => calls(Buffer.from('{"a": 1}'))).toThrow(ReadError);
  for (const nothing of ["", "null", "I do not know.", "{"]) expect(() => calls(nothing), nothing).toThrow(CaseError);
  expect(() => calls([{ role: "user", content: "q" }])).toThrow("expected the calls of one run, found one that was not recorded: nothing of");
});

it("takes one run", () => {
  const two = `${JSON.stringify({ messages: chat(made) })}\n${JSON.stringify({ messages: chat(made) })}\n`;
  expect(() => calls(two)).toThrow("expected the calls of one run, found 2 runs");
  expect(() => calls(Buffer.from(two))).toThrow("<buffer>: expected the calls of one run, found 2 runs");
  expect(() => calls(unread["two runs"]!)).toThrow("one run");
});

it("reads packed bytes, views of them, and the run of a case", () => {
  const packed = gzipSync(JSON.stringify({ messages: chat(made) }));
  expect(calls(packed)).toHaveLength(1);
  const whole = new Uint8Array([32, ...packed, 32]);
  expect(calls(whole.subarray(1, -1))).toHaveLength(1);
  expect(calls(Buffer.from(JSON.stringify({ expected: [], actual: [find] })))).toEqual([find]);
});

it("takes the last of a key that comes twice, and refuses two for one field", () => {
  expect(calls('[{"name": "find", "args": {"id": 8}, "args": {"id": 7}}]')).toEqual([find]);
  expect(() => calls('[{"name": "find", "args": {"id": 8}, "arguments": {"id": 7}}]')).toThrow("under one key");
});

it("takes the tools that the agent had", () => {
  const tools = ["find", { type: "function", function: { name: "pay", parameters: {} } }];
  expect(calls(chat(made), { tools })).toHaveLength(1);
  expect(calls([find], { tools: { find: {} } })).toEqual([find]);
});

describe("the examples of formats", () => {
  const read = (source: object | string) => {
    try {
      return [...calls(source)];
    } catch (error) {
      return (error as Error).constructor === CaseError || (error as Error).constructor === ReadError ? "refused" : error;
    }
  };
  it.each(traces.map((it) => [it.format, it] as const))("%s: bytes, text, value and a named format give the same", (format, { text, value }) => {
    const found = read(Buffer.from(text));
    expect(read(text)).toEqual(found);
    expect(read(value)).toEqual(found);
    if (Array.isArray(found)) {
      expect(found.length).toBeGreaterThan(0);
      expect([...calls(Buffer.from(text), { format })]).toEqual(found);
      expect([...calls(value, { format })]).toEqual(found);
    }
  });
  it("are mostly of one run", () => expect(traces.filter(({ text }) => read(Buffer.from(text)) !== "refused").length).toBeGreaterThan(40));
});
