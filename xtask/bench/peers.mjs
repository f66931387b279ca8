// Times one JavaScript peer on one case file; one JSON line: cases, seconds of CPU and wall, mean score.
//
// usage: node peers.mjs MODULES PEER FILE [LIMIT]
//
// MODULES is the folder whose `node_modules` holds the npm package. A line of FILE is {"id", "expected": [{"name", "args"}], "actual":
// [{"name", "args"}]}; LIMIT is the number of cases, 0 for all. Timed: reading in blocks of 1 MiB, JSON.parse line by line, building the
// peer's input, scoring, and keeping one number for each case. Imports are not timed.
//
//   json                              parse only
//   evalite-exact, evalite-flexible   toolCallAccuracy
//   tpmjs                             reimplemented: greedy pairing, F1
//   rightcall-exact, -flexible        the same through our package's scoreFile, on one thread; MODULES is its folder
//   …-results                         and reads every result
//   …-objects                         toolCallAccuracy, ours or Evalite's, on cases that are already parsed
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [modules, peer, file, limit = "0"] = process.argv.slice(2);

function* lines(file, limit) {
  const descriptor = fs.openSync(file, "r");
  const block = Buffer.allocUnsafe(1 << 20);
  let begun = [];
  for (let given = 0, size; (size = fs.readSync(descriptor, block)) > 0; ) {
    const text = block.subarray(0, size);
    let start = 0;
    for (let end; (end = text.indexOf(10, start)) >= 0; start = end + 1) {
      if (given++ === limit) return;
      const rest = text.subarray(start, end);
      yield (begun.length ? Buffer.concat([...begun, rest]) : rest).toString("utf8");
      begun = [];
    }
    begun.push(Buffer.from(text.subarray(start)));
  }
}

async function evalite(mode, module = "evalite/scorers/deterministic") {
  const require = createRequire(path.join(modules, "package.json"));
  const { toolCallAccuracy } = await import(pathToFileURL(require.resolve(module)));
  const toolCalls = (calls) => calls.map((call) => ({ toolName: call.name, input: call.args }));
  const edition = module.startsWith("rightcall") ? { edition: "package" } : {};
  return async ({ expected, actual }) =>
    (await toolCallAccuracy({ actualCalls: toolCalls(actual), expectedCalls: toolCalls(expected), mode, ...edition })).score;
}

// The scores of all cases from `scoreFile`, or only their mean.
async function scoreFile(mode, withResults) {
  const { scoreFile } = await import(pathToFileURL(path.join(modules, "dist/index.mjs")));
  const evaluator = { evaluator: "evalite/tool-call-accuracy", mode, edition: "package" };
  const started = start();
  const run = scoreFile(file, { evaluators: [evaluator], threads: 1 });
  const scores = [];
  if (withResults) for await (const result of run) scores.push(result.score);
  const { cases, evaluators } = await run;
  report(started, cases, withResults ? meanOf(scores) : evaluators[0].mean);
}

const start = () => [process.cpuUsage(), process.hrtime.bigint()];
const meanOf = (scores) => scores.reduce((sum, score) => sum + score, 0) / scores.length;

function report([cpu, wall], cases, mean) {
  const { user, system } = process.cpuUsage(cpu);
  const times = { cpu_seconds: (user + system) / 1e6, wall_seconds: Number(process.hrtime.bigint() - wall) / 1e9 };
  console.log(JSON.stringify({ cases, ...times, mean }));
}

const isObject = (value) => typeof value === "object" && value !== null;

function sameArguments(one, other) {
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  return keys.every((key) => {
    if (!Object.hasOwn(other, key)) return false;
    const [a, b] = [one[key], other[key]];
    return isObject(a) && isObject(b) ? sameArguments(a, b) : a === b;
  });
}

const rounded = (number) => Math.round(number * 1000) / 1000;

// Builds the same value as the tool, including the lists of calls and the summary.
function tpmjsResult({ expected, actual }) {
  const used = new Set();
  const breakdown = { correctCalls: [], incorrectCalls: [], missedCalls: [], extraCalls: [] };
  for (const wanted of expected) {
    let byName = -1;
    let exact = -1;
    for (let place = 0; place < actual.length && exact < 0; place++) {
      if (used.has(place) || actual[place].name !== wanted.name) continue;
      if (sameArguments(wanted.args, actual[place].args)) exact = place;
      else if (byName < 0) byName = place;
    }
    const place = exact >= 0 ? exact : byName;
    if (place < 0) {
      breakdown.missedCalls.push({ expected: wanted, status: "missed", argsMatch: false });
      continue;
    }
    used.add(place);
    const list = exact >= 0 ? breakdown.correctCalls : breakdown.incorrectCalls;
    list.push({ expected: wanted, actual: actual[place], status: exact >= 0 ? "correct" : "incorrect", argsMatch: exact >= 0 });
  }
  actual.forEach((call, place) => used.has(place) || breakdown.extraCalls.push(call));
  const correct = breakdown.correctCalls.length;
  const precision = actual.length ? correct / actual.length : 1;
  const recall = expected.length ? correct / expected.length : 1;
  const f1 = precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall);
  const percent = (number) => `${(rounded(number) * 100).toFixed(1)}%`;
  const counts = Object.entries(breakdown).map(([list, calls]) => `${list}: ${calls.length}`);
  const summary = [`F1: ${percent(f1)}`, `Precision: ${percent(precision)}`, `Recall: ${percent(recall)}`, ...counts].join(" | ");
  return { score: rounded(f1), precision: rounded(precision), recall: rounded(recall), breakdown, summary };
}

async function scorer(peer) {
  if (peer === "json") return (parsed) => parsed.actual.length;
  if (peer === "tpmjs") return (parsed) => tpmjsResult(parsed).score;
  const [name, mode] = peer.split("-");
  if (name === "evalite") return evalite(mode);
  if (name === "rightcall") return evalite(mode, "rightcall/evalite");
  throw new Error(`no peer is called ${peer}`);
}

if (peer.startsWith("rightcall-") && !peer.endsWith("-objects")) {
  const [, mode, results] = peer.split("-");
  await scoreFile(mode, results !== undefined);
} else {
  const score = await scorer(peer);
  const most = Number(limit) || Infinity;
  const cases = peer.endsWith("-objects") ? Array.from(lines(file, most), (line) => JSON.parse(line)) : undefined;
  const started = start();
  const scores = [];
  if (cases) for (const parsed of cases) scores.push(await score(parsed));
  else for (const line of lines(file, most)) scores.push(await score(JSON.parse(line)));
  report(started, scores.length, meanOf(scores));
}
