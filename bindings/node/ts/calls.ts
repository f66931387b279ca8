// Reads the calls of one run from any source. Exported from the package's index.
import { native, unwrapCalls } from "./native.js";
import { bufferOf, dataNow } from "./live.js";
import { checkOptions, checks } from "./options.js";
import type { Actual, Malformed, ReadCall } from "./types.js";
import { toJson } from "./values.js";

/** How to read a run. */
export interface CallsOptions {
  /** The format (default: recognized automatically). `npx rightcall formats` lists them. */
  format?: string;
  /** The map for a log in a custom format: a path, or the map as an object. */
  map?: string | object;
  /** The tools that the agent had: names or definitions. A file has its own. */
  tools?: readonly (string | object)[] | object;
}

/** The calls of one run in order: an array that can be passed as `actual`. */
export type Calls = ReadCall[] & {
  /** Call-like parts that could not be parsed; usually empty. */
  readonly malformed: readonly Malformed[];
};

/** The parsed run of a source. */
export interface ReadRun {
  calls: ReadCall[];
  malformed: Malformed[];
  /** Why calls may be missing. */
  incomplete?: string;
}

/** A map in the addon's form: a path, or the map as JSON. */
export const mapText = (map: string | object | undefined): string | undefined =>
  map === undefined || typeof map === "string" ? map : toJson(map, "/map");

/** Reads a run from a JSON text or from the bytes of a file. */
export function readRun(source: string | Uint8Array, { format, map, tools }: CallsOptions = {}): ReadRun {
  const run = unwrapCalls<ReadRun>(native.calls(source, format, tools === undefined ? undefined : toJson(tools, "/tools"), mapText(map)));
  // Times are beyond the safe range: they lose some nanoseconds, so that they stay numbers.
  for (const call of run.calls) {
    if (call.start !== undefined) call.start = Number(call.start);
    if (call.end !== undefined) call.end = Number(call.end);
  }
  return run;
}

/**
 * Reads the calls of one run, with the same parser as the evaluators.
 *
 * @example
 * ```ts
 * const made = calls([{ role: "assistant", tool_calls: [{ function: { name: "find_order", arguments: '{"id": 7}' } }] }]);
 * // [{ name: "find_order", args: { id: 7 }, turn: 0 }]
 * made.malformed; // []
 * ```
 *
 * @param source - Anything that `actual` accepts (calls, messages, spans, a result of an SDK), JSON text of it or of a file, or the bytes
 * of a file.
 * @param options - The format or the map (default: recognized automatically), and the tools that the agent had.
 * @throws {@link CaseError} for a value or a text that cannot be parsed, {@link ReadError} for such a file; both if there is not exactly
 * one recorded run. {@link ConfigError} for an unknown format. {@link ReadError} for an invalid map.
 */
export function calls(source: Actual | string | Uint8Array, options: CallsOptions = {}): Calls {
  checkOptions(options, { format: checks.text, map: checks.textOrObject, tools: checks.any });
  const given = source instanceof Uint8Array ? bufferOf(source) : typeof source === "string" ? source : toJson(dataNow(source, ""));
  const { calls, malformed } = readRun(given, options);
  // Not enumerable, so that the array equals a plain one with the same calls.
  return Object.defineProperty(calls, "malformed", { value: malformed }) as Calls;
}
