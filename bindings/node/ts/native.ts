// The addon and its answers. Not exported from the package.
import { CaseError, ConfigError, EvaluationError, type Facts, InternalError, ReadError, RightcallError } from "./errors.js";
import { fromJson } from "./values.js";

/** The functions of the addon; see `src/lib.rs`. */
interface Addon {
  evaluator(given: string): CompiledEvaluator | string;
  guard(source: "rules" | "file" | "snapshot", given: string, mode: string, maxRefusals: number): RunGuard | string;
  original(id: string, edition: string, config: string, expected: string, actual: string, explained: boolean): string;
  calls(source: string | Uint8Array, format?: string, tools?: string, map?: string): string;
  learn(runs: string[], args: string, noise: number, variants: number | undefined, openRepeats: boolean): string;
  inspect(path: string): Promise<string>;
  commandLine(args: string[]): number;
  ScoreRun: new (source: string | Uint8Array | readonly string[], name: string, options: string, results: boolean) => ScoreRun;
}

/** An evaluator that is ready to judge. */
export interface CompiledEvaluator {
  evaluate(judged: string, explained: boolean): string;
  explain(judged: string): string;
}

/** The state of a guard. */
export interface RunGuard {
  admit(call: string): string;
  may(call: string): string;
  observe(call: string): string;
  result(call: number, output: string | undefined, failed: boolean | undefined): string;
  verdicts(): string;
  next(): string;
  open(): string;
  reminder(): string | null;
  stopped(): string | null;
  snapshot(): string;
  finish(): string;
}

/** A run in the background. */
export interface ScoreRun {
  next(): Promise<string>;
  close(): void;
}

/** The addon: the local build, or the one in this platform's package. */
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

/** Converts an error of the addon. */
export function toError(facts: Facts & { kind: string }): RightcallError {
  return new (classes[facts.kind] ?? RightcallError)(facts);
}

/** The value of an answer; throws its error. */
export const unwrap = <T>(answer: string): T => valueOf(JSON.parse(answer));

/** The same for an answer with the values of calls, whose numbers stay as they are: see {@link fromJson}. */
export const unwrapCalls = <T>(answer: string): T => valueOf(fromJson(answer));

function valueOf<T>(answer: unknown): T {
  const { ok, error } = answer as { ok?: T; error?: Facts & { kind: string } };
  if (error) throw toError(error);
  return ok as T;
}
