// A guard decides before each call.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { ConfigError, type Decision, evaluate, Guard, RightcallError, RunStopped } from "rightcall";
import { load } from "rightcall/wasm";

const once = [{ call: "refund", at_most: 1, same: "order", why: "We pay once." }];
const refund = { name: "refund", args: { order: 7 } };

it("refuses a call that a rule forbids, which is then not part of the run", () => {
  const guard = new Guard(["verify before refund", ...once]);
  const refused = guard.admit(refund);
  expect(refused.call).toBeNull();
  expect(refused.sentence).toBe('`refund` may not be called now: it breaks the rule "verify before refund".');
  expect(guard.admit({ name: "verify", args: '{"order": 7}' }).call).toBe(0);
  guard.result(0, { output: { ok: true }, failed: false });
  expect(guard.admit(refund)).toEqual({ call: 1, stopped: false, sentence: "", refusals: [] });
  guard.result(1);
  const [again] = guard.admit(refund).refusals;
  expect([again?.calls, again?.why, again?.violated]).toEqual([[1, 2], "We pay once.", false]);
  expect(guard.verdicts()).toEqual([
    { rule: "verify before refund", verdict: "satisfied" },
    { rule: "at most 1 refund, same order", verdict: "satisfied_so_far" },
  ]);
  const whole = guard.finish();
  expect([whole.score, whole.passed, whole.evaluator]).toEqual([1, true, "constraints"]);
  expect(() => guard.admit(refund)).toThrow("the run is finished");
});

it("takes a call as an object, or as its tool and its arguments", () => {
  const guard = new Guard(once);
  expect(guard.admit("refund", { order: 7 }).call).toBe(0);
  expect(guard.admit("refund", '{"order": 7}').call).toBeNull();
  expect(guard.may("refund", { order: 7 }).length).toBe(1);
  const decision = guard.admit("refund", { order: 8 }, { group: "m" });
  guard.result(decision, { output: "paid" });
  expect(() => guard.result(1, { output: "paid" })).toThrow("already");
  expect(guard.observe("find")).toBe(2);
});

it.each<[string, (guard: Guard) => unknown, string]>([
  ["a call and arguments", (guard) => guard.admit(refund as never, {}), "expected a call alone, found a second argument"],
  ["arguments that are none", (guard) => guard.admit("refund", 7), "/args: expected an object or its JSON text, found the number 7"],
  ["a call without a name", (guard) => guard.admit({ args: {} } as never), "/name: expected the name of a tool, found nothing"],
  ["a group by itself", (guard) => guard.admit("refund", {}, "m" as never), 'options: expected an object, found "m"'],
  ["an output by itself", (guard) => guard.result(0, "paid" as never), "result: expected `{ output, failed }`, found a string"],
  ["an output of an object", (guard) => guard.result(0, { ok: true } as never), "result: expected `{ output, failed }`, found the key `ok`"],
  ["a word for failed", (guard) => guard.result(0, { failed: "no" as never }), 'failed: expected true or false, found "no"'],
  ["the index of a refused call", (guard) => guard.result(null as never), "a refused call has no result"],
  ["an index that is none", (guard) => guard.result(-1), "call: expected the index of a call, found -1"],
  ["a rule without a list", () => new Guard("verify before refund" as never), 'found a string (write ["verify before refund"])'],
  ["no rules", () => new Guard(undefined as never), "rules: expected a list of rules or settings of `constraints`, found undefined"],
  ["options of Python", () => new Guard([], { max_refusals: 1 } as never), "options: expected mode, maxRefusals, onDecision, found the key `max_refusals`"],
  ["a negative number", () => new Guard([], { maxRefusals: -1 }), "maxRefusals: expected a whole number of 0 or more, found -1"],
  ["no snapshot", () => Guard.restore(7 as never), "snapshot: expected JSON text, found 7"],
  ["no path", () => Guard.fromFile(undefined as never), "file: expected a path, found undefined"],
  ["a function without a name", (guard) => guard.tool((() => 1) as never, (() => 1) as never), "name: expected the name of a tool, found a function"],
  ["a list of tools", (guard) => guard.tools([() => 1] as never), "table: expected an object of tools by name, found a list"],
])("refuses %s", (_, ask, message) => {
  const guard = new Guard(once);
  guard.observe(refund);
  expect(() => ask(guard)).toThrow(RightcallError);
  expect(() => ask(guard)).toThrow(message);
});

