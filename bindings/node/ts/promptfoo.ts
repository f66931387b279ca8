/**
 * An assertion for Promptfoo: `type: javascript`, `value: file://node_modules/rightcall/dist/promptfoo.js`.
 *
 * @packageDocumentation
 */
import { CaseError, ConfigError, InternalError } from "./errors.js";
import { native, unwrap } from "./native.js";
import { judge, type ScorerOptions } from "./scorer.js";
import { toJson } from "./values.js";

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
 * a response of a provider that holds them, as values or as JSON text. An answer without calls is a run without calls.
 */
export default function toolCalls(output: unknown, { config = {}, vars = {} }: AssertionContext): GradingResult {
  const { expected = vars.expected, ...options } = config;
  if (expected === undefined) {
    throw new ConfigError({ message: "nothing is expected", help: "give `expected` in the assertion's config or in the test's vars" });
  }
  const { threshold = 1 } = options as ScorerOptions;
  try {
    const { score, reason } = judge(options as ScorerOptions, value(expected), made(output));
    return score === undefined ? { pass: false, score: 0, reason: `no score: ${reason()}` } : { pass: score >= threshold, score, reason: reason() };
  } catch (error) {
    // What the agent did and cannot be read is its failure; what is wrong in the test is an error.
    if (!(error instanceof CaseError) || !error.pointer?.startsWith("/actual")) throw error;
    return { pass: false, score: 0, reason: `no score: ${error.message}` };
  }
}

/** Values as they are, or as the JSON text that variables and outputs may be. */
function value(it: unknown): unknown {
  return typeof it === "string" ? (parsed(it) ?? it) : it;
}

/** The calls of an output, in a shape that is read everywhere. */
function made(output: unknown): unknown {
  const found = typeof output === "string" ? blocks(output) : output;
  if (typeof found !== "object" || found === null) return [];
  // Promptfoo's providers return what a message holds, without the message.
  const calls = (Array.isArray(found) ? found : [found]).map(madeCall).filter((it) => it !== undefined);
  const text = toJson(found, "/actual");
  const likely = native.likelyCalls(text);
  if (calls.length > 0 && likely <= calls.length) return calls;
  return likely === 0 && !isRead(text) ? [] : found;
}

/** Whether the engine reads a value as calls, or as messages without any. */
function isRead(text: string): boolean {
  try {
    unwrap(native.calls(text));
    return true;
  } catch (error) {
    if (error instanceof InternalError) throw error;
    return false;
  }
}

/** A call in the words of a provider. */
function madeCall(block: Record<string, any> | null): object | undefined {
  if (block?.type === "function" && block.function) return { name: block.function.name, args: block.function.arguments };
  if (block?.type === "function_call") return { name: block.name, args: block.arguments };
  if (block?.type === "tool_use") return { name: block.name, args: block.input };
  if (block?.functionCall) return { name: block.functionCall.name, args: block.functionCall.args };
  return undefined;
}

/** What a text holds as JSON: as a whole, or in blocks and lines, as Promptfoo joins the parts of a message of Anthropic or Responses. */
function blocks(text: string): unknown {
  const whole = parsed(text);
  if (isObject(whole)) return whole;
  const parts = text.split(/\n\s*\n/).flatMap((block) => {
    const found = parsed(block);
    return isObject(found) ? [found] : block.split("\n").map(parsed).filter(isObject);
  });
  return parts.flat();
}

const isObject = (it: unknown): it is object => typeof it === "object" && it !== null;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
