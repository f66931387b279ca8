/**
 * `toolCallAccuracyScoreTool` of tpmjs, scored by rightcall: change the import, and nothing else.
 *
 * @packageDocumentation
 */
import { z } from "zod";

import { native, toJson, unwrap } from "./native.js";
import type { Edition } from "./types.js";

const callSchema = z.object({
  tool: z.string().describe("Name of the tool"),
  args: z.record(z.string(), z.unknown()).describe("Arguments passed to the tool"),
});

/** What the tool takes: `expected` and `actual`, lists of `{ tool, args }`. */
export const inputSchema = z.object({
  expected: z.array(callSchema).describe("The tool calls that were expected"),
  actual: z.array(callSchema).describe("The tool calls that were made"),
});

/** What the tool gives. */
export const outputSchema = z.object({
  score: z.number().describe("F1 score (0-1) based on precision and recall"),
  totalExpected: z.number(),
  totalActual: z.number(),
  correctCalls: z.array(
    z.object({ expected: callSchema, actual: callSchema, status: z.literal("correct"), argsMatch: z.literal(true) }),
  ),
  incorrectCalls: z.array(
    z.object({
      expected: callSchema,
      actual: callSchema,
      status: z.literal("incorrect"),
      argsMatch: z.literal(false),
      details: z.string(),
    }),
  ),
  missedCalls: z.array(
    z.object({ expected: callSchema, status: z.literal("missed"), argsMatch: z.literal(false), details: z.string() }),
  ),
  extraCalls: z.array(callSchema),
  summary: z.string().describe("Human-readable summary"),
});

/** A tool call as tpmjs writes it. */
export interface ToolCall {
  tool: string;
  args: Record<string, unknown>;
}

/** What the tool takes. */
export interface ToolCallAccuracyScoreInput {
  /** The calls that were expected. */
  expected: ToolCall[];
  /** The calls that were made. */
  actual: ToolCall[];
}

/** What the tool gives. */
export interface ToolCallAccuracyScore {
  /** F1 of precision and recall, in thousandths. */
  score: number;
  totalExpected: number;
  totalActual: number;
  /** Calls with the right arguments. */
  correctCalls: { expected: ToolCall; actual: ToolCall; status: "correct"; argsMatch: true }[];
  /** Calls of the right tool with other arguments. */
  incorrectCalls: { expected: ToolCall; actual: ToolCall; status: "incorrect"; argsMatch: false; details: string }[];
  /** Expected calls that were not made. */
  missedCalls: { expected: ToolCall; status: "missed"; argsMatch: false; details: string }[];
  /** Calls that nobody expected. */
  extraCalls: ToolCall[];
  /** All that in a line. */
  summary: string;
}

/** A tool of the AI SDK that can be executed directly too. */
export interface ToolCallAccuracyScoreTool<Output = ToolCallAccuracyScore> {
  description: string;
  inputSchema: z.ZodType<ToolCallAccuracyScoreInput>;
  outputSchema?: z.ZodType<Output>;
  execute(input: ToolCallAccuracyScoreInput, options?: unknown): Promise<Output>;
}

const description =
  "Scores the accuracy of actual tool calls against expected tool calls: F1 of precision and recall, with the calls that were " +
  "correct, incorrect, missed and extra.";

const execute =
  <Output>(edition: Edition) =>
  async ({ expected, actual }: ToolCallAccuracyScoreInput): Promise<Output> =>
    unwrap<{ result: Output }>(
      native.original("tpmjs/tool-call-accuracy-score", edition, "{}", toJson(expected), toJson(actual), false),
    ).result;

/**
 * Scores actual tool calls against expected ones, as a tool that an agent can call.
 *
 * @example
 * ```ts
 * const { score } = await toolCallAccuracyScoreTool.execute({
 *   expected: [{ tool: "search", args: { query: "news" } }],
 *   actual: [{ tool: "search", args: { query: "news" } }],
 * });
 * // 1
 * ```
 */
export const toolCallAccuracyScoreTool: ToolCallAccuracyScoreTool = {
  description,
  inputSchema,
  outputSchema,
  execute: execute("documented"),
};

/** What the published package gives: the calls under `breakdown`, with precision, recall and F1 beside the score. */
export interface PackageToolCallAccuracyScore {
  score: number;
  precision: number;
  recall: number;
  f1: number;
  totalExpected: number;
  totalActual: number;
  breakdown: Pick<ToolCallAccuracyScore, "correctCalls" | "incorrectCalls" | "missedCalls" | "extraCalls">;
  summary: string;
}

/** The same tool as the published package has it, whose result has another shape than its documentation says. */
export const packageToolCallAccuracyScoreTool: ToolCallAccuracyScoreTool<PackageToolCallAccuracyScore> = {
  description,
  inputSchema,
  execute: execute("package"),
};
