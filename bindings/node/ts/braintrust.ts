/**
 * A scorer for `Eval` of Braintrust, and for any other runner that calls scorers with `{ output, expected }`.
 *
 * @packageDocumentation
 */
import { judge, type ScorerOptions } from "./scorer.js";
import type { EvaluatorName } from "./types.js";

export type { ScorerOptions } from "./scorer.js";

/** What Braintrust hands to a scorer, as far as it is looked at. */
export interface ScorerArguments {
  /** What the task gave: calls, messages, a result of the AI SDK. */
  output: unknown;
  /** What is expected. */
  expected?: unknown;
  /** What else it hands over. */
  [more: string]: unknown;
}

/** What Braintrust takes from a scorer. */
export interface BraintrustScore {
  /** What the score is called. */
  name: string;
  /** The score, from 0 to 1; `null`, which Braintrust leaves out of its means, where there is none. */
  score: number | null;
  /** The alignment, or why there is no score. */
  metadata: Record<string, unknown>;
}

/**
 * Makes a scorer of tool calls.
 *
 * @example
 * ```ts
 * Eval("Support", { data, task, scores: [toolCallScorer({ evaluator: "uipath/tool-call-order" })] });
 * ```
 *
 * @param options - The evaluator, its settings, and `name`, which is that of the evaluator unless given.
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
  // Runners call a scorer by the name of its function.
  return Object.defineProperty(scorer, "name", { value: name });
}
