/**
 * An assertion for Promptfoo: `type: javascript`, `value: file://node_modules/rightcall/dist/promptfoo.js`.
 *
 * @packageDocumentation
 */
import { ConfigError } from "./errors.js";
import { evaluate, explain } from "./index.js";
import type { Call, EvaluatorName } from "./types.js";

/** What Promptfoo gives an assertion beside the output. */
export interface AssertionContext {
  /** The variables of the test. */
  vars?: Record<string, unknown>;
  /** The `config` of the assertion: `expected`, `evaluator`, `threshold` and the settings of the evaluator. */
  config?: Record<string, unknown>;
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
 * a response of a provider that holds them, as values or as JSON text.
 */
export default function toolCalls(output: unknown, { config = {}, vars = {} }: AssertionContext): GradingResult {
  const { evaluator = "trajectory", threshold = 1, expected = vars.expected, ...settings } = config;
  if (expected === undefined) {
    throw new ConfigError({ message: "nothing is expected", help: "give `expected` in the assertion's config or in the test's vars" });
  }
  const input = { ...settings, threshold: threshold as number, expected: value(expected) as object, actual: calls(output) };
  const evaluation = evaluate(evaluator as EvaluatorName, input);
  if (evaluation.outcome !== undefined) {
    return { pass: false, score: 0, reason: `no score: ${evaluation.reason}` };
  }
  const { score } = evaluation;
  return { pass: score >= (threshold as number), score, reason: explain(evaluator as EvaluatorName, input) };
}

/** Values as they are, or as the JSON text that variables and outputs may be. */
function value(it: unknown): unknown {
  return typeof it === "string" ? (parsed(it) ?? it) : it;
}

/** The calls of an output, in a shape that is read everywhere. */
function calls(output: unknown): object {
  const found = typeof output === "string" ? (parsed(output) ?? blocks(output)) : output;
  if (typeof found !== "object" || found === null) {
    const text = JSON.stringify(String(found).slice(0, 60));
    throw new ConfigError({ message: `no tool calls in the output ${text}`, help: "let the provider return its tool calls" });
  }
  // Promptfoo's providers return what a message holds, without the message.
  const made = (Array.isArray(found) ? found : [found]).map(madeCall).filter((it) => it !== undefined);
  return made.length > 0 ? made : found;
}

/** A call in the words of a provider. */
function madeCall(block: Record<string, any> | null): Call | undefined {
  if (block?.type === "function" && block.function) return { name: block.function.name, args: block.function.arguments };
  if (block?.type === "tool_use") return { name: block.name as string, args: block.input };
  if (block?.functionCall) return { name: block.functionCall.name, args: block.functionCall.args };
  return undefined;
}

/** The blocks of a message of Anthropic, which Promptfoo joins as text. */
function blocks(text: string): unknown {
  const found = text.split(/\n\s*\n/).map(parsed).filter((it) => typeof it === "object" && it !== null);
  return found.length > 0 ? found : text;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
