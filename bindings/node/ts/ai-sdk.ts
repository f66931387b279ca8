/**
 * This path gives what tpmjs' documentation says; `rightcall/package/tpmjs` gives what its package returns.
 *
 * `toolCallAccuracyScoreTool` of tpmjs, scored by rightcall: change the import, and nothing else.
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

/** What the tool takes: `expected` and `actual`, lists of `{ tool, args }`. */
export const inputSchema: z.ZodType<ToolCallAccuracyScoreInput> = z.object({
  expected: z.array(callSchema).describe("The tool calls that were expected"),
  actual: z.array(callSchema).describe("The tool calls that were made"),
});

/** What the tool gives. */
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

/** A tool call as tpmjs writes it. */
export interface ToolCall {
  /** The tool. */
  tool: string;
  /** The arguments. */
  args: Record<string, unknown>;
}

/** What the tool takes. */
export interface ToolCallAccuracyScoreInput {
  /** The calls that were expected. */
  expected: ToolCall[];
  /** The calls that were made. */
  actual: ToolCall[];
}

/** A call with the right arguments. */
export interface CorrectCall {
  /** The call that was expected. */
  expected: ToolCall;
  /** The call that was made. */
  actual: ToolCall;
  /** What became of it. */
  status: "correct";
  /** Whether the arguments are those expected. */
  argsMatch: true;
}

/** A call of the right tool with other arguments. */
export interface IncorrectCall {
  /** The call that was expected. */
  expected: ToolCall;
  /** The call that was made. */
  actual: ToolCall;
  /** What became of it. */
  status: "incorrect";
  /** Whether the arguments are those expected. */
  argsMatch: false;
  /** What is wrong, in words. */
  details: string;
}

/** An expected call that was not made. */
export interface MissedCall {
  /** The call that was expected. */
  expected: ToolCall;
  /** What became of it. */
  status: "missed";
  /** Whether the arguments are those expected. */
  argsMatch: false;
  /** What is wrong, in words. */
  details: string;
}

/** What the tool gives. */
export interface ToolCallAccuracyScore {
  /** F1 of precision and recall, in thousandths. */
  score: number;
  /** Number of expected calls. */
  totalExpected: number;
  /** Number of calls that were made. */
  totalActual: number;
  /** Calls with the right arguments. */
  correctCalls: CorrectCall[];
  /** Calls of the right tool with other arguments. */
  incorrectCalls: IncorrectCall[];
  /** Expected calls that were not made. */
  missedCalls: MissedCall[];
  /** Calls that nobody expected. */
  extraCalls: ToolCall[];
  /** All that in a line. */
  summary: string;
}

/** A tool of the AI SDK that can be executed directly too. */
export interface ToolCallAccuracyScoreTool<Output = ToolCallAccuracyScore> {
  /** What an agent reads of it. */
  description: string;
  /** What it takes. */
  inputSchema: z.ZodType<ToolCallAccuracyScoreInput>;
  /** What it gives. */
  outputSchema?: z.ZodType<Output>;
  /** Scores; `options`, which the SDK hands over, are not looked at. */
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

/** What the published package gives: the calls under `breakdown`, with precision, recall and F1 beside the score. */
export interface PackageToolCallAccuracyScore {
  /** The same as `f1`. */
  score: number;
  /** The share of the calls made that are correct, in thousandths. */
  precision: number;
  /** The share of the expected calls that were made correctly, in thousandths. */
  recall: number;
  /** F1 of precision and recall, in thousandths. */
  f1: number;
  /** Number of expected calls. */
  totalExpected: number;
  /** Number of calls that were made. */
  totalActual: number;
  /** The calls. */
  breakdown: Pick<ToolCallAccuracyScore, "correctCalls" | "incorrectCalls" | "missedCalls" | "extraCalls">;
  /** All that in a line. */
  summary: string;
}

/** The same tool as the published package has it, whose result has another shape than its documentation says. */
export const packageToolCallAccuracyScoreTool: ToolCallAccuracyScoreTool<PackageToolCallAccuracyScore> = {
  description,
  inputSchema,
  execute: asPackage,
};

interface Numbered {
  index: number;
}

/** As the package does it: the result holds the caller's own calls, and what JSON cannot hold is compared by the package's equality. */
async function asPackage({ expected, actual }: ToolCallAccuracyScoreInput): Promise<PackageToolCallAccuracyScore> {
  const { result } = unwrap<{ result: PackageToolCallAccuracyScore }>(
    native.original(ID, "package", "{}", ...packageSides(expected, actual), false),
  );
  const { correctCalls, incorrectCalls, missedCalls, extraCalls } = result.breakdown;
  // Null has no number; it can only be missed, in its order.
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
  // What is falsy counts among the calls that were made, and is never compared.
  const sides = [Array.from(expected, parts), Array.from(actual, (call, index) => (call ? parts(call, index) : null))] as const;
  const calls = sides.flat().filter((call) => call !== null);
  for (const { tool } of calls) {
    if (typeof tool === "object" ? tool !== null : tool !== undefined && !isJson(tool, true)) {
      throw new EvaluationError({ message: "a `tool` is no text, number, boolean or null" });
    }
  }
  if (!calls.every(({ args }) => args === undefined || isJson(args, false))) {
    // Arguments of one tool alone are compared.
    const numbers = new Map<unknown, ReturnType<typeof classes>>();
    for (const call of calls) {
      // Without arguments the package throws where it compares them.
      if (call.args === undefined || call.args === null) continue;
      const number = numbers.get(call.tool) ?? classes(tpmjsEqual);
      numbers.set(call.tool, number);
      call.args = { class: number(call.args) };
    }
  }
  return [JSON.stringify(sides[0]), JSON.stringify(sides[1])];
}
