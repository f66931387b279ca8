/**
 * The matcher `toMatchToolCalls`, for `expect.extend` of vitest and Jest.
 *
 * @packageDocumentation
 */
import { EvaluationError } from "./errors.js";
import { Evaluator } from "./evaluator.js";
import { dataOf } from "./live.js";
import type { Actual, EvaluatorEntry, EvaluatorName, Expected, SettingsOf } from "./types.js";

/** The evaluator, its settings, and the threshold. */
export type ToolCallMatcherOptions<Name extends EvaluatorName = "trajectory"> = {
  /** The evaluator (default: `trajectory`). */
  evaluator?: Name;
  /** The lowest passing score (default: 1). */
  threshold?: number;
} & Omit<SettingsOf<Name>, "threshold">;

/** The result of a matcher. */
export interface MatcherResult {
  /** Whether the calls match. */
  pass: boolean;
  /** The message for a failure. */
  message: () => string;
}

/**
 * Passes if the calls match the expected ones: by default, if `trajectory` scores 1. Another evaluator and a threshold may be given. The
 * message of a failure shows expected and actual calls side by side, with the differences.
 *
 * @param received - Calls in any supported shape, an AI SDK result, or its steps.
 * @param expected - The expectation.
 * @param options - The evaluator, its settings and the threshold.
 */
export function toMatchToolCalls<Name extends EvaluatorName = "trajectory">(
  received: Actual,
  expected: Expected,
  options?: ToolCallMatcherOptions<Name>,
): MatcherResult | Promise<MatcherResult> {
  const judge = (actual: Actual) => verdict(actual, expected, options ?? ({} as ToolCallMatcherOptions<Name>));
  const data = dataOf(received) as Actual;
  return data instanceof Promise ? data.then(judge) : judge(data);
}

function verdict<Name extends EvaluatorName>(actual: Actual, expected: Expected, options: ToolCallMatcherOptions<Name>): MatcherResult {
  const { evaluator = "trajectory", threshold = 1, ...settings } = options;
  const judge = new Evaluator({ ...settings, threshold, evaluator } as EvaluatorEntry);
  const evaluation = judge.evaluate({ expected, actual });
  if (evaluation.outcome !== undefined) {
    // Without a score, neither `expect` nor `expect(…).not` may pass.
    throw new EvaluationError({ message: `${evaluator} gives no score: ${evaluation.reason}` });
  }
  const pass = evaluation.score >= threshold;
  const message = () => {
    const wish = pass ? "expected other tool calls than these" : "expected these tool calls";
    return `${wish}\n\n${judge.explain({ expected, actual })}\n`;
  };
  return { pass, message };
}

/** `expect.extend(matchers)`. */
export const matchers = {
  /** {@inheritDoc toMatchToolCalls} */
  toMatchToolCalls,
};
