import { native, type ScoreRun, toError, unwrap } from "./native.js";
import { ConfigError } from "./errors.js";
import { mapText } from "./calls.js";
import { bufferOf, dataNow, isObject } from "./live.js";
import { Evaluator, type EvaluatorLike } from "./evaluator.js";
import { check, checkOptions, checks, type OptionCheck } from "./options.js";
import type { Case, Edition, Result, Totals } from "./types.js";
import { kindOf, Refusal, refusalOf, toJson, unwritable } from "./values.js";

/** The options for scoring a file. */
export interface ScoreFileOptions {
  /** The evaluators; at least one. */
  evaluators: readonly EvaluatorLike[];
  /** Files of traces with the actual calls of the cases, joined by id. */
  traces?: readonly string[];
  /**
   * Meta keys that distinguish the runs of one case, in addition to `model`. Duplicates with the same values are reported and left out.
   */
  identity?: readonly string[];
  /** The edition of all evaluators that have it. */
  edition?: Edition;
  /** The format of the file or of the traces (default: recognized automatically). `npx rightcall formats` lists them. */
  format?: string;
  /** The map for a log in a custom format: a path, or the map as an object. */
  map?: string | object;
  /** How to read ambiguous parts of traces, such as `{ order: "listed" }`; `npx rightcall formats NAME` lists the choices. */
  choices?: Readonly<Record<string, string>>;
  /** The number of threads (default: all processors). It does not affect the results. */
  threads?: number;
  /** Whether results include the originals' details. */
  details?: boolean;
  /** Whether results include the alignment, and the data of the case besides its calls. */
  explain?: boolean;
  /** The name of a buffer in results and messages. */
  name?: string;
  /** Stops the run; its results and totals then fail with the signal's reason. */
  signal?: AbortSignal;
  /** Called from time to time with the progress. */
  onProgress?: (progress: RunProgress) => void;
}

/** The progress of a run. */
export interface RunProgress {
  /** The number of scored cases. */
  cases: number;
  /** The number of bytes read; for a compressed file, compressed bytes. */
  bytes: number;
}

/**
 * A run over a file: await it for the totals, iterate over it for the results, or do both, results first.
 *
 * It starts when it is first awaited or iterated over, so that unwanted results are never computed. Leaving the iteration early stops the
 * run.
 * ends the run.
 */
export class FileRun implements PromiseLike<Totals>, AsyncIterable<Result> {
  #open: () => OpenRun;
  #totals: Promise<Totals> | undefined;
  #iterated = false;

  /** @internal */
  constructor(open: () => OpenRun) {
    this.#open = open;
  }

  /** The totals, when all cases are scored. */
  then<One = Totals, Other = never>(
    done?: ((totals: Totals) => One | PromiseLike<One>) | null,
    failed?: ((reason: unknown) => Other | PromiseLike<Other>) | null,
  ): Promise<One | Other> {
    this.#totals ??= totalsOf(this.#open);
    return this.#totals.then(done, failed);
  }

