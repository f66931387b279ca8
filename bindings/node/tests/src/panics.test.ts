// An addon that panics in any of its functions: Node survives, on its main thread and its workers, and so do the addon's own threads.
import { execFile } from "node:child_process";
import { cpSync, readdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

/** The path of the addon that panics on demand. */
const addons = process.env.RIGHTCALL_PANICS;

const script = `
  const { evaluate, explain, inspect, score, scoreFile } = require("./node_modules/rightcall");
  const { toolCallAccuracy } = require("./node_modules/rightcall/dist/evalite.js");
  const { native } = require("./node_modules/rightcall/dist/native.js");
  const { isMainThread, parentPort } = require("node:worker_threads");
  const calls = { expected: ["a"], actual: [{ name: "a" }] };
  const entries = {
    evaluate: async () => evaluate("trajectory", calls),
    explain: async () => explain("trajectory", calls),
    original: () => toolCallAccuracy({ actualCalls: [], expectedCalls: [] }),
    inspect: () => inspect("package.json"),
    calls: () => toolCallAccuracy({ actualCalls: [{ role: "user" }], expectedCalls: [] }),
    run: () => score([calls], ["trajectory"]),
    next: () => scoreFile(Buffer.from(JSON.stringify(calls)), { evaluators: ["trajectory"] }).then(),
    commandLine: async () => native.commandLine(["rightcall", "--version"]),
  };
  async function main() {
    const error = await entries[process.env.RIGHTCALL_PANIC]().then(() => "no error", (error) => error.name + ": " + error.message);
    delete process.env.RIGHTCALL_PANIC;
    return { error, score: evaluate("trajectory", calls).score };
  }
  main().then((it) => (isMainThread ? console.log("\\n" + JSON.stringify(it)) : parentPort.postMessage(it)));
`;

describe.skipIf(addons === undefined)("a panic is thrown as an error", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.resolve("panics-"));
    const installed = path.join(folder, "node_modules/rightcall");
    cpSync("node_modules/rightcall", installed, { recursive: true });
    for (const addon of readdirSync(addons!)) cpSync(path.join(addons!, addon), path.join(installed, "native", addon));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const inWorker = `
    const { Worker, SHARE_ENV } = require("node:worker_threads");
    const worker = new Worker(${JSON.stringify(script)}, { eval: true, env: SHARE_ENV });
    worker.on("message", (it) => console.log("\\n" + JSON.stringify(it)));
  `;

  for (const [place, code] of [["on the main thread", script], ["in a worker", inWorker]] as const) {
    it.each(["evaluate", "explain", "original", "calls", "inspect", "run", "next", "commandLine"])(`${place}, from %s`, async (entry) => {
      const env = { ...process.env, RIGHTCALL_PANIC: entry };
      const { stdout } = await promisify(execFile)(process.execPath, ["-e", code], { cwd: folder, env });
      const { error, score } = JSON.parse(stdout.trim().split("\n").at(-1)!);
      expect(error).toContain(`asked to, in ${entry}`);
      if (entry !== "commandLine") expect(error).toContain("InternalError: this is a bug in rightcall");
      expect(score).toBe(1);
    });
  }
});
