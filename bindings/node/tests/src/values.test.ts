// What JSON cannot hold: refused with its place, or compared by the package's own equality. Never two maps that are equal.
import { describe, expect, it } from "vitest";
import { evaluate, explain, score } from "rightcall";
import { toolCallAccuracyScoreTool } from "rightcall/ai-sdk";
import { toolCallAccuracy } from "rightcall/evalite";
import { toolCallAccuracy as packageAccuracy } from "rightcall/package/evalite";
import { toolCallAccuracyScoreTool as packageTool } from "rightcall/package/tpmjs";

class Secret {
  #value: number;
  constructor(value: number) {
    this.#value = value;
  }
  get value() {
    return this.#value;
  }
}

const refused: [string, () => unknown][] = [
  ["a Map", () => new Map([["a", 1]])],
  ["a Set", () => new Set([1])],
  ["a RegExp", () => /a/],
  ["a function", () => (it: number) => it > 1],
  ["a symbol", () => Symbol("a")],
  ["the matcher Any<Number>", () => expect.any(Number)],
  ["the matcher StringContaining", () => expect.stringContaining("a")],
  ["a Secret", () => new Secret(1)],
  ["a Promise", () => Promise.resolve(1)],
  ["a date that is none", () => new Date(Number.NaN)],
];

const call = (value: unknown) => ({ name: "find", args: { inner: [{ value }] } });

/** Each takes what is expected and what was called. */
const doors: Record<string, (expected: unknown, actual: unknown) => unknown> = {
  evaluate: (expected, actual) => evaluate("trajectory", { expected: [call(expected)], actual: [call(actual)] }).score,
  explain: (expected, actual) => explain("trajectory", { expected: [call(expected)], actual: [call(actual)] }),
  score: (expected, actual) => score([{ expected: [call(expected)], actual: [call(actual)] }], ["trajectory"]),
  "the matcher": (expected, actual) => expect([call(actual)]).toMatchToolCalls([call(expected)]),
  evalite: (expected, actual) => {
    const calls = (value: unknown) => [{ toolName: "find", input: { inner: [{ value }] } }];
    return toolCallAccuracy({ actualCalls: calls(actual), expectedCalls: calls(expected) });
  },
  tpmjs: (expected, actual) => {
    const calls = (value: unknown) => [{ tool: "find", args: { inner: [{ value }] } }];
    return toolCallAccuracyScoreTool.execute({ actual: calls(actual), expected: calls(expected) });
  },
};

for (const [door, judge] of Object.entries(doors)) {
  describe(door, () => {
    it.each(refused)("refuses %s and says where it stands", async (what, made) => {
      const judged = (async () => judge(made(), made()))();
      await expect(judged).rejects.toThrow(`JSON cannot hold ${what}`);
      await expect((async () => judge(1, made()))()).rejects.toThrow("inner/0/value");
    });
  });
}

it("takes dates as their texts, and what is undefined as absent", () => {
  expect(doors.evaluate!(new Date(0), new Date(0))).toBe(1);
  expect(doors.evaluate!(new Date(0), new Date(1))).toBe(0);
  expect(doors.evaluate!({ a: undefined }, {})).toBe(1);
  expect(doors.evaluate!(new Error("a"), new Error("b"))).toBe(0);
});

it("ends with an error where a value holds itself", () => {
  const loop: Record<string, unknown> = {};
  loop.self = loop;
  for (const judge of [doors.evaluate!, doors.explain!]) expect(() => judge(loop, loop)).toThrow("circular");
});

describe("the paths of the packages", () => {
  const evalite = async (expected: unknown, actual: unknown, mode: "exact" | "flexible" = "exact") =>
    (await packageAccuracy({ actualCalls: [{ toolName: "find", input: actual }], expectedCalls: [{ toolName: "find", input: expected }], mode })).score;
  const tpmjs = async (expected: unknown, actual: unknown) =>
    (await packageTool.execute({ expected: [{ tool: "find", args: { value: expected } }], actual: [{ tool: "find", args: { value: actual } }] })).score;

  it("compare as Evalite in exact mode", async () => {
    const map = new Map([["a", 1]]);
    expect(await evalite({ map }, { map })).toBe(1);
    expect(await evalite({ map }, { map: new Map([["a", 1]]) })).toBe(0.5);
    expect(await evalite({ a: undefined }, {})).toBe(0.5);
    expect(await evalite({ a: Number.NaN }, { a: Number.NaN })).toBe(1);
    expect(await evalite({ at: new Date(0) }, { at: new Date(0) })).toBe(1);
    expect(await evalite({ at: new Date(0) }, { at: new Date(0).toISOString() })).toBe(0.5);
    expect(await evalite({ id: 7n }, { id: 7n })).toBe(1);
  });

  it("compare as Evalite in flexible mode, by a text", async () => {
    expect(await evalite({ map: new Map([["a", 1]]) }, { map: new Map([["b", 2]]) }, "flexible")).toBe(1);
    expect(await evalite({ at: new Date(0) }, { at: new Date(0).toISOString() }, "flexible")).toBe(1);
    expect(await evalite({ a: Number.NaN }, { a: null }, "flexible")).toBe(1);
    await expect(evalite({ id: 7n }, { id: 7n }, "flexible")).rejects.toThrow("BigInt");
  });

  it("compare as tpmjs", async () => {
    expect(await tpmjs(new Map([["a", 1]]), new Map([["b", 2]]))).toBe(1);
    expect(await tpmjs(Number.NaN, Number.NaN)).toBe(0);
    expect(await tpmjs(7n, 7n)).toBe(1);
    expect(await tpmjs(undefined, undefined)).toBe(1);
  });

  it("give their own numbers by the import alone", async () => {
    const options = { actualCalls: [{ toolName: "a" }], expectedCalls: [{ toolName: "a" }, { toolName: "b" }] };
    expect((await toolCallAccuracy(options)).score).toBe(0.375);
    expect((await packageAccuracy(options)).score).toBe(0.5);
    const calls = [{ tool: "a", args: {} }];
    expect(await packageTool.execute({ expected: calls, actual: calls })).toHaveProperty("breakdown");
    expect(await toolCallAccuracyScoreTool.execute({ expected: calls, actual: calls })).not.toHaveProperty("breakdown");
  });

  it("hold the caller's own calls", async () => {
    const [wanted, made] = [{ tool: "a", args: { map: new Map() } }, { tool: "a", args: { set: new Set() } }];
    const { breakdown } = await packageTool.execute({ expected: [wanted, wanted], actual: [made] });
    expect(breakdown.incorrectCalls[0]!.expected).toBe(wanted);
    expect(breakdown.incorrectCalls[0]!.actual).toBe(made);
    expect(breakdown.missedCalls[0]!.expected).toBe(wanted);
  });

  it("refuse a name that is no text, with an error that says so", async () => {
    const named = [{ toolName: new Map() as never, input: {} }];
    await expect(packageAccuracy({ actualCalls: named, expectedCalls: named })).rejects.toThrow("a `toolName` is no text");
  });
});
