/**
 * Did the agent make the right calls? Scores tool calls by the metrics of the field, and says why.
 *
 * @packageDocumentation
 */
import { native, unwrap } from "./native.js";
import { dataNow } from "./sources.js";
import type { Actual, Evaluation, EvaluatorName, Expected, Inspection, SettingsOf } from "./types.js";
import { toJson } from "./values.js";

export { CaseError, ConfigError, EvaluationError, InternalError, ReadError, RightcallError } from "./errors.js";
export type * from "./evaluators.js";
export { FileRun, type RunProgress, score, scoreFile, type ScoredCases, type ScoreFileOptions, type ScoreOptions } from "./run.js";
export type * from "./types.js";

/** What is judged, beside the settings of the evaluator. */
export interface EvaluateInput {
  /** What is expected. */
  expected?: Expected;
  /** What was called. */
  actual?: Actual;
  /** Whether the evaluation has the alignment. */
  explain?: boolean;
}

/**
 * Judges one case by one evaluator.
 *
 * @example
 * ```ts
 * const { score } = evaluate("axion/tool-correctness", {
 *   expected: [{ name: "find_order", args: { id: 7 } }, { name: "refund", args: { id: 7 } }],
 *   actual: [{ name: "find_order", args: { id: 7 } }],
 *   check_parameters: true,
 * });
 * // 0.5
 * ```
 *
 * @param id - The evaluator.
 * @param input - What is expected and what was called, with the settings of the evaluator, `edition` and `threshold` beside them.
 * @returns The score, or why there is none.
 * @throws {@link ConfigError} for an unknown evaluator or setting, {@link CaseError} where the calls have no shape that is known.
 */
export function evaluate<Name extends EvaluatorName>(id: Name, input: EvaluateInput & SettingsOf<Name>): Evaluation {
  const { expected, actual, explain = false, ...settings } = input as EvaluateInput & Record<string, unknown>;
  return unwrap(native.evaluate(toJson({ ...settings, evaluator: id }), caseText(expected, actual), explain));
}

/**
 * The same as text for people: expected and actual side by side, what differs, how the score came about.
 *
 * @param id - The evaluator.
 * @param input - As for {@link evaluate}.
 */
export function explain<Name extends EvaluatorName>(id: Name, input: EvaluateInput & SettingsOf<Name>): string {
  const { expected, actual, explain: _, ...settings } = input as EvaluateInput & Record<string, unknown>;
  const text = unwrap<string>(native.explain(toJson({ ...settings, evaluator: id }), caseText(expected, actual)));
  // The colours are for terminals, and this is for messages.
  return text.replace(/\u001b\[[0-9;]*m/g, "").trimEnd();
}

const caseText = (expected: unknown, actual: unknown) =>
  toJson({ expected: dataNow(expected, "expected"), actual: dataNow(actual, "actual") });

/**
 * Says what a file of traces holds: calls by tool, what was left out, what was not recorded.
 *
 * @param path - A file in any format that is read; `npx rightcall formats` lists them.
 */
export async function inspect(path: string): Promise<Inspection> {
  return unwrap(await native.inspect(path));
}
