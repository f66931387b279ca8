// Creates the folder of suites and run history for the tests. Names and arguments are hostile.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";

export const [rightcall, examples] = process.argv.slice(2);
export const place = fs.mkdtempSync(path.join(os.tmpdir(), "rightcall-browser-"));

/// The URL of a file in the folder.
export const fileOf = (name) => pathToFileURL(path.join(place, name)).href;

export const SCRIPT = "<script>window.pwned=1</script><img src=x onerror=window.pwned=1>\"'`{{7*7}}";
const RTL = "\u202egnp.exe \u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627";
const LONG = "x".repeat(1 << 20);

const call = (name, args, more = {}) => ({ name, args, ...more });
const second = 1_000_000_000;
const hostile = [
  { id: SCRIPT, tags: [SCRIPT, "hostile"], input: SCRIPT, description: `</title>${SCRIPT}`,
    expected: [call(SCRIPT, { [SCRIPT]: SCRIPT }), call("after", {})], actual: [call(SCRIPT, { [SCRIPT]: `${SCRIPT}!` }), call(`${SCRIPT}2`, {})] },
  { id: RTL, tags: [RTL, "hostile"], input: RTL,
    expected: [call(RTL, { [RTL]: RTL })], actual: [call(RTL, { [RTL]: `${RTL} more` })] },
  { id: "long", tags: ["long"], input: LONG,
    expected: [call("send", { body: LONG, to: 1 })], actual: [call("send", { body: `${LONG}y`, to: 2 }), call("n".repeat(5000), {})] },
  { id: "times", tags: ["timed"],
    expected: [call("find", { id: 7 }), call("policy", { kind: "refund" }), call("refund", { id: 7, amount: 20.5 })],
    actual: [
      call("find", { id: 7 }, { start: 0, end: second / 4 }),
      call("policy", { kind: "refund" }, { start: second, end: 1.1 * second, group: "g" }),
      call("customer", { id: 12 }, { start: second, end: 1.2 * second, group: "g" }),
      call("refund", { id: 1, amount: 20.5 }, { start: 2 * second, end: 3 * second }),
    ] },
  { id: "nothing", expected: [], actual: [] },
];
export const many = Array.from({ length: 130 }, (_, index) => ({
  id: `case-${String(index).padStart(3, "0")}`, tags: [index % 2 ? "odd" : "even"],
  expected: [call("find", { id: index }), call(index % 3 ? "refund" : "cancel", { id: index })],
  actual: [call("find", { id: index % 5 ? index : 0 }), call("refund", { id: index })],
}));
// Most calls are right in both runs; the second run fixes the rest.
const looks = Array.from({ length: 5 }, (_, index) => call("look", { page: index }));
const folded = { id: "folded", expected: [...looks, call("pay", { order: 7, amount: 20 }), call("confirm", { order: 7 })] };
const before = { ...folded, actual: [...looks, call("wait", { seconds: 5 }), call("pay", { order: 8, amount: 20 }), call("confirm", { order: 8 })] };
const after = { ...folded, actual: [...looks, call("wait", { seconds: 5 }), call("pay", { order: 7, amount: 20 }), call("confirm", { order: 7 })] };
// In the second run everything is as expected, except for a few missing refunds.
const later = many.map((it, index) => ({ ...it, actual: index % 20 === 1 ? it.expected.slice(0, 1) : it.expected }));
const lines = (cases) => cases.map((it) => JSON.stringify(it)).join("\n") + "\n";
fs.writeFileSync(path.join(place, "cases.jsonl"), lines([...hostile, ...many, before]));
fs.writeFileSync(path.join(place, "better.jsonl"), lines([...hostile, ...later, after]));
export const suite = (cases) => `cases: ${cases}
evaluators:
  - {evaluator: trajectory, threshold: 0.8}
  - uipath/tool-call-order
  - {evaluator: uipath/tool-call-count, name: '${SCRIPT.replaceAll("'", "''")}'}
gates:
  - trajectory: {mean: ">= 0.9"}
  - passed: ">= 10%"
`;
fs.writeFileSync(path.join(place, "suite.yaml"), suite("cases.jsonl"));
fs.writeFileSync(path.join(place, "later.yaml"), suite("better.jsonl"));

