// Expectations learned from good runs. Exported from the package's index.
import { dataNow } from "./live.js";
import { native, unwrap } from "./native.js";
import type { Actual, Call } from "./types.js";
import { check, checkOptions, checks } from "./options.js";
import { toJson } from "./values.js";

/** How to learn an expectation. */
export interface LearnOptions {
  /** What to learn about arguments: nothing, keys and types, or also values, choices, forms and data flow (default). */
  arguments?: "names" | "types" | "values";
  /** The share below which rare behaviour is left out, from 0 (default: keep everything) to below 1. */
  noise?: number;
  /** Keep whole runs as alternatives, at most this many different ones. */
  variants?: number;
  /** Set no upper bound on repeats (default: the largest observed number). */
  openRepeats?: boolean;
}

/**
 * Learns what good runs of one task have in common: a list of elements that can be passed as `expected`. The `note` of a block says how many
 * runs went through it. Without `noise` and `variants` it accepts every run.
 *
 * @example
 * ```ts
 * learn([["find", "verify", "refund"], ["verify", "find", "refund"]]);
 * // [{ any_order: ["find", "verify"], note: "2 of 2 runs" }, "refund"]
 * ```
 *
 * @param runs - The runs, in any form that `actual` accepts, or the names of their calls.
 * @param options - What to learn about arguments, and what to leave out.
 * @throws {@link CaseError} for a run that cannot be parsed. {@link ConfigError} for an option out of range, and for a run that may lack
 * calls.
 */
export function learn(runs: readonly (Actual | readonly string[])[], options: LearnOptions = {}): (string | Call | object)[] {
  check(runs, [Array.isArray, "a list of runs"], "runs");
  checkOptions(options, { arguments: checks.text, noise: checks.number, variants: checks.count, openRepeats: checks.flag });
  const texts = runs.map((run, at) => toJson(dataNow(run, `/${at}`)));
  return unwrap(native.learn(texts, options.arguments ?? "values", options.noise ?? 0, options.variants, options.openRepeats ?? false));
}
