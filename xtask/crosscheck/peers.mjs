// Scores a case file with the published npm packages; one JSON line for each case and evaluator.
//
// usage: node peers.mjs MODULES FILE EVALUATOR...
//
// MODULES is the folder whose `node_modules` holds the packages. An EVALUATOR is the JSON object that `rightcall score -e` takes:
// `evaluator`, `name`, `edition` and settings. The settings are passed to the package unchanged. A line is {"case", "trial", "evaluator",
// "score"}, or has "error" instead of the score; `evaluator` is the name, and `trial` is null if the case has none. If a package has
// nothing to assert, "outcome" is "not_applicable".
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [modules, file, ...specifications] = process.argv.slice(2);
const require = createRequire(path.join(modules, "package.json"));
const load = (name) => import(pathToFileURL(require.resolve(name)));

/** Evalite: calls with names and inputs. */
async function evalite(settings) {
  const { toolCallAccuracy } = await load("evalite/scorers/deterministic");
  const toolCalls = (calls) => calls.map((call) => ({ toolName: call.name, input: call.args }));
  return async (expected, actual) => {
    const calls = { actualCalls: toolCalls(actual), expectedCalls: toolCalls(expected) };
    return (await toolCallAccuracy({ ...calls, ...settings })).score;
  };
}

/** Mastra's tool call accuracy: an expected order, and messages with invocations. */
async function mastraAccuracy(settings) {
  const { createToolCallAccuracyScorerCode } = await load("@mastra/evals/scorers/prebuilt");
  const message = (role, parts) => ({ id: role, role, createdAt: new Date(0), content: { format: 2, parts } });
  const text = { type: "text", text: "-" };
  const input = { inputMessages: [message("user", [text])], rememberedMessages: [], systemMessages: [], taggedSystemMessages: {} };
  const invocation = (call, index) => ({
    type: "tool-invocation",
    toolInvocation: { state: "result", toolCallId: `${index}`, toolName: call.name, args: call.args, result: "-" },
  });
  return async (expected, actual) => {
    const scorer = createToolCallAccuracyScorerCode({ ...settings, expectedToolOrder: expected.map((call) => call.name) });
    return (await scorer.run({ input, output: [message("assistant", [text, ...actual.map(invocation)])] })).score;
  };
}

/** Mastra's multi-dimensional trajectory scorer: one step for each call. */
async function mastraDimensions({ weights, ...settings }) {
  const { createTrajectoryScorerCode } = await load("@mastra/evals/scorers/prebuilt");
  const step = (call) => ({ stepType: "tool_call", name: call.name, toolArgs: call.args });
  return async (expected, actual) => {
    const scorer = createTrajectoryScorerCode({ defaults: { ...settings, steps: expected.map(step) }, weights });
    return (await scorer.run({ output: { steps: actual.map(step) } })).score;
  };
}
/** Mastra's trajectory accuracy: one step for each call. */
async function mastraTrajectory(settings) {
  const { createTrajectoryAccuracyScorerCode } = await load("@mastra/evals/scorers/prebuilt");
  const step = (call) => ({ stepType: "tool_call", name: call.name, toolArgs: call.args });
  return async (expected, actual) => {
    const scorer = createTrajectoryAccuracyScorerCode({ expectedTrajectory: expected.map(step), comparisonOptions: settings });
    return (await scorer.run({ output: { steps: actual.map(step) } })).score;
  };
}

/** JSON text that keeps -0, which JSON.stringify writes as 0. */
function jsonOf(value) {
  const marked = JSON.stringify(value, (_, it) => (Object.is(it, -0) ? "\0-0" : it));
  return marked.replaceAll(JSON.stringify("\0-0"), "-0.0");
}

/**
 * Promptfoo: assertions about a trace with one span for each call, or about the calls as output. Each expected call with arguments is one
 * assertion.
 */
function promptfoo(type) {
  return async ({ inverse = false, threshold, mode, ...settings }) => {
    Object.assign(process.env, { PROMPTFOO_DISABLE_TELEMETRY: "1", PROMPTFOO_DISABLE_UPDATE: "1" });
    process.env.PROMPTFOO_CONFIG_DIR ??= path.join(modules, "promptfoo");
    const { runAssertion } = (await load("promptfoo")).default.assertions;
    const span = (call, index) => ({
      spanId: `${index}`,
      name: call.name,
      startTime: index,
      endTime: index,
      attributes: { "tool.name": call.name, "tool.arguments": jsonOf(call.args) },
    });
    const assertion = async (value, calls) => {
      const traceData = { traceId: "t", evaluationId: "e", testCaseId: "c", spans: calls.map(span) };
      const result = await runAssertion({
        assertion: { type: `${inverse ? "not-" : ""}${type}`, value, threshold },
        prompt: "-",
        test: { vars: {} },
        providerResponse: { output: calls.map((call) => ({ name: call.name })) },
        traceId: "t",
        traceData,
      });
      return result.score;
    };
    return async (expected, actual) => {
      if (expected.length === 0) return null;
      const names = expected.map((call) => call.name);
      if (type === "trajectory:tool-sequence") return assertion({ mode, steps: names }, actual);
      if (type !== "trajectory:tool-args-match") return assertion(names, actual);
      let sum = 0;
      for (const call of expected) sum += await assertion({ name: call.name, args: call.args, mode, ...settings }, actual);
      return sum / expected.length;
    };
  };
}

const PACKAGES = {
  "evalite/tool-call-accuracy": evalite,
  "mastra/tool-call-accuracy": mastraAccuracy,
  "mastra/trajectory": mastraDimensions,
  "mastra/trajectory-accuracy": mastraTrajectory,
  "promptfoo/tool-used": promptfoo("trajectory:tool-used"),
  "promptfoo/tool-sequence": promptfoo("trajectory:tool-sequence"),
  "promptfoo/tool-args-match": promptfoo("trajectory:tool-args-match"),
  "promptfoo/tool-call-f1": promptfoo("tool-call-f1"),
};
const evaluators = [];
for (const text of specifications) {
  const { evaluator, name, edition, ...settings } = JSON.parse(text);
  if (!(evaluator in PACKAGES)) throw new Error(`no package for ${evaluator}`);
  evaluators.push({ name, score: await PACKAGES[evaluator](settings) });
}

const lines = fs.readFileSync(file, "utf8").split("\n").filter((line) => line.trim() !== "");
for (const { id, trial = null, expected, actual } of lines.map((line) => JSON.parse(line))) {
  for (const { name, score } of evaluators) {
    const line = { case: id, trial, evaluator: name };
    try {
      line.score = await score(expected, actual);
      if (line.score === null) line.outcome = "not_applicable";
    } catch (error) {
      line.error = String(error);
    }
    fs.writeSync(1, `${JSON.stringify(line)}\n`);
  }
}
// Packages may leave timers or handles open.
process.exit(0);
