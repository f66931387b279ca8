// Expectations learned from good runs. Exported from the package's index.
import { dataNow } from "./live.js";
import { native, unwrap } from "./native.js";
import type { Actual, Call } from "./types.js";
import { toJson } from "./values.js";

/** How an expectation is learned. */
export interface LearnOptions {
  /** What is learned of arguments: nothing, keys and types, or also values, choices, forms and data flow (the default). */
  arguments?: "names" | "types" | "values";
  /** The share below which something rare is left out, from 0 (the default: nothing is) and below 1. */
  noise?: number;
  /** Keeps whole runs as alternatives, at most this many different ones. */
  variants?: number;
  /** Puts no upper bound on repeats; else the largest number seen is the bound. */
  openRepeats?: boolean;
}

/**
 * Learns what good runs of one task have in common: a list of elements that goes wherever `expected` goes. Without `noise` and `variants` it
 * accepts every run.
 *
 * @example
 * ```ts
 * learn([["find", "verify", "refund"], ["verify", "find", "refund"]]);
 * // [{ any_order: ["find", "verify"] }, "refund"]
 * ```
 *
 * @param runs - The runs, each what `actual` takes, or the names of its calls.
 * @param options - What is learned of arguments, and what is left out.
 * @throws {@link CaseError} for a run that cannot be read. {@link ConfigError} for an option out of range, and for a run that may lack calls.
 */
export function learn(runs: readonly (Actual | readonly string[])[], options: LearnOptions = {}): (string | Call | object)[] {
  const texts = runs.map((run, at) => toJson(dataNow(run, `/${at}`)));
  return unwrap(native.learn(texts, options.arguments ?? "values", options.noise ?? 0, options.variants, options.openRepeats ?? false));
}
