// Calls that could not be parsed never count in a score: each shape through each interface.
import { describe, expect, it } from "vitest";
import { CaseError, evaluate, explain, score } from "rightcall";
import { toolCallAccuracy } from "rightcall/evalite";
import { toolCallAccuracy as packageAccuracy } from "rightcall/package/evalite";
import promptfoo from "rightcall/promptfoo";

import { later, shapes, unread, without } from "./shapes.js";

const expected = [{ name: "find", args: { id: 7 } }];
const expectedCalls = [{ toolName: "find", input: { id: 7 } }];

/** The score of calls through each interface. */
const doors: Record<string, (actual: object) => Promise<number>> = {
  evaluate: async (actual) => evaluate("trajectory", { expected, actual }).score!,
  "evaluate, expected": async (actual) => evaluate("trajectory", { expected: actual, actual: expected }).score!,
  explain: async (actual) => Number(explain("trajectory", { expected, actual }).includes("1 of 1 expected calls matched")),
  score: async (actual) => {
    const { results, totals } = await score([{ expected, actual }], ["trajectory"]);
    expect(totals.unreadable).toBe(totals.problems.length);
    if (totals.problems.length > 0) throw totals.problems[0];
    return results[0]!.score!;
  },
  "the matcher": async (actual) => {
    await expect(actual).toMatchToolCalls(expected);
    return 1;
  },
  evalite: async (actual) => (await toolCallAccuracy({ actualCalls: actual as never, expectedCalls })).score,
  "evalite, as its package": async (actual) => (await packageAccuracy({ actualCalls: actual as never, expectedCalls })).score,
  promptfoo: async (actual) => promptfoo(actual, { config: { expected } }).score,
};

/** Expected calls under `toolCalls` are UiPath criteria. */
const isOfRun = (door: string, actual: object) => door === "evaluate, expected" && ("toolCalls" in actual || "tool_calls" in actual);

for (const [door, scoreOf] of Object.entries(doors)) {
  describe(door, () => {
    // The package does not support `args`.
    const others = door === "evalite, as its package" ? ["calls of the AI SDK 4"] : [];
    const read = Object.entries(shapes).filter(([shape, actual]) => !others.includes(shape) && !isOfRun(door, actual));
    it.each(read)("reads %s", async (_, actual) => expect(await scoreOf(actual)).toBe(1));
    it.each(others)("gives for %s what the package gives", async (shape) => expect(await scoreOf(shapes[shape]!)).toBe(0.5));
  });
}

// The other interfaces take one side, or have their own error.
for (const door of ["evaluate", "explain", "evaluate, expected", "score", "the matcher", "evalite", "evalite, as its package"]) {
  describe(door, () => {
    it.each(Object.entries(unread).filter(([, actual]) => !isOfRun(door, actual)))("makes no score of %s", async (_, actual) => {
      const error = await doors[door]!(actual).then(
        (found) => found,
        (error: Error) => error,
      );
      expect(error).toBeInstanceOf(Error);
      expect((error as Error).name).toMatch(/^(CaseError|ReadError)$/);
    });
  });
}

it.each(Object.entries(without))("takes %s for a run without calls", (_, actual) => {
  expect(evaluate("trajectory", { expected, actual }).score).toBe(0);
});

it("waits for a stream where it can, and says so where it cannot", async () => {
  expect((await toolCallAccuracy({ actualCalls: later, expectedCalls })).score).toBe(1);
  await expect(later).toMatchToolCalls(expected);
  expect(() => evaluate("trajectory", { expected, actual: later })).toThrow(CaseError);
  expect(() => evaluate("trajectory", { expected, actual: Promise.resolve([]) })).toThrow("still to come");
});
