/**
 * An assertion for Promptfoo: `type: javascript`, `value: file://node_modules/rightcall/dist/promptfoo.js`.
 *
 * @packageDocumentation
 */
import { CaseError, ConfigError } from "./errors.js";
import { type Judgement, judge, type ScorerOptions } from "./scorer.js";

/** The context that Promptfoo passes to an assertion, in addition to the output. */
export interface AssertionContext {
  /** The variables of the test. */
  vars?: Record<string, unknown>;
  /** The `config` of the assertion: `expected`, `evaluator`, `threshold` and the evaluator's settings. */
  config?: Record<string, unknown>;
  /** The provider's whole response, including the output. */
  providerResponse?: unknown;
  /** Further members. */
  [more: string]: unknown;
}

/** The result of an assertion. */
export interface GradingResult {
  /** Whether the score is at least the threshold. */
  pass: boolean;
  /** The score, from 0 to 1; 0 if there is none. */
  score: number;
  /** The alignment, or why there is no score. */
  reason: string;
}

/**
 * Judges the tool calls of an output.
 *
 * The assertion's `config` has `evaluator` (default: `trajectory`), `threshold` (default: 1), the evaluator's settings, and `expected`
 * (default: the test's variable `expected`). The output is the provider's return value: calls, messages, or a provider response that holds
 * them, as values or as JSON text. A text without calls does not prove that no calls were made, so there is no score.
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
    // Output that cannot be parsed is a failure of the agent. An error in the test itself is thrown.
    if (!isOfOutput(error)) throw error;
    return { pass: false, score: 0, reason: `no score: ${error.message}` };
  }
}

/**
 * Parses the output as in a file of Promptfoo results. If that has no score, for example for a whole response, parses the response itself.
 */
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

/** Parses JSON text, which variables and outputs may be; other values are returned unchanged. */
function value(it: unknown): unknown {
  if (typeof it !== "string") return it;
  try {
    return JSON.parse(it);
  } catch {
    return it;
  }
}
