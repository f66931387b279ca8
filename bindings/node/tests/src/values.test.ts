// Values that JSON cannot represent: rejected with their place, or compared by the package's own equality. Two different maps are never
// equal.
import { describe, expect, it } from "vitest";
import { calls, CaseError, ConfigError, evaluate, explain, Guard, score } from "rightcall";
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

/** Each function takes the expected and the actual value. */
const doors: Record<string, (expected: unknown, actual: unknown) => unknown> = {
  evaluate: (expected, actual) => evaluate("trajectory", { expected: [call(expected)], actual: [call(actual)] }).score,
  explain: (expected, actual) => explain("trajectory", { expected: [call(expected)], actual: [call(actual)] }),
  score: async (expected, actual) => {
    const { totals } = await score([{ expected: [call(expected)], actual: [call(actual)] }], ["trajectory"]);
    throw totals.problems[0];
  },
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
      await expect(judged).rejects.toThrow(`expected a value that JSON can hold, found ${what}`);
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

it("takes bytes as text in base64, and other arrays of numbers as lists", () => {
  const bytes = new TextEncoder().encode("abc");
  for (const it of [bytes, Buffer.from("abc"), bytes.buffer.slice(0, 3), new DataView(bytes.buffer, 0, 3), new Uint8ClampedArray(bytes)]) {
    expect(doors.evaluate!(it, "YWJj")).toBe(1);
    expect(doors.evaluate!(it, "abc")).toBe(0);
  }
  expect(doors.evaluate!(bytes.subarray(1), "YmM=")).toBe(1);
  expect(doors.evaluate!(new Float64Array([1, 0.5, Number.NaN]), [1, 0.5, 1])).toBe(0);
  expect(doors.evaluate!(new Float64Array([1, 0.5]), [1, 0.5])).toBe(1);
  expect(doors.evaluate!(new BigInt64Array([7n]), [7])).toBe(1);
});

it.each<[string, unknown, string]>([
  ["bytes as arguments", [{ name: "f", args: Buffer.from("{}") }], "/actual/0/args: expected an object or its JSON text, found bytes (decode them first)"],
  ["bytes as a name", ["g", { name: new Uint8Array([102]) }], "/actual/1/name: expected the name of a tool, found bytes"],
  ["a date as a name", [{ name: new Date(0) }], "/actual/0/name: expected the name of a tool, found a Date"],
  ["a date as a call", [new Date(0)], "/actual/0: expected a call, found a Date"],
  ["bytes as a side", Buffer.from("[]"), "/actual: expected calls, found bytes (`calls` reads the bytes of a file)"],
])("refuses %s", async (_, actual, message) => {
  const judged = { expected: ["f"], actual: actual as never };
  expect(() => evaluate("trajectory", judged)).toThrow(message);
  expect(() => evaluate("trajectory", { expected: actual as never, actual: [] })).toThrow(message.replaceAll("actual", "expected"));
  const { results } = await score([judged], ["trajectory"]);
  expect(results[0]!.reason).toContain(message.split(" (")[0]);
  if (!(actual instanceof Uint8Array)) expect(() => calls(actual as never)).toThrow(CaseError);
  expect(() => new Guard([]).admit("f", Buffer.from("{}"))).toThrow("/args: expected an object or its JSON text, found bytes");
});

it("refuses what holds itself and what is nested too deep, with a short pointer", () => {
  const loop: Record<string, unknown> = {};
  loop.self = loop;
  let deep: unknown = 1;
  for (let level = 0; level < 20000; level++) deep = level % 2 ? [deep] : { inner: deep };
  for (const judge of [doors.evaluate!, doors.explain!]) {
    const thrown = (value: unknown) => {
      try {
        return judge(value, value);
      } catch (error) {
        return error as CaseError;
      }
    };
    expect(thrown(loop)).toMatchObject({ name: "CaseError", pointer: "/expected/0/args/inner/0/value/self" });
    expect((thrown(loop) as CaseError).message).toContain("one that holds itself");
    const { name, pointer, message } = thrown(deep) as CaseError;
    expect(name).toBe("CaseError");
    expect(pointer!.split("/").length).toBeLessThan(10);
    expect(message).toContain("levels of nesting");
  }
  // A value that occurs twice is not circular.
  const shared = { a: new Date(0) };
  expect(doors.evaluate!([shared, shared], [{ a: "1970-01-01T00:00:00.000Z" }, { a: "1970-01-01T00:00:00.000Z" }])).toBe(1);
});

it("is an error of ours where a value throws", () => {
  const throwing = { get value() { throw new TypeError("boom"); } };
  expect(() => doors.evaluate!(1, throwing)).toThrow(CaseError);
  expect(() => doors.evaluate!(1, throwing)).toThrow("an error of its own: boom");
  expect(() => evaluate("trajectory", null as never)).toThrow(ConfigError);
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
