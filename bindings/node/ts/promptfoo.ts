/**
 * An assertion for Promptfoo: `type: javascript`, `value: file://node_modules/rightcall/dist/promptfoo.js`.
 *
 * @packageDocumentation
 */
import { CaseError, ConfigError } from "./errors.js";
import { type Judgement, judge, type ScorerOptions } from "./scorer.js";

/** What Promptfoo gives an assertion beside the output. */
export interface AssertionContext {
  /** The variables of the test. */
  vars?: Record<string, unknown>;
  /** The `config` of the assertion: `expected`, `evaluator`, `threshold` and the settings of the evaluator. */
  config?: Record<string, unknown>;
  /** What the provider returned, the output among it. */
  providerResponse?: unknown;
  /** What else Promptfoo gives. */
  [more: string]: unknown;
}

/** What Promptfoo takes from an assertion. */
export interface GradingResult {
  /** Whether the score reaches the threshold. */
  pass: boolean;
  /** The score, from 0 to 1; 0 where there is none. */
  score: number;
  /** The alignment, or why there is no score. */
  reason: string;
}

/**
 * Judges the tool calls of an output.
 *
 * `config` of the assertion holds `evaluator` (`trajectory` unless given), `threshold` (1 unless given), the settings of the evaluator,
 * and `expected`; without that, the variable `expected` of the test counts. The output is what the provider returns: calls, messages, or
 * a response of a provider that holds them, as values or as JSON text. A text without calls does not show that none were made:
 * there is no score.
 */
export default function toolCalls(output: unknown, { config = {}, vars = {}, providerResponse }: AssertionContext): GradingResult {
  const { expected = vars.expected, ...options } = config;
  if (expected === undefined) {
    throw new ConfigError({ message: "nothing is expected", help: "give `expected` in the assertion's config or in the test's vars" });
  }
  const { threshold = 1 } = options as ScorerOptions;
  const judged = judge(options as ScorerOptions);
  try {
    const { score, reason } = ofOutput((actual) => judged(value(expected), actual), output, providerResponse);
    return score === undefined ? { pass: false, score: 0, reason: `no score: ${reason()}` } : { pass: score >= threshold, score, reason: reason() };
  } catch (error) {
    // What the agent did and cannot be read is its failure; what is wrong in the test is an error.
    if (!isOfOutput(error)) throw error;
    return { pass: false, score: 0, reason: `no score: ${error.message}` };
  }
}

/** The output is read as in a file of Promptfoo's results; a value that has no score there, such as a whole response, as it is. */
function ofOutput(judged: (actual: unknown) => Judgement, output: unknown, response: unknown): Judgement {
  const isValue = typeof output === "object" && output !== null;
  let judgement: Judgement;
  try {
    judgement = judged({ testIdx: 0, promptIdx: 0, testCase: {}, prompt: {}, response: { ...(response as object), output } });
  } catch (error) {
    if (!isValue || !isOfOutput(error)) throw error;
    return judged(output);
  }
  if (judgement.score !== undefined || !isValue) return judgement;
  try {
    const second = judged(output);
    return second.score === undefined ? judgement : second;
  } catch (error) {
    if (!isOfOutput(error)) throw error;
    return judgement;
  }
}

const isOfOutput = (error: unknown): error is CaseError => error instanceof CaseError && (error.pointer?.startsWith("/actual") ?? false);

/** Values as they are, or as the JSON text that variables and outputs may be. */
function value(it: unknown): unknown {
  if (typeof it !== "string") return it;
  try {
    return JSON.parse(it);
  } catch {
    return it;
  }
}
