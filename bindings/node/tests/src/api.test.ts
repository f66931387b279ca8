// The package itself: one case, many cases, files, traces, the command line, both module systems.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as rightcall from "rightcall";
import { calls, CaseError, ConfigError, evaluate, Evaluator, type EvaluatorArgument, explain, inspect, learn, ReadError, type Result, RightcallError, score, scoreFile } from "rightcall";

import { root } from "./calls.js";

const cases = path.join(root, "examples/support-agent/cases.jsonl");
const find = { name: "find_order", args: { id: 7 } };
const refund = { name: "refund", args: { id: 7 } };

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(path.join(tmpdir(), "rightcall-"))));
afterAll(() => rm(folder, { recursive: true }));

describe("evaluate", () => {
  it("gives score, verdict and details", () => {
    expect(evaluate({ evaluator: "axion/tool-correctness", check_parameters: true }, { expected: [find, refund], actual: [find] })).toEqual({
      evaluator: "axion/tool-correctness",
      score: 0.5,
      passed: true,
      details: { explanation: "Correctly called: ['find_order']; Missing/incorrect calls: [\"refund({'id': 7})\"]" },
    });
  });

  it("says why there is no score", () => {
    expect(evaluate("evalite/tool-call-accuracy", { expected: [find], actual: [{ name: "find_order" }] })).toMatchObject({
      outcome: "not_applicable",
      reason: "call 1 (`find_order`) was recorded without `args`",
    });
  });

  it("explains", () => {
    const { alignment } = evaluate("trajectory", { expected: [find, refund], actual: [refund] }, { explain: true });
    expect(alignment).toMatchObject({ pairs: [{ expected: 1, actual: 0, grade: "full" }], missed: [0], extra: [] });
    expect(explain("trajectory", { expected: [find], actual: [find] })).toContain("1 of 1 expected calls matched");
  });

  it("refuses what it cannot understand, each with a class of its own", () => {
    // @ts-expect-error: no such evaluator
    expect(() => evaluate("axion/tool-corectness", { expected: [], actual: [] })).toThrow(ConfigError);
    // @ts-expect-error: no such setting
    expect(() => evaluate({ evaluator: "axion/tool-correctness", tresh: 1 }, { expected: [], actual: [] })).toThrow("has no setting `tresh`");
    try {
      evaluate("trajectory", { expected: [find], actual: 5 as never });
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(CaseError);
      expect(error).toMatchObject({ name: "CaseError", pointer: "/actual", help: "if there was no run, leave the key out" });
    }
    const loop: Record<string, unknown> = {};
    loop.self = loop;
    expect(() => evaluate("trajectory", { expected: [{ name: "a", args: loop }], actual: [] })).toThrow(CaseError);
  });

  it("takes a name, an entry or an evaluator, and only a case after it", () => {
    const judged = { expected: [find], actual: [find, refund] };
    const entry = { evaluator: "trajectory", mode: "superset" } as const;
    const made = new Evaluator(entry);
    expect([evaluate("trajectory,mode=superset", judged), evaluate(entry, judged), evaluate(made, judged)].map((it) => it.score)).toEqual([1, 1, 1]);
    expect(explain(made, judged)).toBe(explain(entry, judged));
    const loose = (more: object) => () => evaluate("trajectory", { ...judged, ...more });
    expect(loose({ mode: "superset" })).toThrow('`mode` is a setting, not a part of a case: evaluate({ evaluator: "trajectory", mode: … }, case)');
    expect(loose({ threshold: 1 })).toThrow(ConfigError);
    expect(loose({ explain: true })).toThrow("`explain` is an option");
    expect(loose({ id: "a", question: "Where is it?" })().score).toBeCloseTo(2 / 3);
    expect(() => evaluate("trajectory", [judged] as never)).toThrow("found a list");
  });

  it("keeps what JSON has no word for", () => {
    const of = (one: unknown, other: unknown) =>
      evaluate("trajectory", { expected: [{ name: "a", args: { x: one } }], actual: [{ name: "a", args: { x: other } }] }).score;
    expect(of(12345678901234567890n, 12345678901234567890n)).toBe(1);
    expect(of(12345678901234567890n, 12345678901234567891n)).toBe(0);
    expect(of(Infinity, null)).toBe(0);
    expect(of("\ud800", "\ud800")).toBe(1);
    expect(of("\u0000", "\u0000")).toBe(1);
  });
});

