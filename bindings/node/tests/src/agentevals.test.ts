// The drop-in for agentevals' JavaScript package; `peers-tests` runs the package's own tests, and `crosscheck` both side by side.
import { describe, expect, it } from "vitest";
import {
  createTrajectoryMatchEvaluator,
  extractLangGraphTrajectoryFromThread,
  graphTrajectoryStrictMatch,
  trajectoryStrictMatch,
  trajectorySubset,
  trajectorySuperset,
  trajectoryUnorderedMatch,
  type TrajectoryMatchOptions,
} from "rightcall/package/agentevals";
import * as documented from "rightcall/agentevals";

type Calls = [name: string, args: unknown][];

const call = ([name, args]: Calls[number]) => ({ id: "c", type: "function", function: { name, arguments: JSON.stringify(args) } });
const messages = (...turns: Calls[]) => [
  { role: "user", content: "q" },
  ...turns.map((calls) => ({ role: "assistant", content: "", tool_calls: calls.map(call) })),
  { role: "assistant", content: "a" },
];
const match = async (options: TrajectoryMatchOptions, outputs: Calls, reference: Calls) =>
  (await createTrajectoryMatchEvaluator(options)({ outputs: messages(outputs), referenceOutputs: messages(reference) })).score;

const [find, refund]: Calls = [["find", { id: 7 }], ["refund", { id: 7, all: true }]];

describe("trajectories", () => {
  it.each([
    ["strict", [find!, refund!], [refund!, find!], true],
    ["strict", [find!], [find!, refund!], false],
    ["unordered", [find!, refund!], [refund!, find!], true],
    ["unordered", [find!], [find!, refund!], false],
    ["subset", [find!], [find!, refund!], true],
    ["subset", [find!, refund!], [find!], false],
    ["superset", [find!, refund!], [find!], true],
    ["superset", [find!], [find!, refund!], false],
  ] as const)("%s", async (trajectoryMatchMode, outputs, reference, wanted) => {
    expect(await match({ trajectoryMatchMode }, [...outputs], [...reference])).toBe(wanted);
  });

  it("are called as the package calls them", async () => {
    const judged = await createTrajectoryMatchEvaluator({ trajectoryMatchMode: "superset" })({ outputs: [], referenceOutputs: [] });
    expect(judged).toStrictEqual({ key: "trajectory_superset_match", score: true, comment: undefined, metadata: undefined });
    expect(() => createTrajectoryMatchEvaluator({ trajectoryMatchMode: "exact" as never })).toThrow("Invalid trajectory match type");
    const given = { outputs: messages([find!]), referenceOutputs: messages([["find", { id: 8 }]]) };
    expect(await trajectoryStrictMatch(given)).toMatchObject({ key: "trajectory_strict_match", score: true });
    expect(await trajectoryStrictMatch({ ...given, toolCallArgsExactMatch: true })).toMatchObject({ score: false });
    expect(await trajectorySubset(given)).toMatchObject({ key: "trajectory_subset", score: true });
    expect(await trajectorySuperset(given)).toMatchObject({ key: "trajectory_superset", score: true });
    expect(await trajectoryUnorderedMatch(given)).toMatchObject({ key: "trajectory_unordered_match", score: true });
    expect(documented.createTrajectoryMatchEvaluator).toBe(createTrajectoryMatchEvaluator);
  });

  it("differ by who speaks, and by whether calls are listed at all", async () => {
    const judge = createTrajectoryMatchEvaluator();
    const judged = (one: object, other: object) => judge({ outputs: [one], referenceOutputs: [other] }).then((it) => it.score);
    expect(await judged({ role: "narrator" }, { role: "narrator" })).toBe(true);
    expect(await judged({ role: "narrator" }, { role: "assistant" })).toBe(false);
    expect(await judged({ role: "assistant", tool_calls: [] }, { role: "assistant" })).toBe(false);
    expect(await judged({ role: "assistant", tool_calls: null }, { role: "assistant" })).toBe(true);
  });
});

