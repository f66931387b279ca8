// Scorers for other runners, called as the runners call them. `peers-tests` runs the real runners.
import { expect, it } from "vitest";
import { toolCallScorer as braintrust } from "rightcall/braintrust";
import { toolCallScorer as mastra } from "rightcall/mastra";

import { shapes } from "./shapes.js";

const expected = [{ name: "find", args: { id: 7 } }];

it("is called by Braintrust with output and expectation", () => {
  const scorer = braintrust({ evaluator: "axion/tool-correctness", check_parameters: true });
  expect(scorer.name).toBe("axion/tool-correctness");
  const judged = scorer({ input: "q", output: shapes["OpenAI chat"], expected: [...expected, "refund"].map((it) => it), metadata: {} });
  expect(judged).toMatchObject({ name: "axion/tool-correctness", score: null, metadata: { outcome: "not_applicable" } });
  expect(scorer({ output: shapes["OpenAI chat"], expected })).toMatchObject({ score: 1, metadata: { passed: true } });
  expect(braintrust({ name: "calls" })({ output: [], expected })).toMatchObject({ name: "calls", score: 0, metadata: { alignment: { missed: [0] } } });
});

/** A fake of Mastra's `createScorer` with the methods that we use. */
function createScorer(config: { id: string; description: string; type: string }) {
  type Step<T> = (given: { run: object; results: object }) => T;
  const steps: { score?: Step<number>; reason?: Step<string> } = {};
  const scorer = {
    config,
    generateScore(step: Step<number>) {
      steps.score = step;
      return scorer;
    },
    generateReason(step: Step<string>) {
      steps.reason = step;
      return scorer;
    },
    run: (run: object) => ({ score: steps.score!({ run, results: {} }), reason: steps.reason!({ run, results: {} }) }),
  };
  return scorer;
}

it("is made of Mastra's own scorer", () => {
  const scorer = mastra(createScorer, { evaluator: "uipath/tool-call-order" });
  expect(scorer.config).toMatchObject({ id: "rightcall-uipath-tool-call-order", type: "agent" });
  const { score, reason } = scorer.run({ input: {}, output: shapes["Mastra, messages"], groundTruth: ["find", "refund"] });
  expect(score).toBe(0.5);
  expect(reason).toContain("refund");
  const own = mastra(createScorer, { expected, id: "calls" });
  expect(own.run({ output: shapes["Mastra, steps"] }).score).toBe(1);
  expect(() => own.run({ output: [{ name: "find" }] })).toThrow("no score");
});
