// Scores a case file with the published npm packages; one JSON line for each case and evaluator.
//
// usage: node peers.mjs MODULES FILE EVALUATOR...
//
// MODULES is the folder whose `node_modules` holds the packages. An EVALUATOR is the JSON object that `rightcall score -e`
// takes: `evaluator`, `name`, `edition` and settings. The settings go to the package as they are. A line is
// {"case", "trial", "evaluator", "score"}, or "error" in place of the score; `evaluator` is the name, and `trial` null where
// the case has none.
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [modules, file, ...specifications] = process.argv.slice(2);
const require = createRequire(path.join(modules, "package.json"));
const load = (name) => import(pathToFileURL(require.resolve(name)));

/** Evalite: calls with their names and inputs. */
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

/** Mastra's trajectory accuracy: a step a call. */
async function mastraTrajectory(settings) {
  const { createTrajectoryAccuracyScorerCode } = await load("@mastra/evals/scorers/prebuilt");
  const step = (call) => ({ stepType: "tool_call", name: call.name, toolArgs: call.args });
  return async (expected, actual) => {
    const scorer = createTrajectoryAccuracyScorerCode({ expectedTrajectory: expected.map(step), comparisonOptions: settings });
    return (await scorer.run({ output: { steps: actual.map(step) } })).score;
  };
}

const PACKAGES = {
  "evalite/tool-call-accuracy": evalite,
  "mastra/tool-call-accuracy": mastraAccuracy,
  "mastra/trajectory-accuracy": mastraTrajectory,
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
    } catch (error) {
      line.error = String(error);
    }
    console.log(JSON.stringify(line));
  }
}
