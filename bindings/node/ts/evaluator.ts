// Evaluates one case with one evaluator. Exported from the package's index.
import { ConfigError } from "./errors.js";
import { native, type CompiledEvaluator, unwrap } from "./native.js";
import { dataNow, isObject } from "./live.js";
import { check, checkOptions, checks } from "./options.js";
import type { Case, Evaluation, EvaluatorArgument } from "./types.js";
import { kindOf, toJson } from "./values.js";

/** An evaluator: its name, an entry with settings, or one that was made before. */
export type EvaluatorLike = EvaluatorArgument | Evaluator;

/** The options of an evaluation. */
export interface EvaluateOptions {
  /** Whether to include the alignment. */
  explain?: boolean;
}

/**
 * An evaluator with its settings. Created once, it judges any number of cases without looking them up again.
 *
 * @example
 * ```ts
 * const evaluator = new Evaluator({ evaluator: "axion/tool-correctness", check_parameters: true, threshold: 0.8 });
 * const { score } = evaluator.evaluate({ expected: ["find_order"], actual: [{ name: "find_order", args: { id: 7 } }] });
 * ```
 */
export class Evaluator {
  /** @internal The argument of `-e`. */
  readonly argument: string;
  #compiled: CompiledEvaluator;

  /**
   * @param evaluator - Its name, or an entry with settings, including `edition` and `threshold`.
   * @throws {@link ConfigError} for an unknown evaluator or setting.
   */
  constructor(evaluator: EvaluatorArgument) {
    check(evaluator, checks.evaluator, "evaluator");
    this.argument = typeof evaluator === "string" ? evaluator : toJson(evaluator);
    const compiled = native.evaluator(this.argument);
    this.#compiled = typeof compiled === "string" ? unwrap<never>(compiled) : compiled;
  }

  /**
   * Judges one case.
   *
   * @param judged - The case: what was expected and what the agent did.
   * @param options - What the evaluation includes.
   * @returns The score, or the reason why there is none.
   * @throws {@link CaseError} for a side that cannot be parsed.
   */
  evaluate(judged: Case, options: EvaluateOptions = {}): Evaluation {
    checkOptions(options, { explain: checks.flag });
    return unwrap(this.#compiled.evaluate(caseText(judged), options.explain ?? false));
  }

  /**
   * The evaluation as text: expected and actual calls side by side, the differences, and the calculation of the score.
   *
   * @param judged - The case, as for {@link Evaluator.evaluate}.
   */
  explain(judged: Case): string {
    const text = unwrap<string>(this.#compiled.explain(caseText(judged)));
    // Remove the terminal colours: this text is for messages.
    return text.replace(/\u001b\[[0-9;]*m/g, "").trimEnd();
  }
}

/**
 * Judges one case with one evaluator. For many cases, create an {@link Evaluator} once.
 *
 * @example
 * ```ts
 * const { score } = evaluate(
 *   { evaluator: "axion/tool-correctness", check_parameters: true },
 *   {
 *     expected: [{ name: "find_order", args: { id: 7 } }, { name: "refund", args: { id: 7 } }],
 *     actual: [{ name: "find_order", args: { id: 7 } }],
 *   },
 * );
 * // 0.5
 * ```
 *
 * @param evaluator - Its name, an entry with settings, or an {@link Evaluator}.
 * @param judged - The case: what was expected and what the agent did.
 * @param options - What the evaluation includes.
 * @returns The score, or the reason why there is none.
 * @throws {@link ConfigError} for an unknown evaluator or setting, {@link CaseError} for a side that cannot be parsed.
 */
export function evaluate(evaluator: EvaluatorLike, judged: Case, options: EvaluateOptions = {}): Evaluation {
  return made(evaluator).evaluate(judged, options);
}

/**
 * The evaluation as text: expected and actual calls side by side, the differences, and the calculation of the score.
 *
 * @param evaluator - As for {@link evaluate}.
 * @param judged - The case.
 */
export function explain(evaluator: EvaluatorLike, judged: Case): string {
  return made(evaluator).explain(judged);
}

const made = (evaluator: EvaluatorLike) => (evaluator instanceof Evaluator ? evaluator : new Evaluator(evaluator));

function caseText(judged: unknown): string {
  if (!isObject(judged) || Array.isArray(judged)) {
    throw new ConfigError({ message: `expected a case, an object with \`expected\` and \`actual\`, found ${kindOf(judged)}` });
  }
  const { expected, actual } = judged;
  return toJson({ ...judged, expected: dataNow(expected, "/expected"), actual: dataNow(actual, "/actual") });
}
