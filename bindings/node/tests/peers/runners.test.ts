// Scorers in the real runners of Mastra and Braintrust, offline, with a scripted model.
import { expect, it } from "vitest";
import { toolCallScorer as braintrust } from "rightcall/braintrust";
import { toolCallScorer as mastra } from "rightcall/mastra";

import { scripted } from "../src/models.js";

// In variables, so that the compiler does not resolve these modules.
const [agents, evals, tools, braintrusts]: string[] = ["@mastra/core/agent", "@mastra/core/evals", "@mastra/core/tools", "braintrust"];

it("scores an agent in Mastra's runEvals", async () => {
  const [{ Agent }, { createScorer, runEvals }, { createTool }] = await Promise.all([import(agents!), import(evals!), import(tools!)]);
  const { z } = await import("zod");
  const lookUp = createTool({
    id: "findOrder",
    description: "Find an order",
    inputSchema: z.object({ id: z.number() }),
    execute: async () => ({ state: "shipped" }),
  });
  const agent = new Agent({
    id: "support",
    name: "support",
    instructions: "Help.",
    model: scripted({ calls: [["findOrder", { id: 7 }]] }, { text: "It was shipped." }),
    tools: { findOrder: lookUp },
  });
  const scorer = mastra(createScorer, { evaluator: "trajectory" });
  const item = { input: "Where is order 7?", groundTruth: [{ name: "findOrder", args: { id: 7 } }] };
  const found: { name: string; score: number }[] = [];
  const { scores } = await runEvals({
    target: agent,
    data: [item],
    scorers: [scorer],
    onItemComplete: ({ scorerResults }: { scorerResults: Record<string, { score: number; reason: string }> }) => {
      for (const [name, { score }] of Object.entries(scorerResults)) found.push({ name, score });
    },
  });
  expect(scores).toEqual({ "rightcall-trajectory": 1 });
  expect(found).toEqual([{ name: "rightcall-trajectory", score: 1 }]);
});

it("scores tasks in Braintrust's Eval", async () => {
  const { Eval } = await import(braintrusts!);
  const calls = (id: number) => [{ type: "tool-call", toolCallId: "c", toolName: "findOrder", input: { id } }];
  const { results } = await Eval(
    "Support",
    {
      data: () => [
        { input: 7, expected: [{ name: "findOrder", args: { id: 7 } }] },
        { input: 8, expected: [{ name: "findOrder", args: { id: 9 } }] },
      ],
      task: async (id: number) => ({ steps: [{ content: calls(id), finishReason: "tool-calls" }] }),
      scores: [braintrust(), braintrust({ evaluator: "uipath/tool-call-order" })],
    },
    { noSendLogs: true, reporter: { name: "none", reportEval: async () => true, reportRun: async () => true } },
  );
  const scores = results.map((it: { input: number; scores: object }) => [it.input, it.scores]).sort();
  expect(scores).toEqual([
    [7, { trajectory: 1, "uipath/tool-call-order": 1 }],
    [8, { trajectory: 0, "uipath/tool-call-order": 1 }],
  ]);
});
