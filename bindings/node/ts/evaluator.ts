// Evaluates one case with one evaluator. Exported from the package's index.
import { ConfigError } from "./errors.js";
import { native, unwrap } from "./native.js";
import { dataNow } from "./live.js";
import type { Actual, Evaluation, EvaluatorName, Expected, SettingsOf } from "./types.js";
import { toJson } from "./values.js";

/** The two sides of a case. */
export interface Sides {
  /** The expectation. */
  expected?: Expected;
  /** The actual calls. */
  actual?: Actual;
}

/** The input of an evaluation, in addition to the evaluator's settings. */
export interface EvaluateInput extends Sides {
  /** Whether to include the alignment. */
  explain?: boolean;
}

/**
 * An evaluator with its settings. Created once, it judges any number of cases without looking them up again.
 *
 * @example
 * ```ts
 * const evaluator = new Evaluator("axion/tool-correctness", { check_parameters: true, threshold: 0.8 });
 * const { score } = evaluator.evaluate({ expected: ["find_order"], actual: [{ name: "find_order", args: { id: 7 } }] });
 * ```
 *
 * @typeParam Name - The id or an alias of the evaluator.
 */
export class Evaluator<Name extends EvaluatorName = EvaluatorName> {
  #compiled;

  /**
   * @param id - The evaluator.
   * @param settings - Its settings, including `edition` and `threshold`.
   * @throws {@link ConfigError} for an unknown evaluator or setting.
   */
  constructor(id: Name, settings: SettingsOf<Name> = {} as SettingsOf<Name>) {
    const compiled = native.evaluator(toJson({ ...settings, evaluator: id }));
    this.#compiled = typeof compiled === "string" ? unwrap<never>(compiled) : compiled;
  }

  /**
   * Judges one case.
   *
   * @param input - The expected and the actual calls.
   * @returns The score, or the reason why there is none.
   * @throws {@link CaseError} for a side that cannot be parsed.
   */
  evaluate({ expected, actual, explain = false }: EvaluateInput): Evaluation {
    return unwrap(this.#compiled.evaluate(caseText(expected, actual), explain));
  }

  /**
   * The evaluation as text: expected and actual calls side by side, the differences, and the calculation of the score.
   *
   * @param sides - As for {@link Evaluator.evaluate}.
   */
  explain({ expected, actual }: Sides): string {
    const text = unwrap<string>(this.#compiled.explain(caseText(expected, actual)));
    // Remove the terminal colours: this text is for messages.
    return text.replace(/\u001b\[[0-9;]*m/g, "").trimEnd();
  }
}

/**
 * Judges one case with one evaluator. For many cases, create an {@link Evaluator} once.
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
 * @param input - The expected and the actual calls, and the evaluator's settings with `edition` and `threshold`.
 * @returns The score, or the reason why there is none.
 * @throws {@link ConfigError} for an unknown evaluator or setting, {@link CaseError} for a side that cannot be parsed.
 */
export function evaluate<Name extends EvaluatorName>(id: Name, input: EvaluateInput & SettingsOf<Name>): Evaluation {
  const { sides, settings } = parts<Name>(input);
  return new Evaluator(id, settings).evaluate(sides);
}

/**
 * The evaluation as text: expected and actual calls side by side, the differences, and the calculation of the score.
 *
 * @param id - The evaluator.
 * @param input - As for {@link evaluate}.
 */
export function explain<Name extends EvaluatorName>(id: Name, input: EvaluateInput & SettingsOf<Name>): string {
  const { sides, settings } = parts<Name>(input);
  return new Evaluator(id, settings).explain(sides);
}

function parts<Name extends EvaluatorName>(input: EvaluateInput & SettingsOf<Name>): { sides: EvaluateInput; settings: SettingsOf<Name> } {
  if (typeof input !== "object" || input === null) {
    throw new ConfigError({ message: `expected an object with \`expected\` and \`actual\`, found ${input === null ? "null" : typeof input}` });
  }
  const { expected, actual, explain, ...settings } = input as EvaluateInput & Record<string, unknown>;
  return { sides: { expected, actual, explain } as EvaluateInput, settings: settings as unknown as SettingsOf<Name> };
}

const caseText = (expected: unknown, actual: unknown) =>
  toJson({ expected: dataNow(expected, "/expected"), actual: dataNow(actual, "/actual") });
