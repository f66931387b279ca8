// Builders of expectations: each returns the same object as one written by hand, with the intended meaning.
import { describe, expect, it } from "vitest";
import { evaluate } from "rightcall";
import * as build from "rightcall/expect";

describe("builders of expectations", () => {
  it.each<[unknown, unknown]>([
    [build.call("a"), { name: "a" }],
    [build.call("a", {}, { output: null }), { name: "a", args: {}, output: null }],
    [build.sequence("a", "b"), { sequence: ["a", "b"] }],
    [build.anyOrder(["a", "b"], "c"), { any_order: [["a", "b"], "c"] }],
    [build.oneOf("a", []), { one_of: ["a", []] }],
    [build.repeat("a", { min: 0 }), { repeat: "a", min: 0, max: null }],
    [{ ...build.gte(1), ...build.lt(5) }, { $gte: 1, $lt: 5 }],
    [{ id: 7, ...build.rest() }, { id: 7, $rest: "any" }],
  ])("give what is written by hand: %j", (built, written) => expect(built).toEqual(written));

  const fitness = (expected: object[], actual: object[]) => evaluate("fitness", { expected, actual }).score;

  it.each<[string, unknown, unknown, unknown]>([
    ["anything", build.anything(), null, undefined],
    ["eq", build.eq({ a: 1 }), { a: 1 }, { a: 2 }],
    ["ne", build.ne(1), 2, 1],
    ["gt", build.gt(1), 2, 1],
    ["gte", build.gte(1), 1, 0],
    ["lt", build.lt(1), 0, 1],
    ["lte", build.lte(1), 1, 2],
    ["approx", build.approx(1, 0.5), 1.4, 1.6],
    ["ofType", build.ofType("integer"), 2, 2.5],
    ["pattern", build.pattern("^order-"), "order-7", "my order-7"],
    ["contains", build.contains("a"), ["a", "b"], ["b"]],
    ["oneOfValues", build.oneOfValues("a", build.gt(5)), 6, 5],
    ["not", build.not(build.eq(1)), 2, 1],
    ["optionalValue", build.optionalValue(1), undefined, 2],
    ["literal", build.literal({ $gt: 1 }), { $gt: 1 }, 2],
  ])("mean what they say: %s", (_, matcher, right, wrong) => {
    const expected = [build.call("t", { x: matcher })];
    const made = (value: unknown) => [{ name: "t", args: value === undefined ? {} : { x: value } }];
    expect(fitness(expected, made(right))).toBe(1);
    expect(fitness(expected, made(wrong))).toBe(0.5);
  });

  it("hold one value everywhere", () => {
    const expected = [
      build.call("find", undefined, { output: build.variable("id") }),
      build.optional(build.call("pay", { id: build.variable("id") })),
    ];
    const paid = (id: number) => [{ name: "find", args: {}, output: 7 }, { name: "pay", args: { id } }];
    expect(fitness(expected, paid(7))).toBe(1);
    expect(fitness(expected, paid(8))).toBeLessThan(1);
  });
});