describe("score", () => {
  it("scores cases in memory", async () => {
    const { results, totals } = await score(
      [{ id: "refund-7", expected: ["find_order", "refund"], actual: [find] }, { expected: [refund], actual: [refund] }],
      ["uipath/tool-call-order", { evaluator: "axion/tool-correctness", name: "arguments", check_parameters: true }],
    );
    expect(results.map((it) => [it.case, it.name ?? it.evaluator, it.score])).toEqual([
      ["refund-7", "uipath/tool-call-order", 0.5],
      ["refund-7", "arguments", undefined],
      ["cases[1]", "uipath/tool-call-order", 1],
      ["cases[1]", "arguments", 1],
    ]);
    expect(totals.evaluators.map((it) => it.mean)).toEqual([0.75, 1]);
  });

  it("keeps scores alone on request", async () => {
    const evaluators = [new Evaluator({ evaluator: "axion/tool-correctness", check_parameters: true }), "trajectory"] as const;
    const cases = [{ id: "a", expected: [find, refund], actual: [find] }, { id: "b" }];
    const all = await score(cases, evaluators);
    const kept = await score(cases, evaluators, { keep: "scores" });
    expect(all.results[0]?.details).toBeDefined();
    expect(kept.results).toEqual(all.results.map(({ details: _, ...rest }) => rest));
    expect(kept.totals.evaluators).toEqual(all.totals.evaluators);
    await expect(score(cases, evaluators, { keep: "scores", explain: true })).rejects.toThrow(ConfigError);
    await expect(score(cases, evaluators, { keep: "score" as never })).rejects.toThrow('found "score"');
  });

  it("refuses a wrong evaluator", async () => {
    // @ts-expect-error: no such evaluator
    await expect(score([], ["uipath/tool-call-ordr"])).rejects.toThrow("did you mean `uipath/tool-call-order`?");
    await expect(score([], [])).rejects.toThrow(ConfigError);
  });
});

