// What scorers for the runners of others share. Not exported from the package.
import { type EvaluateInput, Evaluator } from "./evaluator.js";
import type { Evaluation, EvaluatorName, SettingsOf } from "./types.js";

/** Who judges; the settings of the evaluator stand beside. */
export type ScorerOptions<Name extends EvaluatorName = EvaluatorName> = {
  /** The evaluator; `trajectory` unless given. */
  evaluator?: Name;
  /** The lowest score that passes; 1 unless given. */
  threshold?: number;
} & Omit<SettingsOf<Name>, "threshold">;

/** What came out. */
export interface Judgement {
  /** The score, if there is one. */
  score: number | undefined;
  /** The alignment in words, or why there is no score. */
  reason: () => string;
  /** The whole evaluation, with its alignment. */
  evaluation: Evaluation;
}

/** Makes what judges calls, or whatever holds them. */
export function judge<Name extends EvaluatorName>(options: ScorerOptions<Name>): (expected: unknown, actual: unknown) => Judgement {
  const { evaluator: id = "trajectory", threshold = 1, ...settings } = options;
  const evaluator = new Evaluator(id as "trajectory", { ...settings, threshold } as SettingsOf<"trajectory">);
  return (expected, actual) => {
    const sides = { expected, actual } as EvaluateInput;
    const evaluation = evaluator.evaluate({ ...sides, explain: true });
    const { outcome, score } = evaluation;
    return { score, evaluation, reason: () => (outcome === undefined ? evaluator.explain(sides) : (evaluation.reason ?? "")) };
  };
}
