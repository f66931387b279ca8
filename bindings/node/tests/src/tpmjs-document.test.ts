// The examples in the documentation of tpmjs' tool, with the import changed and a scripted model.
import { generateText, stepCountIs } from "ai";
import { expect, it } from "vitest";
import { packageToolCallAccuracyScoreTool, toolCallAccuracyScoreTool } from "rightcall/ai-sdk";

import { scripted } from "./models.js";

const expected = [
  { tool: "searchWeb", args: { query: "tide tables" } },
  { tool: "summarize", args: { text: "a long article" } },
];
const actual = [
  { tool: "searchWeb", args: { query: "tide tables" } },
  { tool: "summarize", args: { text: "another text" } },
  { tool: "translateText", args: { text: "ebb", to: "nl" } },
];
const scored = {
  score: 0.4,
  totalExpected: 2,
  totalActual: 3,
  correctCalls: [{ expected: expected[0], actual: actual[0], status: "correct", argsMatch: true }],
  incorrectCalls: [
    {
      expected: expected[1],
      actual: actual[1],
      status: "incorrect",
      argsMatch: false,
      details: "Tool name matches but arguments differ",
    },
  ],
  missedCalls: [],
  extraCalls: [actual[2]],
  summary: "Accuracy Score: 40.0% | Correct: 1/2 | Incorrect: 1 | Missed: 0 | Extra: 1",
};

it("is called by an agent through generateText", async () => {
  const result = await generateText({
    model: scripted({ calls: [["scoreToolCalls", { expected, actual }]] }, { text: "Two calls of three are not as expected." }),
    tools: { scoreToolCalls: toolCallAccuracyScoreTool },
    stopWhen: stepCountIs(3),
    prompt: "Score these tool calls.",
  });
  expect(result.steps.length).toBe(2);
  expect(result.steps[0]!.toolResults.map((it) => it.output)).toEqual([scored]);
});

it("refuses through its schema what is no list of calls", async () => {
  const result = await generateText({
    model: scripted({ calls: [["scoreToolCalls", { expected: [{ tool: 7 }], actual }]] }),
    tools: { scoreToolCalls: toolCallAccuracyScoreTool },
    prompt: "Score these tool calls.",
  });
  expect(result.content.map((it) => it.type)).toContain("tool-error");
});

it("is executed directly", async () => {
  expect(await toolCallAccuracyScoreTool.execute({ expected, actual })).toEqual(scored);
});

it("tests a research agent", async () => {
  const expected = [
    { tool: "searchWeb", args: { query: "latest news of the tides" } },
    { tool: "fetchUrl", args: { url: "https://tides.example/1" } },
    { tool: "summarize", args: { maxLength: 500 } },
  ];
  const score = await toolCallAccuracyScoreTool.execute({ expected, actual: expected.slice(0, 2) });
  expect(score.score).toBe(0.8);
  expect(score.missedCalls.length).toBe(1);
  expect(score.missedCalls[0]!.status).toBe("missed");
});

it("has the shape of the published package too", async () => {
  const { breakdown, precision, recall, f1, score } = await packageToolCallAccuracyScoreTool.execute({ expected, actual });
  expect({ precision, recall, f1, score }).toEqual({ precision: 0.333, recall: 0.5, f1: 0.4, score: 0.4 });
  expect(breakdown.extraCalls).toEqual([actual[2]]);
});
