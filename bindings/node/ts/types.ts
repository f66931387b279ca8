import type { EvaluatorAliases, EvaluatorSettings } from "./evaluators.js";

/** Which definition of a metric counts where its document and its package differ. */
export type Edition = "documented" | "package";

/** The id of an evaluator. */
export type EvaluatorId = keyof EvaluatorSettings;

/** The id of an evaluator, or another name that it goes by. */
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
  /** The arguments, an object or its JSON text. Left out of an expected call, they may be any; of an actual one, they were not recorded. */
  args?: unknown;
  /** What the tool gave back. */
  output?: unknown;
  /** The error that the call ended in. */
  error?: unknown;
  /** The id of this call. */
  id?: string;
}

/** A call as it was read: what its source recorded of it. Arguments that hold no JSON object are their text. */
export interface ReadCall extends Call {
  /** The id of the tool. */
  tool_id?: string;
  /** The same in calls that were made together. */
  group?: string;
  /** Who called, if not the agent. */
  actor?: string;
  /** When it began, in nanoseconds since 1970. */
  start?: number;
  /** When it ended. */
  end?: number;
  /** The model's turn that made it, from 0. */
  turn?: number;
  /** Who ran it, if not the agent's side. */
  run?: "provider" | "not";
  /** The place of the call inside which it was made, from 0. */
  parent?: number;
}

/** What may be calls and was not read as such. */
export interface Malformed {
  /** What it looks like. */
  looks: string;
  /** How often there is such a thing. */
  count: number;
  /** Where the first is, if it has a place. */
  first?: string;
}

/** What is expected, beside a plain list of calls. */
export interface Expectation {
  /** Calls; a text is a call of that tool with any arguments. */
  calls?: readonly (Call | string)[];
  /** The order of tools. */
  order?: readonly string[];
  /** How often a tool is called: a number, or text such as `">= 1"`. */
  counts?: Readonly<Record<string, number | string | readonly [string, number]>>;
  /** What tools give back. */
  outputs?: readonly unknown[];
  /** Conditions for the evaluator `constraints`. */
  constraints?: unknown;
}

/**
 * What is expected: calls, or an object with one or more demands. The originals' own shapes are taken as they are:
 * `{toolName, input}` of Evalite and the AI SDK, `{tool, args}` of tpmjs, messages.
 */
export type Expected = readonly (Call | string | object)[] | Expectation | object;

/** What was called: calls, or the messages or spans that hold them. */
export type Actual = readonly object[] | object;

/** A case: what is expected and what was called. */
export interface Case {
  /** Its name; without one it is called after its place, `cases[0]`. */
  id?: string;
  /** What is expected. */
  expected?: Expected;
  /** What was called. */
  actual?: Actual;
  /** Words to choose cases by. */
  tags?: readonly string[];
  /** Which of several attempts this is. */
  trial?: number | string;
  /** The question, for whoever reads the results. */
  input?: unknown;
  /** Whatever else is worth keeping. */
  meta?: Readonly<Record<string, unknown>>;
}

/** An evaluator with settings, as an entry of a suite. */
export type EvaluatorEntry = {
  [Id in EvaluatorId]: {
    /** The evaluator. */
    evaluator: Id;
    /** Your name for it. */
    name?: string;
  } & EvaluatorSettings[Id];
}[EvaluatorId];

/**
 * An evaluator: its name, an entry with settings, or the text that `-e` of the command line takes, such as
 * `"axion/tool-correctness,threshold=0.8"`.
 */
export type EvaluatorArgument = EvaluatorName | EvaluatorEntry | (string & {});

/** A place at which the arguments of two calls differ. */
export interface Difference {
  /** The place, a JSON pointer into the arguments. */
  pointer: string;
  /** What was expected there; left out where nothing was. */
  expected?: unknown;
  /** What was found there; left out where nothing was. */
  found?: unknown;
}

/** A pair of calls that answer each other. Indices count from 0. */
export interface AlignedPair {
  /** The expected call. */
  expected: number;
  /** The actual call. */
  actual: number;
  /** How well they agree: `full`, `name_only`, or a share between 0 and 1. */
  grade: unknown;
  /** Whether the pair counts for the score, or is shown only. */
  counted?: boolean;
  /** Where their arguments differ. */
  differences?: readonly Difference[];
  /** What else an evaluator says of the pair. */
  [more: string]: unknown;
}

