// Batches keep their length and order for any content.
import { describe, expect, it } from "vitest";
import { CaseError, type Case, ConfigError, Evaluator, score, scoreFile } from "rightcall";

const EVALUATORS = ["trajectory", "uipath/tool-call-order"] as const;

const called = (args: unknown) => ({ expected: ["f"], actual: [{ name: "f", args }] });
const loop: Record<string, unknown> = {};
loop.self = loop;
let deep: unknown = 1;
for (let level = 0; level < 5000; level++) deep = { inner: deep };

/** Invalid cases, with their id if they have one. */
const BAD: [unknown, string?][] = [
  [null],
  [undefined],
  [7],
  ["case"],
  [() => 1],
  [Symbol("case")],
  [[]],
  [new Map()],
  [{ expected: 7, actual: [] }],
  [{ id: "wrong", expected: ["f"], actual: [{ args: {} }] }, "wrong"],
  [{ id: "map", ...called({ x: new Map() }) }, "map"],
  [called(loop)],
  [{ id: "deep", ...called(deep) }, "deep"],
  [{ id: "promise", expected: ["f"], actual: Promise.resolve([]) }, "promise"],
  [{ id: "throws", get actual() { throw new Error("boom"); } }, "throws"],
  [{ id: 7, expected: 7 }],
];

// Every second case has the same id as others.
const good = (number: number): Case => ({
  ...(number % 2 === 1 && { id: "twin" }),
  expected: ["f", "g"],
  actual: [{ name: "fg"[number % 2]!, args: {} }],
});

/** Pseudorandom numbers, the same in every run. */
function random(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48271) % 2147483647) / 2147483647;
}

const DOORS: Record<string, (cases: unknown[]) => Iterable<Case> | AsyncIterable<Case>> = {
  list: (cases) => cases as Case[],
  set: (cases) => new Set(cases.map((it) => it as Case)),
  generator: function* (cases) {
    yield* cases as Case[];
  },
  "asynchronous generator": async function* (cases) {
    for (const it of cases) yield it as Case;
  },
};

describe.each(Object.entries(DOORS))("a %s", (_, given) => {
  it.each(BAD.map((_, place) => place))("keeps its length and order with bad items, one at %i", async (place) => {
    const next = random(place + 1);
    const length = BAD.length + 3;
    const bad = new Map<number, [unknown, string?]>();
    for (let at = 0; at < length; at++) if (at === place || next() < 0.4) bad.set(at, BAD[(at + place) % BAD.length]!);
    const cases = Array.from({ length }, (_, at) => (bad.has(at) ? bad.get(at)![0] : good(at)));
    // A set contains an item only once.
    if (new Set(cases).size < length) return;
    const { results, totals } = await score(given(cases), EVALUATORS, { threads: (place % 3) + 1 });
    expect(results.length).toBe(length * EVALUATORS.length);
    for (let at = 0; at < length; at++) {
      const own = results.slice(at * EVALUATORS.length, (at + 1) * EVALUATORS.length);
      expect(own.map((it) => it.evaluator)).toEqual(EVALUATORS);
      const name = bad.has(at) ? bad.get(at)![1] : (cases[at] as Case).id;
      expect(own.map((it) => it.case)).toEqual([name ?? `cases[${at}]`, name ?? `cases[${at}]`]);
      if (bad.has(at)) {
        expect(own.map((it) => it.outcome)).toEqual(["error", "error"]);
        for (const { reason } of own) expect(reason!.length).toBeLessThan(300);
      } else {
        expect(own.map((it) => it.score)).toEqual(EVALUATORS.map((id) => new Evaluator(id).evaluate(cases[at] as Case).score));
      }
    }
    expect(totals).toMatchObject({ cases: length - bad.size, unreadable: bad.size, duplicates: 0, exit_code: 2 });
    expect(totals.problems.length).toBe(bad.size);
    for (const problem of totals.problems) expect(problem).toBeInstanceOf(CaseError);
  });
});

it("keeps the places of bad items in a large batch, for any number of threads", async () => {
  const cases = Array.from({ length: 3000 }, (_, at) => (at % 500 === 499 ? at : { id: String(at), expected: ["f"], actual: [] }));
  for (const threads of [1, 4]) {
    const { results } = await score(cases as Case[], ["trajectory"], { threads });
    expect(results.map((it) => it.case)).toEqual(cases.map((it, at) => (typeof it === "number" ? `cases[${at}]` : String(at))));
    expect(results.flatMap((it, at) => (it.outcome === "error" ? [at] : []))).toEqual([499, 999, 1499, 1999, 2499, 2999]);
  }
});

it("refuses what holds no cases", async () => {
  for (const cases of [null, undefined, 7, "cases.jsonl", { expected: [], actual: [] }]) {
    await expect(score(cases as never, ["trajectory"])).rejects.toThrow(ConfigError);
  }
  expect(() => scoreFile(7 as never, { evaluators: ["trajectory"] })).toThrow(ConfigError);
});

it("warns of what the command warns of", async () => {
  const cases = [
    { id: "a", expectd: ["f"], expected: ["find_order"], actual: [{ name: "findOrder", args: { id: 1 } }] },
    { id: "b", expected: [{ name: "g", args: { id: 7 } }], actual: [{ name: "g", args: { id: 8 } }] },
  ];
  const evaluators = [
    { evaluator: "trajectory", match: { args: "keys", keys: ["idd"] } },
    { evaluator: "constraints", forbidden: ["find_orders"] },
  ] as const;
  const { results, totals } = await score(cases, evaluators as never);
  expect(results.map((it) => it.outcome)).toEqual([undefined, undefined, "not_applicable", undefined]);
  for (const wanted of [
    "`expectd` is not a key of a case (1 case): its value is not judged (did you mean `expected`?)",
    "a rule names `find_orders`, which no run calls and no case expects (did you mean `findOrder`?)",
    "trajectory: `match.keys` names no argument on either side of 1 case: `idd` (the arguments are `id`)",
    "find_order: expected, but 0 calls; findOrder: 1 call (is a name misspelled?)",
  ]) {
    expect(totals.warnings).toContain(wanted);
  }
  const file = Buffer.from(cases.map((it) => JSON.stringify(it)).join("\n"));
  expect((await scoreFile(file, { evaluators: evaluators as never })).warnings).toEqual(totals.warnings);
  expect((await score([cases[1]!], ["trajectory"])).totals.warnings).toEqual([]);
});