describe("arguments", () => {
  const one = { id: 7, note: null };

  it.each([
    ["exact", one, { id: 7, note: null }, true],
    ["exact", { id: true }, { id: 1 }, false],
    ["exact", { ids: [] }, { ids: {} }, true],
    ["ignore", one, { id: 8 }, true],
    ["subset", { id: 7 }, one, true],
    ["subset", one, { id: 7 }, false],
    ["superset", one, { id: 7 }, true],
    ["superset", { id: 7 }, one, false],
  ] as const)("%s: %j, %j", async (toolArgsMatchMode, made, wanted, does) => {
    expect(await match({ toolArgsMatchMode }, [["find", made]], [["find", wanted]])).toBe(does);
  });

  it("are compared by paths and functions where a tool has its own rule", async () => {
    const outputs: Calls = [["find", { where: { city: "Oslo" }, id: 7 }], ["mail", { to: "ME" }]];
    const reference: Calls = [["find", { where: { city: "Oslo" }, id: 8 }], ["mail", { to: "me" }]];
    const sameLetters = async (a: Record<string, string>, b: Record<string, string>) => a.to!.toLowerCase() === b.to!.toLowerCase();
    expect(await match({ toolArgsMatchOverrides: { find: ["where.city"], mail: sameLetters } }, outputs, reference)).toBe(true);
    expect(await match({ toolArgsMatchOverrides: { find: ["where.city", "id"], mail: "ignore" } }, outputs, reference)).toBe(false);
    expect(await match({ toolArgsMatchMode: "ignore", toolArgsMatchOverrides: { find: "exact" } }, outputs, reference)).toBe(false);
  });

  it("match by a rule that says otherwise from the other side", async () => {
    const isLess = (a: Record<string, number>, b: Record<string, number>) => a.id! < b.id!;
    const options = { toolArgsMatchOverrides: { find: isLess } };
    expect(await match({ ...options, trajectoryMatchMode: "superset" }, [["find", { id: 1 }]], [["find", { id: 2 }]])).toBe(true);
    expect(await match({ ...options, trajectoryMatchMode: "subset" }, [["find", { id: 1 }]], [["find", { id: 2 }]])).toBe(false);
    expect(await match({ ...options, trajectoryMatchMode: "unordered" }, [["find", { id: 1 }]], [["find", { id: 2 }]])).toBe(false);
  });
});

it("takes messages of LangChain.js", async () => {
  const message = (type: string, more: object) => ({ getType: () => type, content: "", ...more });
  const outputs = [message("human", {}), message("ai", { tool_calls: [{ id: "c", name: "find", args: { id: 7 } }] }), message("tool", { tool_call_id: "c" })];
  const referenceOutputs = [{ role: "user" }, { role: "assistant", tool_calls: [call(find!)] }, { role: "tool" }];
  expect((await createTrajectoryMatchEvaluator()({ outputs: { messages: outputs }, referenceOutputs })).score).toBe(true);
});

it("compares the steps of graphs, and finds them in what LangGraph remembers", async () => {
  const thread = {
    async *getStateHistory() {
      yield { values: { key: "done" }, next: [], tasks: [], metadata: { source: "loop" } };
      yield { values: {}, next: ["agent"], tasks: [{ name: "agent" }], metadata: { source: "loop" } };
      yield { values: {}, next: ["__start__"], tasks: [{ name: "__start__", result: { key: "q" } }], metadata: { source: "input" } };
    },
  };
  const { inputs, outputs } = await extractLangGraphTrajectoryFromThread(thread, {});
  expect({ inputs, outputs }).toEqual({ inputs: [{ __start__: { key: "q" } }], outputs: { results: [{ key: "done" }], steps: [["__start__", "agent"]] } });
  const judged = async (steps: string[][]) => (await graphTrajectoryStrictMatch({ outputs, referenceOutputs: { results: [], steps } })).score;
  expect(await judged([["__start__", "agent"]])).toBe(true);
  expect(await judged([["agent", "__start__"]])).toBe(false);
  expect(await judged([["__start__"], ["agent"]])).toBe(false);
});
