/**
 * `toolCallAccuracy` of Evalite, scored by rightcall: change the import, and nothing else.
 *
 * @packageDocumentation
 */
import { callsOf, type ToolCall, type ToolCallSource } from "./calls.js";
import { native, toJson, unwrap } from "./native.js";
import type { Alignment, Edition } from "./types.js";

export { EvaluationError } from "./errors.js";
export type { SdkResult, Step, ToolCall, ToolCallSource } from "./calls.js";

/** What parts of the score are worth. */
export interface ToolCallAccuracyWeights {
  /** Credit for the right function with the right arguments; 1. */
  exact: number;
  /** Credit for the right function with other arguments; 0.5. */
  nameOnly: number;
  /** Taken off for an extra call, in flexible mode; 0.25. */
  extraPenalty: number;
  /** Taken off for a wrong or missing call, in exact mode; 0.25. */
  wrongPenalty: number;
}

/** What `toolCallAccuracy` takes. */
export interface ToolCallAccuracyOptions {
  /**
   * The calls that were made: `toolCalls` of a result of the AI SDK; or the whole result or its `steps`, which hold the calls of every
   * step, where `toolCalls` holds those of the last alone until version 7 of the SDK.
   */
  actualCalls: ToolCallSource;
  /** The calls that are expected; `input` left out demands nothing of the arguments in exact mode. */
  expectedCalls: readonly ToolCall[] | undefined;
  /** Position by position, which is the default, or in any order. */
  mode?: "exact" | "flexible";
  /** Weights in place of the defaults. */
  weights?: Partial<ToolCallAccuracyWeights>;
  /** Whether the metadata say which call answers which and where arguments differ. */
  explain?: boolean;
  /** Evalite's documentation, which is the default, or its package, bit for bit. */
  edition?: Edition;
}

/** Numbers of calls. */
export interface ToolCallAccuracyTotals {
  /** Calls that were expected. */
  reference: number;
  /** Calls that were made. */
  output: number;
}

/** The calls behind a score in flexible mode, as they were given. */
export interface ToolCallAccuracyDetails {
  /** Calls of the right function with the right arguments. */
  matches: ToolCall[];
  /** Calls of the right function with other arguments. */
  nameOnlyMatches: ToolCall[];
  /** Calls that nobody expected. */
  extras: ToolCall[];
  /** Expected calls that were not made. */
  missingToolCalls: ToolCall[];
}

/** Details of a score. Which there are depends on the mode, and on whether a list is empty. */
export interface ToolCallAccuracyMetadata {
  /** How calls were compared. */
  mode: "exact" | "flexible";
  /** Calls of the right function with the right arguments. */
  exactMatches: number;
  /** Calls of the right function with other arguments. */
  nameOnlyMatches: number;
  /** Exact mode: calls in the wrong place, and expected calls that are missing. */
  wrongOrMissing?: number;
  /** Flexible mode: calls that nobody expected. */
  extras?: number;
  /** Flexible mode: tools that were expected and not called. */
  missing?: number;
  /** Numbers of calls. */
  totals: ToolCallAccuracyTotals;
  /** Flexible mode: the calls themselves. */
  details?: ToolCallAccuracyDetails;
  /** Both lists are empty. */
  note?: string;
  /** One list is empty. */
  warning?: string;
  /** Where one list is empty: number of calls that were made. */
  outputCount?: number;
  /** Where one list is empty: number of calls that were expected. */
  referenceCount?: number;
  /** Which call answers which; with `explain`. */
  alignment?: Alignment;
}

/** What `toolCallAccuracy` gives. */
export interface ToolCallAccuracyResult {
  /** What Evalite calls the score: `Tool Call Accuracy`. */
  name: string;
  /** What it shows beside the name. */
  description: string;
  /** The score, from 0 to 1. */
  score: number;
  /** How it came about. */
  metadata: ToolCallAccuracyMetadata;
}

/**
 * Checks whether the right functions were called with the right arguments.
 *
 * @example
 * ```ts
 * const { score } = await toolCallAccuracy({
 *   actualCalls: [{ toolName: "getWeather", input: { city: "Oslo" } }],
 *   expectedCalls: [{ toolName: "getWeather", input: { city: "Bergen" } }],
 * });
 * // 0.5: the right function, other arguments
 * ```
 *
 * @throws {@link EvaluationError} where Evalite throws: a list that is none, an unknown mode.
 */
export async function toolCallAccuracy(options: ToolCallAccuracyOptions): Promise<ToolCallAccuracyResult> {
  const { expectedCalls, mode, weights, explain = false, edition = "documented" } = options;
  const actualCalls = await callsOf(options.actualCalls);
  const { result, alignment } = unwrap<{ result: ToolCallAccuracyResult; alignment?: Alignment }>(
    native.original(
      "evalite/tool-call-accuracy",
      edition,
      toJson({ mode, weights: numbers(weights) }),
      toJson(numbered(expectedCalls)),
      toJson(numbered(actualCalls)),
      explain,
    ),
  );
  const { score, metadata } = result;
  const { details } = metadata;
  if (details) {
    const own = (calls: readonly ToolCall[], from: readonly ToolCall[] | undefined) =>
      calls.map((call) => from?.[(call as ToolCall & Numbered).index] as ToolCall);
    details.matches = own(details.matches, actualCalls);
    details.nameOnlyMatches = own(details.nameOnlyMatches, actualCalls);
    details.extras = own(details.extras, actualCalls);
    details.missingToolCalls = own(details.missingToolCalls, expectedCalls);
  }
  if (alignment) metadata.alignment = alignment;
  // JSON has no NaN, which is what a weight that is no number comes to.
  return { ...result, score: score ?? Number.NaN };
}

interface Numbered {
  index: number;
}

/** What is compared of the calls, with their places, so that the details can hold the caller's own objects. */
function numbered(calls: readonly ToolCall[] | undefined): unknown {
  if (!Array.isArray(calls)) return calls;
  return calls.map((call: unknown, index) => {
    if (typeof call !== "object" || call === null || Array.isArray(call)) return call;
    const { toolName, input } = call as Partial<ToolCall>;
    return { toolName, input, index };
  });
}

/** Weights as they stand; one that is given as `undefined` is no number, as it is to Evalite. */
function numbers(weights: Partial<ToolCallAccuracyWeights> | undefined): unknown {
  if (typeof weights !== "object" || weights === null) return weights;
  return Object.fromEntries(Object.entries(weights).map(([key, weight]) => [key, weight === undefined ? "undefined" : weight]));
}