it("refuses a call that the schema of its tool forbids", () => {
  const tools = [{ name: "refund", input_schema: { type: "object", properties: { amount: { type: "number" } } } }];
  const guard = new Guard({ schema: tools });
  const [refusal] = guard.admit({ name: "refund", args: { amount: "7" } }).refusals;
  expect(refusal?.violations).toEqual([{ pointer: "/amount", sentence: 'arguments.amount is "7", the schema asks for a number' }]);
  expect(guard.admit({ name: "refund", args: { amount: 7 } }).call).toBe(0);
  const run = { expected: {}, actual: [{ name: "refund", args: { amount: "7" } }] };
  expect(evaluate({ evaluator: "constraints", schema: tools }, run).score).toBe(0);
  expect(() => new Guard({ schema: "nowhere.json" })).toThrow("no file `nowhere.json`");
});

it("stops a run that insists, across a snapshot", () => {
  const seen: Decision[] = [];
  let guard = new Guard(["never refund"], { onDecision: (_, decision) => seen.push(decision) });
  expect([guard.admit(refund).stopped, guard.admit(refund).stopped, guard.stopped]).toEqual([false, false, undefined]);
  expect(seen.length).toBe(2);
  guard = Guard.restore(guard.snapshot());
  expect(guard.admit(refund).stopped).toBe(true);
  expect(guard.stopped).toContain("`refund` was refused 3 times with the same arguments");
  expect(guard.admit({ name: "find" }).stopped).toBe(true);
});

it("lets calls pass in other modes", () => {
  for (const [mode, says] of [["warn", true], ["observe", false]] as const) {
    const guard = new Guard(["never refund"], { mode });
    const decision = guard.admit(refund);
    expect([decision.call, decision.sentence !== ""]).toEqual([0, says]);
    expect(guard.finish().passed).toBe(false);
  }
});

it("says what must still happen, once", () => {
  const guard = new Guard([{ call: "refund", needs_after: "send_email", why: "Customers want to know." }, "never delete"]);
  expect(guard.may({ name: "delete" }).map((it) => it.rule)).toEqual(["never delete"]);
  expect(guard.observe(refund)).toBe(0);
  expect(guard.open().map((it) => it.rule)).toEqual(["send_email after refund"]);
  expect(guard.reminder()).toBe('The rule "send_email after refund" does not hold yet. Reason: Customers want to know.');
  expect(guard.reminder()).toBeUndefined();
});

it("wraps tools, of which a refused one does not run", async () => {
  const ran: unknown[] = [];
  const guard = new Guard(["find before refund", ...once, { call: { name: "find", failed: true }, excludes: "close" }]);
  const tools = guard.tools({
    refund: async ({ order }: { order: number }) => (await Promise.resolve(), ran.push(order), "paid"),
    find: { description: "Finds", execute: (args: { order: number }) => (args.order < 0 ? Promise.reject(new Error("no")) : { order: args.order }) },
    close: () => "closed",
    other: { description: "is run by the provider" },
  });
  expect(await tools.refund({ order: 7 })).toContain("may not be called now");
  await expect(tools.find.execute({ order: -1 })).rejects.toThrow("no");
  expect(tools.find.execute({ order: 7 })).toEqual({ order: 7 });
  expect(tools.close()).toContain("close");
  const both = await Promise.all([tools.refund({ order: 7 }), tools.refund({ order: 7 })]);
  expect(both.filter((it) => it === "paid").length).toBe(1);
  expect(ran).toEqual([7]);
  expect(tools.other).toEqual({ description: "is run by the provider" });
  expect(() => tools.refund({ order: 7 })).toThrow(RunStopped);
});

