// The addon, and what it answers. Not exported from the package.
import { CaseError, ConfigError, EvaluationError, type Facts, InternalError, ReadError, RightcallError } from "./errors.js";

/** What the addon offers; see `src/lib.rs`. */
interface Addon {
  evaluate(evaluator: string, judged: string, explained: boolean): string;
  explain(evaluator: string, judged: string): string;
  original(id: string, edition: string, config: string, expected: string, actual: string, explained: boolean): string;
  inspect(path: string): Promise<string>;
  commandLine(args: string[]): number;
  ScoreRun: new (source: string | Uint8Array, name: string, options: string, results: boolean) => ScoreRun;
}

/** A run in the background. */
export interface ScoreRun {
  next(): Promise<string>;
}

/** The addon, as it was built here or as the package of this platform holds it. */
export const native: Addon = load();

function load(): Addon {
  const platform: string = require("../platform.cjs").platform();
  try {
    return require(`../native/rightcall.${platform}.node`);
  } catch (here) {
    try {
      return require(`rightcall-${platform}`);
    } catch {
      throw new RightcallError({
        message: `there is no addon of rightcall for ${platform}: ${(here as Error).message}`,
        help: "install the package with its optional dependencies, or build it: npm run build in bindings/node",
      });
    }
  }
}

const classes: Record<string, new (facts: Facts) => RightcallError> = {
  config: ConfigError,
  case: CaseError,
  read: ReadError,
  evaluation: EvaluationError,
  internal: InternalError,
};

/** An error as the addon tells it. */
export function toError(facts: Facts & { kind: string }): RightcallError {
  return new (classes[facts.kind] ?? RightcallError)(facts);
}

/** What an answer holds; its error is thrown. */
export function unwrap<T>(answer: string): T {
  const { ok, error } = JSON.parse(answer) as { ok?: T; error?: Facts & { kind: string } };
  if (error) throw toError(error);
  return ok as T;
}

// Values that `JSON.stringify` cannot write travel as texts that no user's text can be, and lose their quotes at the end.
const mark = `\u0000${Math.random().toString(36).slice(2)}:`;
const marked = new RegExp(`"${JSON.stringify(mark).slice(1, -1).replace(/\\/g, "\\\\")}([^"]*)"`, "g");

/**
 * JSON text of a value, with what JSON itself has no word for: numbers that are not finite, and integers of any size.
 */
export function toJson(value: unknown): string {
  let hasMarks = false;
  const text = JSON.stringify(value, (_, it: unknown) => {
    if (typeof it === "bigint" || (typeof it === "number" && !Number.isFinite(it))) {
      hasMarks = true;
      return mark + (it === Infinity ? "1e999" : it === -Infinity ? "-1e999" : String(it));
    }
    return it;
  });
  if (text === undefined) return "null";
  return hasMarks ? text.replace(marked, "$1") : text;
}
