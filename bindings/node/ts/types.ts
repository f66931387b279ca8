import type { EvaluatorAliases, EvaluatorSettings } from "./evaluators.js";

/** Which definition of a metric to use if its document and its package differ. */
export type Edition = "documented" | "package";

/** The id of an evaluator. */
export type EvaluatorId = keyof EvaluatorSettings;

/** The id or an alias of an evaluator. */
export type EvaluatorName = EvaluatorId | keyof EvaluatorAliases;

/** The settings of an evaluator. */
export type SettingsOf<Name extends EvaluatorName> = Name extends EvaluatorId
  ? EvaluatorSettings[Name]
  : Name extends keyof EvaluatorAliases
    ? EvaluatorAliases[Name] extends EvaluatorId
      ? EvaluatorSettings[EvaluatorAliases[Name]]
      : never
    : never;

/** A tool call. */
export interface Call {
  /** The tool. */
  name: string;
  /**
   * The arguments, an object or its JSON text. If missing, an expected call accepts any arguments; for an actual one, they were not
   * recorded.
   */
  args?: unknown;
  /** The tool's return value. */
  output?: unknown;
  /** The error that the call ended in. */
  error?: unknown;
  /** The id of this call. */
  id?: string;
}

/** A parsed call, with the data that its source recorded. Arguments that are not a JSON object stay text. */
export interface ReadCall extends Call {
  /** The id of the tool. */
  tool_id?: string;
  /** An id shared by calls that were made together. */
  group?: string;
  /** The caller, if not the agent. */
  actor?: string;
  /** The start time, in nanoseconds since 1970. */
  start?: number;
  /** The end time. */
  end?: number;
  /** The model's turn with the call, from 0. */
  turn?: number;
  /** Who executed it, if not the agent's side. */
  run?: "provider" | "not";
  /** The index of the enclosing call, from 0. */
  parent?: number;
}

/** Call-like parts that could not be parsed. */
export interface Malformed {
  /** A description of them. */
  looks: string;
  /** The number of occurrences. */
  count: number;
  /** The place of the first one, if it has one. */
  first?: string;
}

/** An expectation, as an alternative to a plain list of calls. */
export interface Expectation {
  /** Calls; a string is a call of that tool with any arguments. */
  calls?: readonly (Call | string)[];
  /** The order of tools. */
  order?: readonly string[];
  /** The number of calls of each tool: a number, or text such as `">= 1"`. */
  counts?: Readonly<Record<string, number | string | readonly [string, number]>>;
  /** The return values of tools. */
  outputs?: readonly unknown[];
  /** Conditions for the evaluator `constraints`. */
  constraints?: unknown;
}

/**
 * An expectation: calls, or an object with one or more conditions. The originals' own shapes are supported: `{toolName, input}` of Evalite
 * and the AI SDK, `{tool, args}` of tpmjs, messages.
 */
export type Expected = readonly (Call | string | object)[] | Expectation | object;

/** The actual calls, or the messages or spans that hold them. */
export type Actual = readonly object[] | object;

/** A case: an expectation and the actual calls. */
export interface Case {
  /** Its name. A case without one is named after its index, `cases[0]`. */
  id?: string;
  /** The expectation. */
  expected?: Expected;
  /** The actual calls. */
  actual?: Actual;
  /** Labels to select cases by. */
  tags?: readonly string[];
  /** The number of the attempt. */
  trial?: number | string;
  /** The question, for readers of the results. */
  input?: unknown;
  /** Any other data. */
  meta?: Readonly<Record<string, unknown>>;
}

/** An evaluator with settings, like an entry of a suite. */
export type EvaluatorEntry = {
  [Name in EvaluatorName]: {
    /** The evaluator. */
    evaluator: Name;
    /** Your name for it. */
    name?: string;
  } & SettingsOf<Name>;
}[EvaluatorName];

/**
 * An evaluator: its name, an entry with settings, or the argument of `-e` on the command line, such as
 * `"axion/tool-correctness,threshold=0.8"`.
 */
export type EvaluatorArgument = EvaluatorName | `${EvaluatorName},${string}` | EvaluatorEntry;

/** A difference between the arguments of two calls. */
export interface Difference {
  /** The place, a JSON pointer into the arguments. */
  pointer: string;
  /** The expected value; missing if none was expected. */
  expected?: unknown;
  /** The found value; missing if there is none. */
  found?: unknown;
}

/** A pair of matched calls. Indices count from 0. */
export interface AlignedPair {
  /** The index of the expected call. */
  expected: number;
  /** The index of the actual call. */
  actual: number;
  /** How well they agree: `full`, `name_only`, or a share between 0 and 1. */
  grade: unknown;
  /** Whether the pair counts in the score, or is only shown. */
  counted?: boolean;
  /** The differences between their arguments. */
  differences?: readonly Difference[];
  /** Further data from the evaluator. */
  [more: string]: unknown;
}