it("admits exactly one of two parallel calls, in 1,000 interleavings", async () => {
  const wait = async (turns: number) => {
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
  };
  for (let seed = 0; seed < 1000; seed++) {
    const guard = new Guard(once);
    const pay = guard.tool("refund", async (_: { order: number }) => (await wait(seed % 3), "paid"));
    const call = async (turns: number) => (await wait(turns), pay({ order: 7 }));
    const both = await Promise.all([call(seed % 7), call((seed >> 3) % 7)]);
    expect(both.filter((it) => it === "paid").length).toBe(1);
  }
});

it("reads rules from files, and names what is wrong with them", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "rightcall-"));
  const file = path.join(folder, "rules.yaml");
  writeFileSync(file, "- never refund\n");
  expect(Guard.fromFile(file).verdicts().map((it) => it.rule)).toEqual(["never refund"]);
  rmSync(folder, { recursive: true });
  expect(() => Guard.fromFile(file)).toThrow("no such file");
  expect(() => new Guard(["verify befor refund"])).toThrow(ConfigError);
  expect(() => new Guard([], { mode: "deny" as never })).toThrow("`mode` takes block, warn or observe, found `deny`");
  expect(() => new Guard([]).result(3)).toThrow("there is no call 3");
  expect(() => Guard.restore("{}")).toThrow("not a snapshot of a guard");
});

it("watches expected calls", () => {
  const order = { order: { $var: "o" } };
  const guard = new Guard({ expected: [{ name: "find", args: order }, { name: "refund", args: order }] });
  expect(guard.next()).toEqual([{ name: "find", args: order }]);
  expect(guard.admit(refund).sentence).toContain("Expected next: `find`.");
  expect(guard.admit({ name: "find", args: { order: 7 } }).call).toBe(0);
  expect(guard.next()).toEqual([{ name: "refund", args: { order: 7 } }]);
  expect(guard.admit(refund).call).toBe(1);
  expect(guard.verdicts()).toEqual([{ rule: "the expected calls", verdict: "satisfied_so_far" }]);
});

const wasm = createRequire(import.meta.url).resolve("rightcall/package.json").replace("package.json", "wasm/rightcall.wasm");

// `cargo xtask dist wasm` builds it and runs this test: its Rust target is not part of a usual installation.
it.skipIf(!existsSync(wasm))("decides in a browser as it does here", async () => {
  const engine = await load(readFileSync(wasm));
  const rules = { rules: ["verify before refund", ...once, { call: "report", at_least: 1 }], expected: ["verify", "refund"], extra: "others" };
  const [here, there] = [new Guard(rules), engine.guard(rules)];
  const calls = [refund, { name: "verify", args: { order: 7 } }, refund, refund, { name: "other", args: {}, group: "m" }];
  for (const call of calls) {
    expect(there.may(call)).toEqual(here.may(call));
    expect(there.may(call.name, call.args)).toEqual(here.may(call.name, call.args));
    expect(there.admit(call)).toEqual(here.admit(call));
    expect([there.next(), there.open(), there.verdicts()]).toEqual([here.next(), here.open(), here.verdicts()]);
  }
  for (const guard of [here, there]) {
    guard.result(0, { output: { ok: true }, failed: false });
    guard.result(1, { failed: true });
  }
  expect(there.snapshot()).toBe(here.snapshot());
  expect([there.reminder(), there.reminder()]).toEqual([here.reminder(), here.reminder()]);
  expect(engine.guardOf(there.snapshot()).finish()).toEqual(here.finish());
  expect(() => engine.guard([{ forbid: "x" }])).toThrow("forbid");
  there.free();
  expect(() => there.verdicts()).toThrow("the guard was freed");
});
