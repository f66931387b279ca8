// Shared by the scorers for other runners. Not exported from the package.
import { Evaluator } from "./evaluator.js";
import type { Case, Evaluation, EvaluatorEntry, EvaluatorName, SettingsOf } from "./types.js";

/** The evaluator, the threshold, and the evaluator's settings. */
export type ScorerOptions<Name extends EvaluatorName = EvaluatorName> = {
  /** The evaluator (default: `trajectory`). */
  evaluator?: Name;
  /** The lowest passing score (default: 1). */
  threshold?: number;
} & Omit<SettingsOf<Name>, "threshold">;

/** The result of a scorer. */
export interface Judgement {
  /** The score, if there is one. */
  score: number | undefined;
  /** The alignment as text, or the reason why there is no score. */
  reason: () => string;
  /** The whole evaluation with its alignment. */
  evaluation: Evaluation;
}

/** Creates a function that judges calls, or any value that holds them. */
export function judge<Name extends EvaluatorName>(options: ScorerOptions<Name>): (expected: unknown, actual: unknown) => Judgement {
  const { evaluator: id = "trajectory", threshold = 1, ...settings } = options;
  const evaluator = new Evaluator({ ...settings, threshold, evaluator: id } as EvaluatorEntry);
  return (expected, actual) => {
    const judged = { expected, actual } as Case;
    const evaluation = evaluator.evaluate(judged, { explain: true });
    const { outcome, score } = evaluation;
    return { score, evaluation, reason: () => (outcome === undefined ? evaluator.explain(judged) : (evaluation.reason ?? "")) };
  };
}