/** The pairs of calls, the missed and extra calls, and the calculation of the score. */
export interface Alignment {
  /** Pairs of matched calls. */
  pairs?: readonly AlignedPair[];
  /** Expected calls that were not made. */
  missed?: readonly number[];
  /** Actual calls that were not expected. */
  extra?: readonly number[];
  /** The checks of evaluators that do not pair calls. */
  checks?: readonly Record<string, unknown>[];
  /** The calculation of the score. */
  arithmetic?: readonly Record<string, unknown>[];
  /** Further data from the evaluator. */
  [more: string]: unknown;
}

/** The common part of all evaluations. */
export interface EvaluationBase {
  /** The evaluator's id. */
  evaluator: string;
  /** Your name for it. */
  name?: string;
  /** Whether the case passed, if there is a threshold or a verdict. */
  passed?: boolean;
  /** The original's own details, key for key. */
  details?: Record<string, unknown>;
  /** The alignment, if it was requested. */
  alignment?: Alignment;
}

/** An evaluation with a score. */
export interface Scored extends EvaluationBase {
  /** Missing if there is a score. */
  outcome?: undefined;
  /** The score, from 0 to 1. */
  score: number;
  /** Missing if there is a score. */
  reason?: undefined;
}

/** An evaluation without a score: the evaluator is not applicable, or it failed. A score is never made up. */
export interface Unscored extends EvaluationBase {
  /** Whether the evaluator is not applicable, or failed as its original does. */
  outcome: "not_applicable" | "error";
  /** Missing, because there is none. */
  score?: undefined;
  /** Why there is no score. */
  reason: string;
}

/** The result of an evaluator for one case. */
export type Evaluation = Scored | Unscored;

/** One of many evaluations, with its case. */
export type Result = Evaluation & {
  /** The case's id, or `FILE:LINE`. */
  case: string;
  /** The number of the attempt. */
  trial?: number | string;
  /** The question to the agent. This and the following fields are only in explained results. */
  input?: unknown;
  /** The agent's answer. */
  output?: unknown;
  /** The description of the case. */
  description?: string;
  /** The labels of the case. */
  tags?: readonly string[];
  /** The case's other data. */
  meta?: Readonly<Record<string, unknown>>;
};

/** The totals of one evaluator. */
export interface EvaluatorTotals {
  /** The evaluator's id. */
  evaluator: string;
  /** Your name for it. */
  name?: string;
  /** The mean of the scores; `null` without any. */
  mean: number | null;
  /** The lowest score; `null` without any. */
  min: number | null;
  /** The highest score; `null` without any. */
  max: number | null;
  /** The share of passed cases among those with a verdict; `null` without any. */
  pass_rate: number | null;
  /** Cases with a score. */
  scored: number;
  /** Passed cases among those with a verdict. */
  passed: number;
  /** Cases to which the evaluator is not applicable. */
  not_applicable: number;
  /** Cases in which it failed, as its original does. */
  errors: number;
  /** The number of scores in each tenth of the range 0 to 1. */
  histogram: readonly number[];
}

/** The totals of a run. */
export interface Totals {
  /** Cases that were scored. */
  cases: number;
  /** Records that could not be read. */
  unreadable: number;
  /** Duplicate cases, which were left out. */
  duplicates: number;
  /** Cases without a run. */
  no_run: number;
  /** The totals of each evaluator, in the order of the request. */
  evaluators: readonly EvaluatorTotals[];
  /** True if nothing failed, all input was read and scored, and every threshold judged a case. */
  ok: boolean;
  /**
   * The command's exit code for this run. 0: nothing failed. 1: a score is below a threshold, or an evaluator failed a case by its own
   * verdict. 2: input could not be read or scored, or a threshold judged no case.
   */
  exit_code: 0 | 1 | 2;
  /** The errors of unreadable input: the first thousand, as errors that were not thrown. */
  problems: readonly Error[];
  /** The warnings of the command, one a line, for example about case keys or tool names that may be misspelt. */
  warnings: readonly string[];
}

/** The contents of a file of traces. */
export interface Inspection {
  /** The file. */
  file: string;
  /** The format; `null` if it was not recognized. */
  format: string | null;
  /** Runs of an agent. */
  trajectories: number;
  /** Tool calls in all of them. */
  calls: number;
  /** Numbers of calls by tool. */
  names: Readonly<Record<string, number>>;
  /** Calls whose result was recorded. */
  with_result: number;
  /** Calls that ended in an error. */
  failed: number;
  /** Calls that were requested and never executed. */
  not_run: number;
  /** Calls with arguments that are not an object. */
  invalid_args: number;
  /** Results without a call. */
  orphans: number;
  /** Call-like parts that could not be parsed. */
  unread: number;
  /** Calls that were left out. */
  dropped: number;
  /** The calls that were left out, by reason. */
  dropped_why: Readonly<Record<string, number>>;
  /** What the file does not record, in words. */
  not_recorded: readonly string[];
  /** Further remarks, in words. */
  notes: readonly string[];
  /** Records that could not be read. */
  unreadable: number;
}
