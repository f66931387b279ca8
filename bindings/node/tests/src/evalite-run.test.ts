// `rightcall/evalite` inside a real run of Evalite, with a scripted model for the task.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const evalite = path.resolve("node_modules/evalite/dist/bin.js");

const evaluation = `
import { generateText, tool } from "ai";
import { evalite } from "evalite";
import { toolCallAccuracy } from "rightcall/evalite";
import { z } from "zod";

import { scripted } from "../src/models.js";

evalite("Tool calls", {
  data: [
    { input: "What is in my calendar today?", expected: [{ toolName: "getCalendarEvents", input: { date: "2024-04-27" } }] },
    { input: "And tomorrow?", expected: [{ toolName: "getCalendarEvents", input: { date: "2024-04-28" } }] },
  ],
  task: async (input) => {
    const result = await generateText({
      model: scripted({ calls: [["getCalendarEvents", { date: "2024-04-27" }]] }),
      prompt: input,
      tools: {
        getCalendarEvents: tool({
          description: "Get calendar events",
          inputSchema: z.object({ date: z.string() }),
          execute: async ({ date }) => \`A dentist's appointment on \${date}\`,
        }),
      },
    });
    return result.toolCalls;
  },
  scorers: [
    {
      scorer: ({ output, expected }) => {
        return toolCallAccuracy({ actualCalls: output, expectedCalls: expected });
      },
    },
  ],
});
`;

// Evalite supports only one generation of the AI SDK.
it.skipIf(!existsSync(evalite))("runs under `evalite run`", async () => {
  const folder = await mkdtemp(path.resolve("evalite-"));
  try {
    await writeFile(path.join(folder, "calls.eval.ts"), evaluation);
    const output = path.join(folder, "output.json");
    const { VITEST, VITEST_POOL_ID, VITEST_WORKER_ID, VITEST_MODE, NODE_ENV, ...env } = process.env;
    await promisify(execFile)(process.execPath, [evalite, "run", path.join(folder, "calls.eval.ts"), "--outputPath", output], { env });
    const { suites } = JSON.parse(await readFile(output, "utf8"));
    const scores = suites[0].evals.map((it: { scores: unknown[] }) => it.scores);
    expect(scores).toMatchObject([[{ name: "Tool Call Accuracy", score: 1 }], [{ name: "Tool Call Accuracy", score: 0.5 }]]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
