import { native, type ScoreRun, toError, unwrap } from "./native.js";
import { ConfigError } from "./errors.js";
import { mapText } from "./calls.js";
import { bufferOf, dataNow, isObject } from "./live.js";
import type { Case, Edition, EvaluatorArgument, Result, Totals } from "./types.js";
import { Refusal, refusalOf, toJson, unwritable } from "./values.js";

/** How a file is scored. */
export interface ScoreFileOptions {
  /** Who judges: at least one. */
  evaluators: readonly EvaluatorArgument[];
  /** Files of traces that hold the actual calls of the cases, joined by id. */
  traces?: readonly string[];
  /** Meta keys that tell the runs of one case apart, in addition to `model`: a duplicate case with the same values is reported and left out. */
  identity?: readonly string[];
  /** The edition of all evaluators that have it. */
  edition?: Edition;
  /** The format of the file, or of the traces; recognized unless given. `npx rightcall formats` lists them. */
  format?: string;
  /** The map of a log in a format of your own: its file, or the map as an object. */
  map?: string | object;
  /** How traces are read where opinions differ, such as `{ order: "listed" }`; `npx rightcall formats NAME` lists them. */
  choices?: Readonly<Record<string, string>>;
  /** Number of threads that score; as many as the machine has, unless given. Results do not depend on it. */
  threads?: number;
  /** Whether results have the originals' own details. */
  details?: boolean;
  /** Whether results have the alignment, and what the case says beside its calls. */
  explain?: boolean;
  /** What a buffer is called in results and messages. */
  name?: string;
  /** Ends the run, whose results and totals then fail with the signal's reason. */
  signal?: AbortSignal;
  /** Hears how far the run is, from time to time. */
  onProgress?: (progress: RunProgress) => void;
}

/** How far a run is. */
export interface RunProgress {
  /** Cases that were scored. */
  cases: number;
  /** Bytes that were read, of a packed file packed ones. */
  bytes: number;
}

/**
 * A run over a file: await it for the totals, iterate over it for the results, or do both, results first.
 *
 * It begins when it is first awaited or iterated over, so that results nobody wants are never made. Who ends the iteration early
 * ends the run.
 */
export class FileRun implements PromiseLike<Totals>, AsyncIterable<Result> {
  #start: (results: boolean) => ScoreRun;
  #control: RunControl;
  #totals: Promise<Totals> | undefined;
  #iterated = false;

  /** @internal */
  constructor(start: (results: boolean) => ScoreRun, control: RunControl) {
    this.#start = start;
    this.#control = control;
  }

  /** The totals, when all cases are scored. */
  then<One = Totals, Other = never>(
    done?: ((totals: Totals) => One | PromiseLike<One>) | null,
    failed?: ((reason: unknown) => Other | PromiseLike<Other>) | null,
  ): Promise<One | Other> {
    this.#totals ??= totalsOf(this.#start, this.#control);
    return this.#totals.then(done, failed);
  }

