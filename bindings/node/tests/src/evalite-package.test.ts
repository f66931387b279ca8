// Compares the published package with `rightcall/evalite` on random calls: with the `package` edition, results and metadata are equal.
import { describe, expect, it } from "vitest";
import { toolCallAccuracy } from "rightcall/evalite";

import { randomNumbers } from "./calls.js";

// In a variable, so that the compiler does not resolve this module.
const scorers: string = "evalite/scorers/deterministic";
const original = await import(scorers).then(
  (it) => it.toolCallAccuracy as (options: never) => Promise<unknown>,
  () => undefined,
);
const CASES = 4000;

// Evalite's package supports only one generation of the AI SDK.
describe.skipIf(original === undefined)("random calls", () => {
  const random = randomNumbers(20_261_121);
  const oneOf = <T>(...choices: T[]): T => choices[Math.floor(random() * choices.length)]!;
  const list = <T>(most: number, item: () => T): T[] => Array.from({ length: Math.floor(random() * (most + 1)) }, item);

  const value = (depth: number): unknown =>
    oneOf<() => unknown>(
      () => oneOf(0, 1, -0, 0.1, 2 ** 53, 1e21, 1e-7, -1.5),
      () => oneOf("", "a", "1", "ä", "\ud800", "𝒳"),
      () => oneOf(true, false, null),
      () => (depth > 0 ? list(3, () => value(depth - 1)) : []),
      () => (depth > 0 ? Object.fromEntries(list(3, () => [oneOf("a", "b", "10", "2", "__proto__", "é"), value(depth - 1)])) : {}),
    )();
  const call = () => {
    const made: Record<string, unknown> = { toolName: oneOf("find", "refund", "mail", "") };
    if (random() < 0.85) made.input = random() < 0.5 ? oneOf<unknown>({ id: 7 }, { id: 8 }, { id: 7, more: [1] }) : value(3);
    if (random() < 0.2) made.toolCallId = oneOf("x", "y");
    return made;
  };
  const weight = () => oneOf<unknown>(0, 0.1, 0.3, 0.5, 1, 2, "0.5", true, null, "many", undefined);

  it(`give the same in ${CASES} cases`, async () => {
    let scored = 0;
    for (let number = 0; number < CASES; number++) {
      const expectedCalls = list(6, call);
      // Reuse expected calls to get matches. Clone them, because both sides may contain the same one.
      const actualCalls = list(6, () => (expectedCalls.length > 0 && random() < 0.6 ? structuredClone(oneOf(...expectedCalls)) : call()));
      const options: Record<string, unknown> = { actualCalls, expectedCalls, mode: oneOf("exact", "flexible", undefined) };
      if (random() < 0.4) options.weights = Object.fromEntries(list(3, () => [oneOf("exact", "nameOnly", "extraPenalty", "wrongPenalty"), weight()]));
      const wanted = await original!(options as never);
      const found = await toolCallAccuracy({ ...options, edition: "package" } as never);
      expect(found, JSON.stringify(options)).toStrictEqual(wanted);
      scored += Number((wanted as { score: number }).score > 0);
    }
    expect(scored).toBeGreaterThan(CASES / 4);
  });

  it("hold the caller's own calls", async () => {
    const [made, wanted] = [{ toolName: "find", input: { id: 7 } }, { toolName: "mail" }];
    const { metadata } = await toolCallAccuracy({ actualCalls: [made], expectedCalls: [wanted], mode: "flexible" });
    expect(metadata.details!.extras[0]).toBe(made);
    expect(metadata.details!.missingToolCalls[0]).toBe(wanted);
  });
});
