// Scores a case file with the published npm package; one JSON line for each case and evaluator.
//
// usage: node peers.mjs MODULES FILE EVALUATOR...
//
// MODULES is the folder whose `node_modules` holds the package. An EVALUATOR is the JSON object that `rightcall score -e`
// takes: `evaluator`, `name`, `edition` and settings. The settings go to the package as they are. A line is
// {"case", "trial", "evaluator", "score"}, or "error" in place of the score; `evaluator` is the name, and `trial` null where
// the case has none.
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [modules, file, ...specifications] = process.argv.slice(2);
const require = createRequire(path.join(modules, "package.json"));
const { toolCallAccuracy } = await import(pathToFileURL(require.resolve("evalite/scorers/deterministic")));

const toolCalls = (calls) => calls.map((call) => ({ toolName: call.name, input: call.args }));
const evaluators = specifications.map((text) => {
  const { evaluator, name, edition, ...settings } = JSON.parse(text);
  if (evaluator !== "evalite/tool-call-accuracy") throw new Error(`no package for ${evaluator}`);
  return { name, settings };
});

const lines = fs.readFileSync(file, "utf8").split("\n").filter((line) => line.trim() !== "");
for (const { id, trial = null, expected, actual } of lines.map((line) => JSON.parse(line))) {
  for (const { name, settings } of evaluators) {
    const line = { case: id, trial, evaluator: name };
    try {
      const calls = { actualCalls: toolCalls(actual), expectedCalls: toolCalls(expected) };
      line.score = (await toolCallAccuracy({ ...calls, ...settings })).score;
    } catch (error) {
      line.error = String(error);
    }
    console.log(JSON.stringify(line));
  }
}