export const still = { ...process.env, GITHUB_ACTIONS: "", GITHUB_STEP_SUMMARY: "" };
export function run(...argumentsOf) {
  try {
    return execFileSync(rightcall, argumentsOf, { cwd: place, env: still, stdio: ["ignore", "pipe", "pipe"] }).toString();
  } catch (error) {
    // Exit code 1 means that a gate failed, which some suites do on purpose.
    assert.equal(error.status, 1, error.stderr?.toString());
    return error.stdout.toString();
  }
}
run("run", "suite.yaml", "--report", "html=hostile.html", "--quiet");
fs.copyFileSync(path.join(place, "suite.yaml"), path.join(place, "first.yaml"));
fs.copyFileSync(path.join(place, "later.yaml"), path.join(place, "suite.yaml"));
run("run", "suite.yaml", "--quiet");
run("history", "tag", "1", "before");
export const example = path.join(examples, "support-agent/suite.yaml");
run("run", example, "--quiet");
run("run", example, "-k", "refund", "--quiet");
// The next runs are on a branch, and the trend chart has two points.
for (const words of [["init", "-q", "-b", "trunk"], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "a"]]) {
  execFileSync("git", words, { cwd: place });
}
run("run", example, "--report", "html=example.html", "--quiet");
// None of this may be visible.
export const SECRET = "sesame-4711";
fs.writeFileSync(path.join(place, "secret.jsonl"), lines([{
  id: "secret", input: `pay with ${SECRET}`, output: SECRET, description: SECRET, tags: [SECRET], customer: { mail: SECRET },
  expected: [call("pay", { card: SECRET })], actual: [call("pay", { card: `${SECRET}!` }, { output: JSON.stringify({ card: SECRET }) })],
}]));
fs.writeFileSync(path.join(place, "secret.yaml"), `cases: secret.jsonl
evaluators: [{evaluator: trajectory, threshold: 0.5}]
gates: [{passed: ">= 0%"}]
redact: [card, mail, $/input, $/output, $/description, $/tags/*]
`);
run("run", "secret.yaml", "--report", "html=secret.html", "--quiet");

// Several runs are accepted; the second run takes another alternative.
const ways = [
  { any_order: ["get_policy", call("find_order", { id: 7 }, { output: { total: { $var: "total" } } })] },
  { one_of: [call("refund", { amount: { $var: "total" } }), call("escalate", { to: { $type: "string" } })] },
  { optional: [{ repeat: call("send_email", { to: { $pattern: "@" } }), max: 3 }] },
];
const found = call("find_order", { id: 7 }, { output: { total: 30 } });
const refunds = (amount) => ({ id: "ways", expected: ways, actual: [call("get_policy", {}), found, call("refund", { amount }), call("send_email", { to: "a@b" }), call("send_email", { to: "c@d" })] });
const escalated = { id: "ways", expected: ways, actual: [found, call("get_policy", {}), call("escalate", { to: "desk" })] };
fs.writeFileSync(path.join(place, "ways.yaml"), "cases: ways.jsonl\nevaluators: [fitness, {evaluator: trajectory, threshold: 0.9}]\n");
for (const cases of [[refunds(50)], [escalated]]) {
  fs.writeFileSync(path.join(place, "ways.jsonl"), lines(cases));
  run("run", "ways.yaml", "--report", `html=ways-${cases[0].actual.length}.html`, "--quiet");
}

// Cases with many different scores that get better or worse. Some exist only in the first run, others only in the second.
const graded = (number, wrong) => Array.from({ length: 9 }, (_, size) => {
  const calls = Array.from({ length: size + 2 }, (_, index) => call("step", { index, of: size }));
  return { id: `graded-${size}`, expected: calls, actual: calls.slice(size % 3 === number ? wrong : 0) };
});
const alone = (side) => Array.from({ length: 25 }, (_, index) => ({ id: `${side}-${index} ${SCRIPT}`, expected: ["find"], actual: ["find"] }));
fs.writeFileSync(path.join(place, "graded.yaml"), "cases: graded.jsonl\nevaluators: [{evaluator: trajectory, threshold: 0.9}]\n");
for (const [number, side] of ["gone", "new"].entries()) {
  fs.writeFileSync(path.join(place, "graded.jsonl"), lines([...graded(number, 1), ...alone(side)]));
  run("run", "graded.yaml", "--quiet");
}
run("compare", "9", "10", "-o", "graded.html");

// A case of 300 calls with three differences.
const steps = Array.from({ length: 300 }, (_, index) => call(`tool_${index % 7}`, { index, text: "same" }));
const slips = steps.map((step, index) => (index === 136 ? call(step.name, { index, text: "other" }) : index === 220 ? call("wait", {}) : step));
fs.writeFileSync(path.join(place, "long.jsonl"), lines([{ id: "long", expected: steps, actual: slips }]));
fs.writeFileSync(path.join(place, "long.yaml"), "cases: long.jsonl\nevaluators: [{evaluator: trajectory, threshold: 1}]\ngates: [{passed: '>= 50%'}]\n");
run("run", "long.yaml", "--quiet");

// Two models in one run; each is right where the other is wrong.
const model = (name, id, tool) => ({ id, model: name, expected: ["find"], actual: [tool] });
fs.writeFileSync(path.join(place, "models.jsonl"), lines([model("first", "a", "find"), model("second", "a", "look"), model("first", "b", "look"), model("second", "b", "find")]));
fs.writeFileSync(path.join(place, "models.yaml"), "cases: models.jsonl\nevaluators: [{evaluator: trajectory, threshold: 1}]\n");
run("run", "models.yaml", "--quiet");