describe("scoreFile", () => {
  const evaluators = ["uipath/tool-call-order", "trajectory"] as const;
  const all = async (run: AsyncIterable<Result>) => {
    const results = [];
    for await (const result of run) results.push(result);
    return results;
  };

  it("ends as the command would: nothing judged is no success", async () => {
    const ends = async (run: object, evaluator: EvaluatorArgument) => {
      const { totals } = await score([{ id: "a", expected: ["find_order"], ...run }], [evaluator]);
      return [totals.ok, totals.exit_code];
    };
    expect(await ends({ actual: ["find_order"] }, "trajectory,threshold=1")).toEqual([true, 0]);
    expect(await ends({ actual: ["refund"] }, "trajectory,threshold=1")).toEqual([false, 1]);
    expect(await ends({}, "trajectory,threshold=1")).toEqual([false, 2]);
    expect(await ends({}, "trajectory")).toEqual([true, 0]);
  });

  it("gives the results of the command line, and totals", async () => {
    const run = scoreFile(cases, { evaluators, details: true });
    const results = await all(run);
    const totals = await run;
    const { stdout } = await rightcallCommand(["score", cases, "-e", evaluators[0], "-e", evaluators[1], "--format", "jsonl"]);
    expect(results).toEqual(stdout.trimEnd().split("\n").map((line) => JSON.parse(line)));
    expect(totals).toEqual(await scoreFile(cases, { evaluators }));
    expect(totals.cases * 2).toBe(results.length);
  });

  it("takes bytes, packed or not, on any number of threads", async () => {
    const bytes = await readFile(cases);
    const wanted = await scoreFile(cases, { evaluators });
    expect(await scoreFile(bytes, { evaluators, threads: 1 })).toEqual(wanted);
    expect(await scoreFile(new Uint8Array(gzipSync(bytes)), { evaluators, threads: 3 })).toEqual(wanted);
    const [first] = await all(scoreFile(Buffer.from('{"expected":["a"],"actual":[]}'), { evaluators, name: "mine" }));
    expect(first!.case).toBe("mine:1");
  });

  it("joins traces by id", async () => {
    const [expected, traces] = [path.join(folder, "expected.jsonl"), path.join(folder, "runs.jsonl")];
    await writeFile(expected, '{"id":"a","expected":["find_order"]}\n{"id":"b","expected":["refund"]}\n');
    await writeFile(traces, '{"id":"b","actual":[{"name":"refund","args":{}}]}\n{"id":"a","actual":[]}\n');
    const results = await all(scoreFile(expected, { evaluators: ["trajectory"], traces: [traces] }));
    expect(results.map((it) => [it.case, it.score])).toEqual([["a", 0], ["b", 1]]);
  });

  it("shows what spans were asked in explained results alone", async () => {
    const recorded = path.join(root, "examples/recorders/openai-agents/trace.otlp.jsonl");
    const asked = async (explain: boolean) => {
      const results = await all(scoreFile(recorded, { evaluators: ["trajectory"], explain }));
      return results.map((it) => it.input);
    };
    expect((await asked(true))[0]).toMatch(/^Two lamps of order 1042/);
    expect(new Set(await asked(false))).toEqual(new Set([undefined]));
    const joined = path.join(folder, "asked.jsonl");
    const [first] = await all(scoreFile(recorded, { evaluators: ["trajectory"] }));
    await writeFile(joined, JSON.stringify({ id: first!.case, expected: ["find_order"] }));
    const [result] = await all(scoreFile(joined, { evaluators: ["trajectory"], traces: [recorded], explain: true }));
    expect(result!.input).toMatch(/^Two lamps of order 1042/);
  });

  it("tells the runs of one case apart by the keys that are named", async () => {
    const [expected, traces] = [path.join(folder, "one.jsonl"), path.join(folder, "regions.jsonl")];
    const runs = [["gpt", "eu", "find"], ["qwen", "eu", "look"], ["qwen", "us", "find"]];
    const lines = runs.map(([model, region, called]) => ({ id: "a", meta: { model, region }, actual: [{ name: called! }] }));
    await writeFile(expected, '{"id":"a","expected":["find"]}\n');
    await writeFile(traces, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    const options = { evaluators: ["trajectory"] as const, traces: [traces] };
    const results = await all(scoreFile(expected, { ...options, identity: ["region"] }));
    expect(results.map((it) => it.score)).toEqual([1, 0, 1]);
    const totals = await scoreFile(expected, options);
    expect([totals.cases, totals.problems.map((it) => it.message)]).toEqual([2, [expect.stringContaining("is already at")]]);
    const cases = lines.map((line) => ({ ...line, expected: ["find"] }));
    expect((await score(cases, ["trajectory"], { identity: ["region"] })).totals.cases).toBe(3);
    expect((await score(cases, ["trajectory"])).totals).toMatchObject({ cases: 3, duplicates: 0, exit_code: 0 });
  });

  it("goes on after a record that cannot be read, and tells of it", async () => {
    const file = path.join(folder, "bad.jsonl");
    await writeFile(file, '{"id":"a","expected":["x"],"actual":[]}\n{"id":"b",\n{"id":"c","expected":["x"],"actual":5}\n');
    const totals = await scoreFile(file, { evaluators: ["trajectory"] });
    expect([totals.cases, totals.unreadable]).toEqual([1, 2]);
    expect([totals.ok, totals.exit_code]).toEqual([false, 2]);
    expect(totals.problems.map((it) => it.name)).toEqual(["ReadError", "ReadError"]);
    expect(totals.problems[1]).toMatchObject({ file, line: 3, pointer: "/actual" });
  });

  it("refuses a file that is not there, a directory, and wrong options", async () => {
    await expect(scoreFile("no-such-file.jsonl", { evaluators }).then()).rejects.toThrow(ReadError);
    await expect(scoreFile(folder, { evaluators }).then()).rejects.toThrow("is a directory");
    await expect(all(scoreFile(cases, { evaluators, format: "moon" }))).rejects.toThrow(ConfigError);
    // @ts-expect-error: no such option
    await expect(scoreFile(cases, { evaluators, thread: 1 }).then()).rejects.toThrow("found the key `thread`");
  });

  it("ends with its reader", async () => {
    const many = Buffer.alloc(8 << 20, '{"expected":["a"],"actual":[]}\n');
    const run = scoreFile(many, { evaluators });
    for await (const result of run) {
      expect(result.case).toBe("<buffer>:1");
      break;
    }
    await expect(run.then()).rejects.toThrow("ended before all cases were scored");
    await expect(all(run)).rejects.toThrow("have gone by");
  });

  it("closes at once when its reader leaves, and when it is aborted", async () => {
    const many = Buffer.alloc(64 << 20, '{"expected":["a"],"actual":[]}\n');
    const reason = new Error("enough");
    for (const withResults of [false, true]) {
      const controller = new AbortController();
      const run = scoreFile(many, { evaluators, threads: 1, signal: controller.signal });
      const ended = withResults ? all(run) : run.then();
      setTimeout(() => controller.abort(reason), 20);
      await expect(ended).rejects.toBe(reason);
    }
    await expect(scoreFile(many, { evaluators, signal: AbortSignal.abort(reason) }).then()).rejects.toBe(reason);
    const { results } = await score([{ expected: ["a"], actual: [] }], ["trajectory"], { signal: new AbortController().signal });
    expect(results.length).toBe(1);
  });

  it("says how far it is", async () => {
    const bytes = Buffer.alloc(8 << 20, '{"expected":["a"],"actual":[]}\n');
    const told: { cases: number; bytes: number }[] = [];
    const { cases } = await scoreFile(bytes, { evaluators, threads: 1, onProgress: (progress) => void told.push(progress) });
    expect(told.length).toBeGreaterThan(0);
    expect(told.map((it) => it.cases)).toEqual(told.map((it) => it.cases).sort((one, other) => one - other));
    expect(told.at(-1)!.cases).toBeLessThanOrEqual(cases);
    expect(told.at(-1)!.bytes).toBeGreaterThan(0);
  });

  it("holds no worker of Node's pool while it waits", async () => {
    // More runs than the pool has workers, each blocked on a pipe without a writer.
    const pipes = Array.from({ length: 6 }, (_, index) => path.join(folder, `pipe-${index}`));
    await Promise.all(pipes.map((pipe) => promisify(execFile)("mkfifo", [pipe])));
    const runs = pipes.map((pipe) => all(scoreFile(pipe, { evaluators: ["trajectory"] })));
    expect((await readFile(cases)).length).toBeGreaterThan(0);
    // The file is read while all runs are blocked: none of them has ended.
    expect(await Promise.race([Promise.any(runs), Promise.resolve("all wait")])).toBe("all wait");
    for (const pipe of pipes) await writeFile(pipe, '{"expected":["a"],"actual":[{"name":"a"}]}\n');
    expect((await Promise.all(runs)).map((results) => results[0]!.score)).toEqual(pipes.map(() => 1));
  });

  it("leaves the main thread free", async () => {
    const many = Buffer.alloc(4 << 20, '{"expected":["a"],"actual":[]}\n');
    let ticks = 0;
    const timer = setInterval(() => ticks++, 1);
    await scoreFile(many, { evaluators, threads: 1 });
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(0);
  });
});

const one = { expected: ["a"], actual: [] };

it.each<[string, () => unknown, string]>([
  ["a misspelled side of a case", () => evaluate("trajectory", { expectd: ["a"], actual: [] } as never), "found the key `expectd` (did you mean `expected`?)"],
  ["a misspelled option", () => evaluate("trajectory", one, { explan: true } as never), "options: expected explain, found the key `explan`"],
  ["an option of another type", () => evaluate("trajectory", one, { explain: "yes" as never }), 'explain: expected true or false, found "yes"'],
  ["no evaluator", () => evaluate(null as never, one), "evaluator: expected the name of an evaluator or an entry with settings, found null"],
  ["an object in place of a file", () => inspect({} as never), "path: expected the path of a file, found an object"],
  ["a file without options", () => scoreFile("x.jsonl", undefined as never), 'options: expected an object, found undefined (write scoreFile(file, { evaluators: ["trajectory"] }))'],
  ["a file with a list of evaluators", () => scoreFile("x.jsonl", ["trajectory"] as never), "options: expected an object, found a list"],
  ["options without evaluators", () => scoreFile("x.jsonl", {} as never), 'evaluators: expected a list of evaluators, found undefined (write ["trajectory"])'],
  ["threads as a text", () => scoreFile("x.jsonl", { evaluators: ["trajectory"], threads: "3" as never }), 'threads: expected a whole number of 0 or more, found "3"'],
  ["one evaluator without a list", () => score([one], "trajectory" as never), "evaluators: expected a list of evaluators, found "],
  ["a number as an evaluator", () => score([one], ["trajectory", 7] as never), "evaluators[1]: expected the name of an evaluator or an entry with settings, found 7"],
  ["an entry without an evaluator", () => score([one], [{ evaluatr: "trajectory" }] as never), "`evaluator` is missing (write { evaluator:"],
  ["an option of a file for cases", () => score([one], ["trajectory"], { format: "otlp" } as never), "found the key `format`"],
  ["a signal that is none", () => score([one], ["trajectory"], { signal: {} as never }), "signal: expected an AbortSignal, found an object"],
  ["an option of calls", () => calls([], { formt: "otlp" } as never), "options: expected format, map, tools, found the key `formt`"],
  ["runs that are no list", () => learn(7 as never), "runs: expected a list of runs, found 7"],
  ["an option of learn", () => learn([["a"]], { variants: -1 }), "variants: expected a whole number of 0 or more, found -1"],
  ["a generator of calls", () => evaluate("trajectory", { expected: [], actual: (function* () { yield "a"; })() as never }), "/actual: expected a value that JSON can hold, found an iterator, such as a generator (make a list of it: [...it])"],
])("refuses %s", async (_, ask, message) => {
  const thrown: unknown = await (async () => await ask())().then(() => undefined, (error: unknown) => error);
  expect(thrown).toBeInstanceOf(RightcallError);
  expect((thrown as Error).message).toContain(message);
});

it("takes a misspelled side of one case among many for an invalid case", async () => {
  const { results, totals } = await score([one, { id: "b", expectd: ["a"], actual: [] } as never, { expected: ["a"], actul: [] } as never], ["trajectory"]);
  expect(results.map((it) => it.score ?? it.outcome)).toEqual([0, "error", "error"]);
  expect(totals.problems.map((it) => (it as CaseError).help)).toEqual(["did you mean `expected`?", "did you mean `actual`?"]);
  expect([totals.unreadable, totals.exit_code]).toEqual([2, 2]);
});

describe("bad input", () => {
  const deep = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;

  it("is refused however deep it nests, on a small stack too", async () => {
    const code = `
      const { evaluate } = require("rightcall");
      const { parentPort } = require("node:worker_threads");
      let value = [];
      for (let level = 1; level < 505; level++) value = [value];
      const calls = [{ name: "a", args: { value } }];
      parentPort.postMessage(evaluate("trajectory", { expected: calls, actual: calls }).score);
      for (let level = 0; level < 500; level++) value = [value];
      try { evaluate("trajectory", { expected: [{ name: "a", args: { value } }], actual: [] }); } catch (error) { parentPort.postMessage(error.name); }
    `;
    const worker = new Worker(code, { eval: true });
    const messages: unknown[] = [];
    worker.on("message", (it) => messages.push(it));
    expect(await new Promise((done) => worker.on("exit", done))).toBe(0);
    expect(messages).toEqual([1, "CaseError"]);
  });

  it.each([deep(200_000), "\u0000", "\xff\xfe", '{"expected":', "[1,2,3]", "null", '"a"', "{}", `{"expected":${deep(5_000)}}`])(
    "never ends the process: %.20s",
    async (text) => {
      const totals = await scoreFile(Buffer.from(text, "latin1"), { evaluators: ["trajectory"] }).then(
        (it) => it,
        (error: unknown) => error as Error,
      );
      if (totals instanceof Error) expect(totals).toBeInstanceOf(ReadError);
      else expect(totals.unreadable + totals.cases).toBeLessThanOrEqual(3);
    },
  );
});

it("inspects traces", async () => {
  expect(await inspect(cases)).toMatchObject({ format: "cases", trajectories: 42, not_recorded: ["call ids", "times"] });
  await expect(inspect("no-such-file")).rejects.toThrow(ReadError);
});

describe("the command line", () => {
  it("is `npx rightcall`", async () => {
    const suite = path.join(folder, "suite.yaml");
    await writeFile(suite, `cases: ${cases}\nevaluators:\n  - uipath/tool-call-order\ngates:\n  - uipath/tool-call-order: {mean: ">= 0.99", applicable: ">= 50%"}\n`);
    const failed = await rightcallCommand(["run", suite]);
    expect(failed.code).toBe(1);
    expect(failed.stdout).toContain("uipath/tool-call-order");
    expect((await rightcallCommand(["--version"])).stdout).toContain("rightcall 0.1.0");
    expect((await rightcallCommand(["scor"])).code).toBe(2);
  });
});

async function rightcallCommand(args: string[]): Promise<{ code: number; stdout: string }> {
  const command = path.resolve("node_modules/.bin/rightcall");
  expect(existsSync(command)).toBe(true);
  try {
    return { code: 0, ...(await promisify(execFile)(command, args, { cwd: folder })) };
  } catch (error) {
    return error as { code: number; stdout: string };
  }
}

it("is one module, however it is loaded", () => {
  const require = createRequire(import.meta.url);
  const dropIns = ["evalite", "ai-sdk", "agentevals", "package/evalite", "package/tpmjs", "package/agentevals"];
  for (const name of ["matcher", "promptfoo", "braintrust", "mastra", ...dropIns].map((it) => `rightcall/${it}`)) {
    expect(Object.keys(require(name)), name).not.toEqual([]);
  }
  expect(require("rightcall").ConfigError).toBe(rightcall.ConfigError);
});
