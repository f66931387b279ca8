// Loads the output of `rightcall convert --to promptfoo` with promptfoo, and judges runs with its assertions.
//
// usage: node written.mjs MODULES FOLDER
//
// FOLDER holds the same cases as `cases.json`, one a line, and as `promptfoo.json`. A run of the expected calls must pass. A run without
// the last call, with a different argument, or with a call that is not expected must fail.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [modules, folder] = process.argv.slice(2);
const config = path.join(modules, "promptfoo");
Object.assign(process.env, { PROMPTFOO_DISABLE_TELEMETRY: "1", PROMPTFOO_DISABLE_UPDATE: "1", PROMPTFOO_CONFIG_DIR: config });
// The module of `import "promptfoo"`; the one for `require` cannot log.
const entry = path.join(modules, "node_modules/promptfoo/dist/src/index.js");
const promptfoo = (await import(pathToFileURL(entry))).default;
const lines = (name) => fs.readFileSync(path.join(folder, name), "utf8").trim().split("\n").map((line) => JSON.parse(line));

const span = (call, index) => ({
  spanId: `${index}`,
  name: call.name,
  startTime: index,
  endTime: index,
  attributes: { "tool.name": call.name, "tool.arguments": JSON.stringify(call.args ?? {}) },
});

/** Returns true if a run passes all assertions of a test. */
async function passes(test, calls) {
  const traceData = { traceId: "t", evaluationId: "e", testCaseId: "c", spans: calls.map(span) };
  const judged = test.assert.map((assertion) =>
    promptfoo.assertions.runAssertion({ assertion, prompt: "-", test, providerResponse: { output: "" }, traceId: "t", traceData }),
  );
  return (await Promise.all(judged)).every((it) => it.pass);
}

// promptfoo distinguishes lines from a document by the file name.
const file = path.join(config, "written.jsonl");
fs.mkdirSync(config, { recursive: true });
fs.copyFileSync(path.join(folder, "promptfoo.json"), file);
const [cases, tests] = [lines("cases.json"), lines("promptfoo.json")];
const evaluation = await promptfoo.evaluate(
  { prompts: ["{{input}}"], providers: [async (prompt) => ({ output: prompt })], tests: `file://${file}`, writeLatestResults: false },
  { cache: false },
);
const { results } = await evaluation.toEvaluateSummary();
assert.deepEqual(results.map((it) => it.testCase.description), cases.map((it) => it.id));
for (const [index, { id, expected }] of cases.entries()) {
  assert.ok(await passes(tests[index], expected), `${id}: what is expected`);
  assert.ok(!(await passes(tests[index], [...expected.slice(0, -1), { name: "other" }])), `${id}: another last call`);
  if (expected.length > 0) {
    const changed = expected.map((call) => ({ ...call, args: { ...call.args, more: 1 } }));
    assert.ok(!(await passes(tests[index], changed)), `${id}: other arguments`);
  }
}
console.log(`promptfoo: ${tests.length} test cases judge as the cases expect`);
process.exit(0);
