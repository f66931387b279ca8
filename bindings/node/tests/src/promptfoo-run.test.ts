// The assertion in the real Promptfoo, offline, with a provider that returns the prompt.
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

/** The project with Promptfoo installed. */
const project = process.env.RIGHTCALL_PROMPTFOO;

const provider = `
export default class Scripted {
  id() {
    return "scripted";
  }
  async callApi(prompt) {
    const call = ([name, args], index) => ({
      id: "call_" + index,
      type: "function",
      function: { name, arguments: JSON.stringify(args) },
    });
    return { output: JSON.parse(prompt).map(call) };
  }
}
`;

const config = {
  prompts: ["{{calls | dump | safe}}"],
  providers: ["file://provider.mjs"],
  defaultTest: {
    assert: [
      {
        type: "javascript",
        value: `file://${path.resolve("node_modules/rightcall/dist/promptfoo.js")}`,
        config: { evaluator: "axion/tool-correctness", check_parameters: true, threshold: 0.6 },
      },
    ],
  },
  tests: [
    [["find_order", { id: 7 }], ["refund", { id: 7 }]],
    [["find_order", { id: 7 }]],
  ].map((calls) => ({
    vars: { calls, expected: [{ name: "find_order", args: { id: 7 } }, { name: "refund", args: { id: 7 } }] },
  })),
};

it.skipIf(project === undefined)("runs under `promptfoo eval`", async () => {
  const folder = await mkdtemp(path.resolve("promptfoo-"));
  try {
    await writeFile(path.join(folder, "provider.mjs"), provider);
    await writeFile(path.join(folder, "promptfooconfig.json"), JSON.stringify(config));
    const command = path.join(project!, "node_modules/promptfoo/dist/src/entrypoint.js");
    const env = { ...process.env, PROMPTFOO_CONFIG_DIR: folder, PROMPTFOO_DISABLE_TELEMETRY: "1", PROMPTFOO_DISABLE_UPDATE: "1" };
    const args = [command, "eval", "-c", "promptfooconfig.json", "--no-cache", "--no-table", "--output", "results.json"];
    // A failed test makes the exit code 100.
    const ended = promisify(execFile)(process.execPath, args, { cwd: folder, env });
    await expect(ended).rejects.toMatchObject({ code: 100 });
    const { results } = JSON.parse(await readFile(path.join(folder, "results.json"), "utf8"));
    const graded = results.results.map((it: { gradingResult: { componentResults: unknown[] } }) => it.gradingResult.componentResults[0]);
    graded.sort((one: { score: number }, other: { score: number }) => other.score - one.score);
    expect(graded).toMatchObject([{ pass: true, score: 1 }, { pass: false, score: 0.5 }]);
    expect(graded[1].reason).toContain("missed");
  } finally {
    await rm(folder, { recursive: true });
  }
});
