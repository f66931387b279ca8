// Compares the drop-ins with the installed packages on random hostile values. Every difference must be documented on the page.
import { inspect, isDeepStrictEqual } from "node:util";
import { expect, it } from "vitest";
import * as agentevals from "rightcall/package/agentevals";
import { toolCallAccuracy } from "rightcall/package/evalite";

import { hostile, outcome } from "./values.js";

// In variables, so that the compiler does not resolve these modules.
const [scorers, trajectories]: string[] = ["evalite/scorers/deterministic", "agentevals"];
const original = (await import(scorers!)).toolCallAccuracy as (options: never) => Promise<{ score: number }>;
const package_ = (await import(trajectories!)) as typeof agentevals;

const CASES = 10_000;

it(`Evalite: ${CASES} cases`, async () => {
  const { random, oneOf, list, value } = hostile(20_261_123);
  const call = (): unknown => {
    if (random() < 0.03) return oneOf<unknown>(null, undefined, 5, 0, "x", "", [], false, true);
    const made: Record<string, unknown> = { toolName: oneOf<unknown>("find", "mail", "", random() < 0.1 ? oneOf<unknown>(1, null, undefined, true) : "find") };
    if (random() < 0.85) made.input = random() < 0.2 ? { id: 7 } : value(3);
    return made;
  };
  const weight = () => oneOf<unknown>(0, 0.1, 0.3, 0.5, 1, 2, "0.5", true, null, "many", undefined, Number.NaN, Infinity, -Infinity, 1n);
  const copy = (it: unknown) => (typeof it === "object" && it !== null ? { ...it } : it);
  const counts = { scored: 0, threw: 0, equal: 0 };
  for (let number = 0; number < CASES; number++) {
    const expectedCalls = list(5, call);
    const actualCalls = list(5, () => (expectedCalls.length > 0 && random() < 0.6 ? copy(oneOf(...expectedCalls)) : call()));
    const options: Record<string, unknown> = { actualCalls, expectedCalls, mode: oneOf("exact", "flexible", undefined) };
    if (random() < 0.3) options.weights = Object.fromEntries(list(3, () => [oneOf("exact", "nameOnly", "extraPenalty", "wrongPenalty"), weight()]));
    const wanted = await outcome(() => original(options as never));
    const found = await outcome(() => toolCallAccuracy(options as never));
    if (wanted.error !== undefined) expect(found.error, inspect(options, { depth: 8 })).toBeDefined();
    else if (!isDeepStrictEqual(found.value, wanted.value)) expect.fail(`${inspect(options, { depth: 8 })}\n${inspect(found, { depth: 8 })}\n${inspect(wanted, { depth: 8 })}`);
    counts.threw += Number(wanted.error !== undefined);
    counts.scored += Number(wanted.error === undefined);
    counts.equal += Number((wanted.value as { score: number } | undefined)?.score === 1);
  }
  // Check that the cases are useful: most have a score, and many a perfect one.
  expect(counts.scored).toBeGreaterThan(CASES * 0.8);
  expect(counts.threw).toBeGreaterThan(CASES * 0.02);
  expect(counts.equal).toBeGreaterThan(CASES * 0.05);
});

it(`agentevals: ${CASES} cases`, async () => {
  const { random, oneOf, list, value } = hostile(20_261_124);
  const args = () => (random() < 0.4 ? oneOf<unknown>({ id: 7 }, { id: 8 }, { id: 7, more: [1] }, {}) : value(2));
  const text = () => {
    try {
      return JSON.stringify(args()) ?? "{}";
    } catch {
      return "{}";
    }
  };
  const call = () => {
    const name = oneOf("find", "mail", "toString");
    if (random() < 0.7) return { id: "c", type: "function", function: { name, arguments: random() < 0.03 ? "{bad" : text() } };
    return random() < 0.9 ? { name, args: args(), id: "c" } : { id: "c", function: { name } };
  };
  type Message = { role: string; content: string; tool_calls?: object[] | null };
  const message = (): Message => {
    const made: Message = { role: oneOf("user", "assistant", "assistant", "tool", "narrator"), content: oneOf("x", "") };
    if ((made.role === "assistant" || random() < 0.05) && random() < 0.8) made.tool_calls = random() < 0.05 ? null : list(2, call);
    return made;
  };
  const copy = (it: Message): Message => ({ ...it, ...(it.tool_calls && { tool_calls: it.tool_calls.map((call) => ({ ...call })) }) });
  const counts = { scored: 0, matched: 0, earlier: 0 };
  for (let number = 0; number < CASES; number++) {
    const reference = list(4, message);
    const outputs = random() < 0.5 ? reference.map(copy) : list(4, () => (reference.length > 0 && random() < 0.6 ? copy(oneOf(...reference)) : message()));
    const options: Record<string, unknown> = {
      trajectoryMatchMode: oneOf("strict", "unordered", "subset", "superset"),
      toolArgsMatchMode: oneOf("exact", "ignore", "subset", "superset", random() < 0.2 ? "odd" : "exact"),
    };
    const rules: unknown[] = ["exact", "ignore", "subset", "superset", ["id"], ["a.b", "id"], async (one?: { id?: unknown }, other?: { id?: unknown }) => one?.id === other?.id];
    if (random() < 0.4) options.toolArgsMatchOverrides = Object.fromEntries(list(2, () => [oneOf("find", "mail"), oneOf(...rules)]));
    const held = (messages: Message[]) => (random() < 0.3 ? { messages } : messages);
    const given = { outputs: random() < 0.02 ? (null as never) : held(outputs), referenceOutputs: held(reference), toolCallArgsExactMatch: random() < 0.5 };
    const older = oneOf("trajectoryStrictMatch", "trajectorySubset", "trajectorySuperset", "trajectoryUnorderedMatch" as const) as "trajectorySubset";
    const doors = [(it: typeof agentevals) => it.createTrajectoryMatchEvaluator(options)(given), (it: typeof agentevals) => it[older](given)];
    for (const door of doors) {
      const wanted = await outcome(() => door(package_));
      const found = await outcome(() => door(agentevals));
      const told = () => inspect({ options, given, wanted, found }, { depth: 8 });
      if (wanted.error !== undefined) expect(found.error, told()).toBeDefined();
      // A documented difference: all pairs with the same name are compared here, while the package may stop before a pair that throws.
      else if (found.error !== undefined) counts.earlier += 1;
      else if (!isDeepStrictEqual(found.value, wanted.value)) expect.fail(told());
      else counts.scored += 1;
      counts.matched += Number((found.value as { score?: unknown } | undefined)?.score === true);
    }
  }
  expect(counts.scored).toBeGreaterThan(CASES * 1.8);
  expect(counts.matched).toBeGreaterThan(CASES / 2);
  expect(counts.earlier).toBeLessThan(CASES / 100);
});
