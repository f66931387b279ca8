/**
 * A scorer for Braintrust's `Eval`, and for any other runner that calls scorers with `{ output, expected }`.
 *
 * @packageDocumentation
 */
import { judge, type ScorerOptions } from "./scorer.js";
import type { EvaluatorName } from "./types.js";

export type { ScorerOptions } from "./scorer.js";

/** The arguments of a Braintrust scorer that we use. */
export interface ScorerArguments {
  /** The task's output: calls, messages, or a result of the AI SDK. */
  output: unknown;
  /** The expectation. */
  expected?: unknown;
  /** Further arguments. */
  [more: string]: unknown;
}

/** The result of a Braintrust scorer. */
export interface BraintrustScore {
  /** The name of the score. */
  name: string;
  /** The score, from 0 to 1; `null` if there is none. Braintrust leaves `null` out of its means. */
  score: number | null;
  /** The alignment, or why there is no score. */
  metadata: Record<string, unknown>;
}

/**
 * Creates a scorer of tool calls.
 *
 * @example
 * ```ts
 * Eval("Support", { data, task, scores: [toolCallScorer({ evaluator: "uipath/tool-call-order" })] });
 * ```
 *
 * @param options - The evaluator, its settings, and `name` (default: the evaluator's name).
 */
export function toolCallScorer<Name extends EvaluatorName = "trajectory">(
  options: ScorerOptions<Name> & { name?: string } = {} as ScorerOptions<Name>,
): (given: ScorerArguments) => BraintrustScore {
  const { name = options.evaluator ?? "trajectory", ...rest } = options as ScorerOptions & { name?: string };
  const judged = judge(rest);
  const scorer = ({ output, expected }: ScorerArguments): BraintrustScore => {
    const { score, reason, evaluation } = judged(expected, output);
    return { name, score: score ?? null, metadata: { ...(score === undefined && { reason: reason() }), ...evaluation } };
  };
  // Runners use the name of the function as the scorer's name.
  return Object.defineProperty(scorer, "name", { value: name });
}
