/**
 * The matcher `toMatchToolCalls`, for `expect.extend` of vitest and Jest.
 *
 * @packageDocumentation
 */
import { EvaluationError } from "./errors.js";
import { Evaluator } from "./evaluator.js";
import { dataOf } from "./live.js";
import type { Actual, EvaluatorName, Expected, SettingsOf } from "./types.js";

/** Who judges, and how good calls must be. */
export type ToolCallMatcherOptions<Name extends EvaluatorName = "trajectory"> = {
  /** The evaluator; `trajectory` unless given. */
  evaluator?: Name;
  /** The lowest score that passes; 1 unless given. */
  threshold?: number;
} & Omit<SettingsOf<Name>, "threshold">;

/** What a matcher gives. */
export interface MatcherResult {
  /** Whether the calls are those expected. */
  pass: boolean;
  /** What to say where that is not as it should be. */
  message: () => string;
}

/**
 * Passes if the calls are those expected: under `trajectory`, unless another evaluator is named, with a score of 1, unless a threshold
 * is given. The message of a failure shows expected and actual calls side by side, and what differs.
 *
 * @param received - Calls in any shape that is read, or a result of the AI SDK, or its steps.
 * @param expected - What is expected.
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
  const judge = new Evaluator(evaluator as "trajectory", { ...settings, threshold } as SettingsOf<"trajectory">);
  const evaluation = judge.evaluate({ expected, actual });
  if (evaluation.outcome !== undefined) {
    // Neither `expect` nor its `not` may take this for an answer.
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