/** Which actual call answers which expected one, what is missed, what is extra, and how the score came about. */
export interface Alignment {
  /** Calls that answer each other. */
  pairs?: readonly AlignedPair[];
  /** Expected calls that were not made. */
  missed?: readonly number[];
  /** Actual calls that nobody expected. */
  extra?: readonly number[];
  /** What was checked, of evaluators that pair no calls. */
  checks?: readonly Record<string, unknown>[];
  /** How the score came about. */
  arithmetic?: readonly Record<string, unknown>[];
  /** What else an evaluator says. */
  [more: string]: unknown;
}

/** What all evaluations have. */
export interface EvaluationBase {
  /** The evaluator's id. */
  evaluator: string;
  /** Your name for it. */
  name?: string;
  /** Whether the case passed, where there is a threshold or a verdict. */
  passed?: boolean;
  /** The original's own details, key for key. */
  details?: Record<string, unknown>;
  /** The alignment, if it was asked for. */
  alignment?: Alignment;
}

/** An evaluation with a score. */
export interface Scored extends EvaluationBase {
  /** Left out where there is a score. */
  outcome?: undefined;
  /** The score, from 0 to 1. */
  score: number;
  /** Left out where there is a score. */
  reason?: undefined;
}

/** An evaluation without a score: the evaluator does not apply, or it failed. A score is never made up. */
export interface Unscored extends EvaluationBase {
  /** Whether the evaluator does not apply, or failed as its original does. */
  outcome: "not_applicable" | "error";
  /** Left out where there is none. */
  score?: undefined;
  /** Why there is no score. */
  reason: string;
}

/** What an evaluator makes of a case. */
export type Evaluation = Scored | Unscored;

/** An evaluation among many, with the case that it is of. */
export type Result = Evaluation & {
  /** The case's id, or `FILE:LINE`. */
  case: string;
  /** Which attempt it is. */
  trial?: number | string;
  /** What the agent was asked; in explained results, as are the others. */
  input?: unknown;
  /** What it answered. */
  output?: unknown;
  /** What the case is about. */
  description?: string;
  /** The labels of the case. */
  tags?: readonly string[];
  /** What else is known of the case. */
  meta?: Readonly<Record<string, unknown>>;
};

/** What one evaluator made of all cases. */
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
  /** The share that passed, of those with a verdict; `null` without any. */
  pass_rate: number | null;
  /** Cases with a score. */
  scored: number;
  /** Cases that passed, of those with a verdict. */
  passed: number;
  /** Cases to which the evaluator does not apply. */
  not_applicable: number;
  /** Cases in which it failed, as its original does. */
  errors: number;
  /** Numbers of cases with scores in tenths of 0 to 1. */
  histogram: readonly number[];
}

/** What a run came to. */
export interface Totals {
  /** Cases that were scored. */
  cases: number;
  /** Records that could not be read. */
  unreadable: number;
  /** Cases that came a second time, and were left out. */
  duplicates: number;
  /** Cases without a run. */
  no_run: number;
  /** By evaluator, in the order in which they were given. */
  evaluators: readonly EvaluatorTotals[];
  /** True if nothing failed, everything could be read and scored, and every threshold judged a case. */
  ok: boolean;
  /**
   * The exit code that the command line gives this run: 0 if nothing failed; 1 if a threshold was not reached, or an evaluator says no;
   * 2 if something could not be read or scored, or a threshold judged no case.
   */
  exit_code: 0 | 1 | 2;
  /** What could not be read: the first thousand, as errors that were not thrown. */
  problems: readonly Error[];
  /** What the command line warns of, such as a key of cases or a name of a tool that may be misspelt, each in a line. */
  warnings: readonly string[];
}

/** What a file of traces holds. */
export interface Inspection {
  /** The file. */
  file: string;
  /** The format; `null` where it cannot be told. */
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
  /** Calls that were asked for and never run. */
  not_run: number;
  /** Calls whose arguments are no object. */
  invalid_args: number;
  /** Results without a call. */
  orphans: number;
  /** Things that look like calls and were not read as such. */
  unread: number;
  /** Calls that were left out. */
  dropped: number;
  /** The same by reason. */
  dropped_why: Readonly<Record<string, number>>;
  /** What the file does not say, in words. */
  not_recorded: readonly string[];
  /** What else there is to say, in words. */
  notes: readonly string[];
  /** Records that could not be read. */
  unreadable: number;
}
