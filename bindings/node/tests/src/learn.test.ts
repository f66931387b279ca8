// Learning from runs in memory.
import { expect, it } from "vitest";
import { CaseError, ConfigError, evaluate, learn } from "rightcall";

const run = (order: number, ...more: object[]) => [
  { name: "find", args: {}, output: { id: order } },
  ...more,
  { name: "refund", args: { order } },
];

it("expects what runs have in common", () => {
  expect(learn([["find", "verify", "refund"], ["verify", "find", "refund"]])).toEqual([{ any_order: ["find", "verify"], note: "2 of 2 runs" }, "refund"]);
  const expected = learn([run(7), run(8, { name: "verify", args: {} }), run(9)]);
  expect(expected[2]).toEqual({ name: "refund", args: { order: { $var: "id" } } });
  expect(evaluate("fitness", { expected, actual: run(12) }).score).toBe(1);
  const other = [{ name: "find", args: {}, output: { id: 12 } }, { name: "refund", args: { order: 1 } }];
  expect(evaluate("fitness", { expected, actual: other }).score).toBeLessThan(1);
});

it("takes the options of the command", () => {
  expect(learn([["a"], ["a", "a"]], { openRepeats: true })).toEqual([{ repeat: ["a"], min: 1, note: "2 of 2 runs" }]);
  expect(learn([run(7), run(8)], { arguments: "names" })).toEqual(["find", "refund"]);
  expect(learn([])).toEqual([]);
  expect(() => learn([], { noise: 2 })).toThrow(ConfigError);
  expect(() => learn([["a"], { zzz: 1 }])).toThrow(CaseError);
});
