/**
 * Did the agent make the right calls? Scores tool calls by the metrics of the field, and says why.
 *
 * @packageDocumentation
 */
import { native, unwrap } from "./native.js";
import { check, checks } from "./options.js";
import type { Inspection } from "./types.js";

export { calls, type Calls, type CallsOptions } from "./calls.js";
export { CaseError, ConfigError, EvaluationError, InternalError, ReadError, RightcallError, RunStopped } from "./errors.js";
export { evaluate, type EvaluateOptions, Evaluator, type EvaluatorLike, explain } from "./evaluator.js";
export type * from "./evaluators.js";
export { type ArgumentViolation, type Decision, type GuardedCall, type GuardedCallParts, type GuardedResult, Guard, type GuardOptions, type NextCall, type OpenRule, type Refusal, type RuleState } from "./guard.js";
export { learn, type LearnOptions } from "./learn.js";
export { FileRun, type RunProgress, score, scoreFile, type ScoredCases, type ScoreFileOptions, type ScoreOptions } from "./run.js";
export type * from "./types.js";

/**
 * Inspects a file of traces: calls by tool, what was left out, and what was not recorded.
 *
 * @param path - A file in any supported format; `npx rightcall formats` lists them.
 */
export async function inspect(path: string): Promise<Inspection> {
  check(path, [checks.text[0], "the path of a file"], "path", "`calls` reads values and bytes");
  return unwrap(await native.inspect(path));
}
