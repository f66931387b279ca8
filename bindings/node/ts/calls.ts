// The calls of one run, wherever it is. Exported from the package's index.
import { native, unwrap } from "./native.js";
import { bufferOf, dataNow } from "./live.js";
import type { Actual, Malformed, ReadCall } from "./types.js";
import { toJson } from "./values.js";

/** How a run is read. */
export interface CallsOptions {
  /** The format; recognized unless given. `npx rightcall formats` lists them. */
  format?: string;
  /** The map of a log in a format of your own: its file, or the map as an object. */
  map?: string | object;
  /** The tools that the agent had: their names or definitions. A file has its own. */
  tools?: readonly (string | object)[] | object;
}

/** The calls of one run, in order: an array that goes wherever `actual` goes. */
export type Calls = ReadCall[] & {
  /** What may be calls and was not read as such; empty if there is nothing of the kind. */
  readonly malformed: readonly Malformed[];
};

/** What the engine reads in a source. */
export interface ReadRun {
  calls: ReadCall[];
  malformed: Malformed[];
  /** Why calls may be missing. */
  incomplete?: string;
}

/** A map as the addon takes it: its file, or the map as JSON. */
export const mapText = (map: string | object | undefined): string | undefined =>
  map === undefined || typeof map === "string" ? map : toJson(map, "/map");

/** Reads the run of a JSON text or of the bytes of a file. */
export const readRun = (source: string | Uint8Array, { format, map, tools }: CallsOptions = {}): ReadRun =>
  unwrap(native.calls(source, format, tools === undefined ? undefined : toJson(tools, "/tools"), mapText(map)));

/**
 * Reads the calls of one run, as evaluators see them.
 *
 * @example
 * ```ts
 * const made = calls([{ role: "assistant", tool_calls: [{ function: { name: "find_order", arguments: '{"id": 7}' } }] }]);
 * // [{ name: "find_order", args: { id: 7 }, turn: 0 }]
 * made.malformed; // []
 * ```
 *
 * @param source - What `actual` takes (calls, messages, spans, a result of an SDK), JSON text of it or of a file, or the bytes of a file.
 * @param options - The format or the map, where the format is not to be recognized, and the tools that the agent had.
 * @throws {@link CaseError} where a value or a text is nothing that is read, {@link ReadError} where a file is; both where there are
 *   several runs, or none that was recorded. {@link ConfigError} for an unknown format. {@link ReadError} for a map that cannot be read.
 */
export function calls(source: Actual | string | Uint8Array, options: CallsOptions = {}): Calls {
  const given = source instanceof Uint8Array ? bufferOf(source) : typeof source === "string" ? source : toJson(dataNow(source, ""));
  const { calls, malformed } = readRun(given, options);
  // Not enumerable: the array is equal to one of the same calls.
  return Object.defineProperty(calls, "malformed", { value: malformed }) as Calls;
}
