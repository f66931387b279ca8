/**
 * The numbers of tpmjs' documentation; `rightcall/package/tpmjs` has those of its package.
 *
 * `toolCallAccuracyScoreTool` of tpmjs, scored by rightcall: only the import changes.
 *
 * @packageDocumentation
 */
import { z } from "zod";

import { tpmjsEqual } from "./equality.js";
import { EvaluationError } from "./errors.js";
import { native, unwrap } from "./native.js";
import { classes, isJson, toJson } from "./values.js";

const callSchema = z.object({
  tool: z.string().describe("Name of the tool"),
  args: z.record(z.string(), z.unknown()).describe("Arguments passed to the tool"),
});

/** The input of the tool: `expected` and `actual`, lists of `{ tool, args }`. */
export const inputSchema: z.ZodType<ToolCallAccuracyScoreInput> = z.object({
  expected: z.array(callSchema).describe("The tool calls that were expected"),
  actual: z.array(callSchema).describe("The tool calls that were made"),
});

/** The output of the tool. */
export const outputSchema: z.ZodType<ToolCallAccuracyScore> = z.object({
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

/** A tool call in tpmjs' format. */
export interface ToolCall {
  /** The tool. */
  tool: string;
  /** The arguments. */
  args: Record<string, unknown>;
}

/** The input of the tool. */
export interface ToolCallAccuracyScoreInput {
  /** The expected calls. */
  expected: ToolCall[];
  /** The actual calls. */
  actual: ToolCall[];
}

/** A call with the right arguments. */
export interface CorrectCall {
  /** The expected call. */
  expected: ToolCall;
  /** The actual call. */
  actual: ToolCall;
  /** The status of the call. */
  status: "correct";
  /** Whether the arguments match. */
  argsMatch: true;
}

/** A call of the right tool with different arguments. */
export interface IncorrectCall {
  /** The expected call. */
  expected: ToolCall;
  /** The actual call. */
  actual: ToolCall;
  /** The status of the call. */
  status: "incorrect";
  /** Whether the arguments match. */
  argsMatch: false;
  /** What differs, in words. */
  details: string;
}

/** An expected call that was not made. */
export interface MissedCall {
  /** The expected call. */
  expected: ToolCall;
  /** The status of the call. */
  status: "missed";
  /** Whether the arguments match. */
  argsMatch: false;
  /** What is missing, in words. */
  details: string;
}

/** The output of the tool. */
export interface ToolCallAccuracyScore {
  /** F1 of precision and recall, rounded to thousandths. */
  score: number;
  /** Number of expected calls. */
  totalExpected: number;
  /** Number of actual calls. */
  totalActual: number;
  /** Calls with the right arguments. */
  correctCalls: CorrectCall[];
  /** Calls of the right tool with different arguments. */
  incorrectCalls: IncorrectCall[];
  /** Expected calls that were not made. */
  missedCalls: MissedCall[];
  /** Calls that were not expected. */
  extraCalls: ToolCall[];
  /** A summary in one line. */
  summary: string;
}

/** An AI SDK tool that can also be executed directly. */
export interface ToolCallAccuracyScoreTool<Output = ToolCallAccuracyScore> {
  /** The description for an agent. */
  description: string;
  /** The schema of its input. */
  inputSchema: z.ZodType<ToolCallAccuracyScoreInput>;
  /** The schema of its output. */
  outputSchema?: z.ZodType<Output>;
  /** Computes the score; `options` from the SDK are ignored. */
  execute(input: ToolCallAccuracyScoreInput, options?: unknown): Promise<Output>;
}

const description =
  "Scores the accuracy of actual tool calls against expected tool calls: F1 of precision and recall, with the calls that were " +
  "correct, incorrect, missed and extra.";

const ID = "tpmjs/tool-call-accuracy-score";

const documented = async ({ expected, actual }: ToolCallAccuracyScoreInput): Promise<ToolCallAccuracyScore> =>
  unwrap<{ result: ToolCallAccuracyScore }>(
    native.original(ID, "documented", "{}", toJson(expected, "/expected"), toJson(actual, "/actual"), false),
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
  execute: documented,
};

/** The output of the published package: the calls under `breakdown`, and precision, recall and F1 in addition to the score. */
export interface PackageToolCallAccuracyScore {
  /** The same as `f1`. */
  score: number;
  /** The share of actual calls that are correct, rounded to thousandths. */
  precision: number;
  /** The share of expected calls that were made correctly, rounded to thousandths. */
  recall: number;
  /** F1 of precision and recall, rounded to thousandths. */
  f1: number;
  /** Number of expected calls. */
  totalExpected: number;
  /** Number of actual calls. */
  totalActual: number;
  /** The calls. */
  breakdown: Pick<ToolCallAccuracyScore, "correctCalls" | "incorrectCalls" | "missedCalls" | "extraCalls">;
  /** A summary in one line. */
  summary: string;
}

/** The tool as in the published package, whose output differs from its documentation. */
export const packageToolCallAccuracyScoreTool: ToolCallAccuracyScoreTool<PackageToolCallAccuracyScore> = {
  description,
  inputSchema,
  execute: asPackage,
};

interface Numbered {
  index: number;
}

/**
 * Works like the package: the result contains the caller's own call objects, and the package's equality compares values that JSON cannot
 * represent.
 */
async function asPackage({ expected, actual }: ToolCallAccuracyScoreInput): Promise<PackageToolCallAccuracyScore> {
  const { result } = unwrap<{ result: PackageToolCallAccuracyScore }>(
    native.original(ID, "package", "{}", ...packageSides(expected, actual), false),
  );
  const { correctCalls, incorrectCalls, missedCalls, extraCalls } = result.breakdown;
  // A null call gets no number; it can only be missed, in its place.
  const none = Array.isArray(expected) ? expected.filter((call) => call === null || call === undefined) : [];
  const own = (call: ToolCall | null, from: ToolCall[]) => (call ? from[(call as ToolCall & Numbered).index] : none.shift()) as ToolCall;
  for (const pair of [...correctCalls, ...incorrectCalls]) {
    pair.expected = own(pair.expected, expected);
    pair.actual = own(pair.actual, actual);
  }
  for (const missed of missedCalls) missed.expected = own(missed.expected, expected);
  result.breakdown.extraCalls = extraCalls.map((call) => own(call, actual));
  return result;
}

function packageSides(expected: ToolCall[], actual: ToolCall[]): [string, string] {
  if (!Array.isArray(expected) || !Array.isArray(actual)) return [toJson(expected), toJson(actual)];
  const parts = (call: ToolCall, index: number) =>
    call === null || call === undefined ? null : { tool: call.tool, args: call.args as unknown, index };
  // Falsy values count as actual calls, and are never compared.
  const sides = [Array.from(expected, parts), Array.from(actual, (call, index) => (call ? parts(call, index) : null))] as const;
  const calls = sides.flat().filter((call) => call !== null);
  for (const { tool } of calls) {
    if (typeof tool === "object" ? tool !== null : tool !== undefined && !isJson(tool, true)) {
      throw new EvaluationError({ message: "a `tool` is no text, number, boolean or null" });
    }
  }
  if (!calls.every(({ args }) => args === undefined || isJson(args, false))) {
    // Arguments are compared only between calls of the same tool.
    const numbers = new Map<unknown, ReturnType<typeof classes>>();
    for (const call of calls) {
      // The package throws when it compares missing arguments.
      if (call.args === undefined || call.args === null) continue;
      const number = numbers.get(call.tool) ?? classes(tpmjsEqual);
      numbers.set(call.tool, number);
      call.args = { class: number(call.args) };
    }
  }
  return [JSON.stringify(sides[0]), JSON.stringify(sides[1])];
}