  /** The results, in the order of the cases, and for each case in the order of the evaluators. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Result, void, undefined> {
    if (this.#iterated || this.#totals) {
      throw new Error("the results of this run have gone by: iterate once, and before the totals are awaited");
    }
    this.#iterated = true;
    let settle!: { resolve: (totals: Totals) => void; reject: (error: unknown) => void };
    this.#totals = new Promise((resolve, reject) => (settle = { resolve, reject }));
    // Who only iterates hears of a failure there.
    this.#totals.catch(() => {});
    try {
      for await (const results of batches(this.#start, true, this.#control, settle.resolve)) yield* results;
    } catch (error) {
      settle.reject(error);
      throw error;
    } finally {
      settle.reject(new Error("the run was ended before all cases were scored"));
    }
  }
}

/** Who ends a run, and who hears of it. */
type RunControl = Pick<ScoreFileOptions, "signal" | "onProgress">;

interface Batch {
  results?: Result[];
  progress?: RunProgress;
  summary?: Omit<Totals, "problems" | "warnings" | "ok" | "exit_code">;
  warnings?: string[];
  exit_code?: Totals["exit_code"];
  problems?: Parameters<typeof toError>[0][];
}

/** Results as they come from the run; `done` gets the totals. Whoever leaves early ends the run at once. */
async function* batches(
  start: (results: boolean) => ScoreRun,
  withResults: boolean,
  { signal, onProgress }: RunControl,
  done: (totals: Totals) => void,
): AsyncGenerator<Result[], void, undefined> {
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

async function totalsOf(start: (results: boolean) => ScoreRun, control: RunControl): Promise<Totals> {
  let totals: Totals | undefined;
  // Without results there is one batch at most, the last.
  for await (const _ of batches(start, false, control, (it) => (totals = it)));
  return totals as Totals;
}

function runOf(source: string | Uint8Array | readonly string[], { name, choices, map, signal, onProgress, ...options }: ScoreFileOptions & { refused?: Refused[] }): FileRun {
  const progress = onProgress !== undefined;
  const given = toJson({ ...options, map: mapText(map), choices: Object.entries(choices ?? {}), ...(progress && { progress }) });
  const start = (results: boolean) => new native.ScoreRun(source, name ?? "<buffer>", given, results);
  return new FileRun(start, { ...(signal && { signal }), ...(onProgress && { onProgress }) });
}

/**
 * Scores the cases of a file, off the main thread and in memory that does not grow with it.
 *
 * @example
 * ```ts
 * const totals = await scoreFile("cases.jsonl", { evaluators: ["evalite/tool-call-accuracy"] });
 * for await (const result of scoreFile("cases.jsonl", { evaluators: ["tpmjs/tool-call-accuracy-score"] })) {
 *   console.log(result.case, result.score);
 * }
 * ```
 *
 * @param source - The path of a file of cases or traces, packed or not, or the bytes of one.
 * @throws {@link ReadError} where the file cannot be opened, {@link ConfigError} where an evaluator or an option is wrong; both when
 *   the run is awaited. Records that cannot be read end nothing: they are among the `problems` of the totals.
 */
export function scoreFile(source: string | URL | Uint8Array, options: ScoreFileOptions): FileRun {
  if (source instanceof Uint8Array) return runOf(bufferOf(source), options);
  if (typeof source !== "string" && !(source instanceof URL)) {
    throw new ConfigError({ message: `source: expected a path or the bytes of a file, found ${kindOf(source)}`, help: "`score` takes cases in memory" });
  }
  return runOf(source instanceof URL ? require("node:url").fileURLToPath(source) : source, options);
}

/** How cases in memory are scored. */
export type ScoreOptions = Omit<ScoreFileOptions, "evaluators" | "traces" | "format" | "map" | "name">;

/** What scoring cases in memory gives. */
export interface ScoredCases {
  /** The results, in the order of the cases, and for each case in the order of the evaluators. */
  results: Result[];
  /** The totals. */
  totals: Totals;
}

/** A case that has no JSON text: its place, its id, and why. */
type Refused = { place: number; id?: string; pointer: string; expected: string; found: string; help?: string };

/**
 * Scores cases in memory. Every case has a result of each evaluator, in its place: one that cannot be read has the outcome `"error"` and
 * says why, and is among the `problems` of the totals. Cases may share an `id`; one without is called `cases[0]` after its place.
 *
 * @example
 * ```ts
 * const { results, totals } = await score(
 *   [{ id: "refund-7", expected: ["find_order", "refund"], actual: [{ name: "find_order", args: { id: 7 } }] }],
 *   ["uipath/tool-call-order"],
 * );
 * ```
 *
 * @throws {@link ConfigError} where an evaluator or an option is wrong, or `cases` are nothing that holds cases.
 */
export async function score(
  cases: Iterable<Case> | AsyncIterable<Case>,
  evaluators: readonly EvaluatorArgument[],
  options: ScoreOptions = {},
): Promise<ScoredCases> {
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
  const run = runOf(texts, { details: true, ...options, evaluators, ...(refused.length > 0 && { refused }) });
  const results = [];
  for await (const result of run) results.push(result);
  return { results, totals: await run };
}

/** What cases come from, where it is something that can hold several. */
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

/** The id of what is no case, if it has one. */
function idOf(it: unknown): { id?: string } {
  try {
    return isObject(it) && typeof it.id === "string" ? { id: it.id } : {};
  } catch {
    return {};
  }
}

/** What a value is, in a few words. */
function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