  /** The results, ordered by case and then by evaluator. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Result, void, undefined> {
    if (this.#iterated || this.#totals) {
      throw new Error("the results of this run have gone by: iterate once, and before the totals are awaited");
    }
    this.#iterated = true;
    let settle!: { resolve: (totals: Totals) => void; reject: (error: unknown) => void };
    this.#totals = new Promise((resolve, reject) => (settle = { resolve, reject }));
    // A failure is thrown by the iteration; avoid an unhandled rejection of the totals.
    this.#totals.catch(() => {});
    try {
      for await (const results of batches(this.#open, true, settle.resolve)) yield* results;
    } catch (error) {
      settle.reject(error);
      throw error;
    } finally {
      settle.reject(new Error("the run was ended before all cases were scored"));
    }
  }
}

/** A run with valid options: how to start it, how to stop it, and how to report its progress. */
type OpenRun = Pick<ScoreFileOptions, "signal" | "onProgress"> & { start: (results: boolean) => ScoreRun };

interface Batch {
  results?: Result[];
  progress?: RunProgress;
  summary?: Omit<Totals, "problems" | "warnings" | "ok" | "exit_code">;
  warnings?: string[];
  exit_code?: Totals["exit_code"];
  problems?: Parameters<typeof toError>[0][];
}

/** The results of the run in batches; `done` gets the totals. Leaving early stops the run. */
async function* batches(
  open: () => OpenRun,
  withResults: boolean,
  done: (totals: Totals) => void,
): AsyncGenerator<Result[], void, undefined> {
  const { start, signal, onProgress } = open();
  signal?.throwIfAborted();
  const run = start(withResults);
  const close = () => run.close();
  signal?.addEventListener("abort", close);
  try {
    for (;;) {
      const answer = await run.next();
      signal?.throwIfAborted();
      const { results, progress, summary, exit_code = 2, problems = [], warnings = [] } = unwrap<Batch>(answer);
      if (progress) onProgress?.(progress);
      if (results) yield results;
      if (summary) {
        const { cases, unreadable, duplicates, no_run, evaluators } = summary;
        const ok = exit_code === 0;
        return done({ cases, unreadable, duplicates, no_run, evaluators, ok, exit_code, warnings, problems: problems.map(toError) });
      }
    }
  } finally {
    signal?.removeEventListener("abort", close);
    close();
  }
}

async function totalsOf(open: () => OpenRun): Promise<Totals> {
  let totals: Totals | undefined;
  // Without results, there is at most one batch.
  for await (const _ of batches(open, false, (it) => (totals = it)));
  return totals as Totals;
}

function opened(
  source: string | Uint8Array | readonly string[],
  { name, choices, map, signal, onProgress, evaluators: asked, ...options }: ScoreFileOptions & { refused?: Refused[] },
): OpenRun {
  const progress = onProgress !== undefined;
  check(asked, [Array.isArray, "a list of evaluators"], "evaluators", 'write ["trajectory"]');
  for (const [index, it] of asked.entries()) {
    check(it, checks.evaluator, `evaluators[${index}]`);
  }
  const evaluators = asked.map((it) => (it instanceof Evaluator ? it.argument : it));
  const given = toJson({ ...options, evaluators, map: mapText(map), choices: Object.entries(choices ?? {}), ...(progress && { progress }) });
  const start = (results: boolean) => new native.ScoreRun(source, name ?? "<buffer>", given, results);
  return { start, ...(signal && { signal }), ...(onProgress && { onProgress }) };
}

/**
 * Scores the cases of a file, off the main thread and in constant memory.
 *
 * @example
 * ```ts
 * const totals = await scoreFile("cases.jsonl", { evaluators: ["evalite/tool-call-accuracy"] });
 * for await (const result of scoreFile("cases.jsonl", { evaluators: ["tpmjs/tool-call-accuracy-score"] })) {
 *   console.log(result.case, result.score);
 * }
 * ```
 *
 * @param source - The path of a file of cases or traces, compressed or not, or the bytes of one.
 * @throws {@link ReadError} if the file cannot be opened, {@link ConfigError} for an invalid evaluator or option; both when
 *   the run is awaited. Invalid records do not stop the run: they are among the `problems` of the totals.
 */
export function scoreFile(source: string | URL | Uint8Array, options: ScoreFileOptions): FileRun {
  const run = (source: string | Uint8Array) =>
    new FileRun(() => {
      checkOptions(options, FILE_OPTIONS, 'write scoreFile(file, { evaluators: ["trajectory"] })');
      return opened(source, options);
    });
  if (source instanceof Uint8Array) return run(bufferOf(source));
  if (typeof source !== "string" && !(source instanceof URL)) {
    throw new ConfigError({ message: `source: expected a path or the bytes of a file, found ${kindOf(source)}`, help: "`score` takes cases in memory" });
  }
  return run(source instanceof URL ? require("node:url").fileURLToPath(source) : source);
}

/** The options that `score` takes too. */
const COMMON_OPTIONS = {
  identity: checks.texts,
  edition: checks.text,
  choices: [(it) => isObject(it) && Object.values(it).every(checks.text[0]), "an object of texts"] as OptionCheck,
  threads: checks.count,
  details: checks.flag,
  explain: checks.flag,
  signal: [(it) => it instanceof AbortSignal, "an AbortSignal"] as OptionCheck,
  onProgress: checks.function,
};

const FILE_OPTIONS = {
  evaluators: checks.any,
  ...COMMON_OPTIONS,
  traces: checks.texts,
  format: checks.text,
  map: checks.textOrObject,
  name: checks.text,
};

/** The options for scoring cases in memory. */
export type ScoreOptions = Omit<ScoreFileOptions, "evaluators" | "traces" | "format" | "map" | "name"> & {
  /** With `"scores"` the results have only outcomes and scores, neither details nor alignments. */
  keep?: "all" | "scores";
};

/** The results and totals of cases in memory. */
export interface ScoredCases {
  /** The results, ordered by case and then by evaluator. */
  results: Result[];
  /** The totals. */
  totals: Totals;
}

/** A case that cannot be written as JSON: its index, its id, and the reason. */
type Refused = { place: number; id?: string; pointer: string; expected: string; found: string; help?: string };

/**
 * Scores cases in memory. Every case has one result from each evaluator, in its place. An invalid case has the outcome `"error"` with the
 * reason, and is among the `problems` of the totals. Cases may have equal ids; a case without one is named after its index, `cases[0]`.
 *
 * @example
 * ```ts
 * const { results, totals } = await score(
 *   [{ id: "refund-7", expected: ["find_order", "refund"], actual: [{ name: "find_order", args: { id: 7 } }] }],
 *   ["uipath/tool-call-order"],
 * );
 * ```
 *
 * @throws {@link ConfigError} for an invalid evaluator or option, or if `cases` is not a collection of cases.
 */
export async function score(
  cases: Iterable<Case> | AsyncIterable<Case>,
  evaluators: readonly EvaluatorLike[],
  given: ScoreOptions = {},
): Promise<ScoredCases> {
  checkOptions(given, { ...COMMON_OPTIONS, keep: checks.any });
  const { keep = "all", ...options } = given;
  if (keep !== "all" && keep !== "scores") throw new ConfigError({ message: `keep: expected "all" or "scores", found ${JSON.stringify(keep)}` });
  if (keep === "scores" && (options.details || options.explain)) {
    throw new ConfigError({ message: 'keep: expected "all" with `details` or `explain`, found "scores"' });
  }
  const refused: Refused[] = [];
  const texts: string[] = [];
  for await (const it of iterated(cases)) {
    try {
      texts.push(caseText(it));
    } catch (error) {
      const { pointer = "", expected, found, help } = refusalOf(error, "");
      refused.push({ place: texts.length, ...idOf(it), pointer, expected, found, ...(help !== undefined && { help }) });
      texts.push("");
    }
  }
  const run = new FileRun(() => opened(texts, { details: keep === "all", ...options, evaluators, ...(refused.length > 0 && { refused }) }));
  const results = [];
  for await (const result of run) results.push(result);
  return { results, totals: await run };
}

/** The iterator of a collection of cases. */
function iterated(cases: unknown): Iterable<unknown> | AsyncIterable<unknown> {
  if (isObject(cases) && (Symbol.iterator in cases || Symbol.asyncIterator in cases)) return cases as unknown as Iterable<unknown>;
  throw new ConfigError({
    message: `cases: expected a list of cases, found ${kindOf(cases)}`,
    help: typeof cases === "string" ? "`scoreFile` scores files" : "for one case: score([one], evaluators)",
  });
}

function caseText(it: unknown): string {
  if (!isObject(it) || Array.isArray(it) || unwritable(it, it) !== undefined) {
    throw new Refusal("", "a case, an object with `expected` and `actual`", unwritable(it, it) ?? kindOf(it));
  }
  const { expected, actual } = it;
  return toJson({ ...it, expected: dataNow(expected, "/expected"), actual: dataNow(actual, "/actual") });
}

/** The id of an invalid case, if it has one. */
function idOf(it: unknown): { id?: string } {
  try {
    return isObject(it) && typeof it.id === "string" ? { id: it.id } : {};
  } catch {
    return {};
  }
}
