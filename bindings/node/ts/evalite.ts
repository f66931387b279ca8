/**
 * The numbers of Evalite's documentation; `rightcall/package/evalite` has those of its package.
 *
 * `toolCallAccuracy` of Evalite, scored by rightcall: only the import changes.
 *
 * @packageDocumentation
 */
import { evaliteEqual, evaliteText } from "./equality.js";
import { EvaluationError } from "./errors.js";
import { native, unwrap } from "./native.js";
import { callsOf, type ToolCall, type ToolCallSource } from "./sources.js";
import type { Alignment, Edition } from "./types.js";
import { classes, isJson, plainText, quoted, toJson } from "./values.js";

export { EvaluationError } from "./errors.js";
export type { MessageHolder, SdkResult, Step, ToolCall, ToolCallSource } from "./sources.js";

/** The weights of the score's parts. */
export interface ToolCallAccuracyWeights {
  /** Credit for the right function with the right arguments (default: 1). */
  exact: number;
  /** Credit for the right function with different arguments (default: 0.5). */
  nameOnly: number;
  /** Penalty for an extra call in flexible mode (default: 0.25). */
  extraPenalty: number;
  /** Penalty for a wrong or missing call in exact mode (default: 0.25). */
  wrongPenalty: number;
}

/** The options of `toolCallAccuracy`. */
export interface ToolCallAccuracyOptions {
  /**
   * The actual calls: `toolCalls` of an AI SDK result; or the whole result or its `steps`, which have the calls of every step (before
   * version 7 of the SDK, `toolCalls` only has those of the last step); or messages in any supported format.
   */
  actualCalls: ToolCallSource;
  /** The expected calls. In exact mode, a call without `input` accepts any arguments. */
  expectedCalls: readonly ToolCall[] | undefined;
  /** Position by position (default), or in any order. */
  mode?: "exact" | "flexible";
  /** Weights that differ from the defaults. */
  weights?: Partial<ToolCallAccuracyWeights>;
  /** Whether the metadata include the pairs of calls and the differing arguments. */
  explain?: boolean;
  /** Evalite's documentation (default), or its package, bit for bit. */
  edition?: Edition;
}

/** Numbers of calls. */
export interface ToolCallAccuracyTotals {
  /** Number of expected calls. */
  reference: number;
  /** Number of actual calls. */
  output: number;
}

/** The calls behind a score in flexible mode; these are the caller's own objects. */
export interface ToolCallAccuracyDetails {
  /** Calls of the right function with the right arguments. */
  matches: ToolCall[];
  /** Calls of the right function with different arguments. */
  nameOnlyMatches: ToolCall[];
  /** Calls that were not expected. */
  extras: ToolCall[];
  /** Expected calls that were not made. */
  missingToolCalls: ToolCall[];
}

/** Details of a score. The fields depend on the mode, and on whether a list is empty. */
export interface ToolCallAccuracyMetadata {
  /** How calls were compared. */
  mode: "exact" | "flexible";
  /** Calls of the right function with the right arguments. */
  exactMatches: number;
  /** Calls of the right function with different arguments. */
  nameOnlyMatches: number;
  /** Exact mode: calls in the wrong place, and expected calls that are missing. */
  wrongOrMissing?: number;
  /** Flexible mode: calls that were not expected. */
  extras?: number;
  /** Flexible mode: expected tools that were not called. */
  missing?: number;
  /** Numbers of calls. */
  totals: ToolCallAccuracyTotals;
  /** Flexible mode: the calls themselves. */
  details?: ToolCallAccuracyDetails;
  /** Set if both lists are empty. */
  note?: string;
  /** Set if one list is empty. */
  warning?: string;
  /** If one list is empty: the number of actual calls. */
  outputCount?: number;
  /** If one list is empty: the number of expected calls. */
  referenceCount?: number;
  /** The pairs of calls; only with `explain`. */
  alignment?: Alignment;
}

/** The result of `toolCallAccuracy`. */
export interface ToolCallAccuracyResult {
  /** Evalite's name of the score: `Tool Call Accuracy`. */
  name: string;
  /** Evalite's description of the score. */
  description: string;
  /** The score, from 0 to 1. */
  score: number;
  /** Details of the score. */
  metadata: ToolCallAccuracyMetadata;
}

/**
 * Checks whether the right functions were called with the right arguments.
 *
 * @example
 * ```ts
 * const { score } = await toolCallAccuracy({
 *   actualCalls: [{ toolName: "getWeather", input: { city: "Oslo" } }],
 *   expectedCalls: [{ toolName: "getWeather", input: { city: "Bergen" } }],
 * });
 * // 0.5: the right function, other arguments
 * ```
 *
 * @throws {@link EvaluationError} where Evalite throws: for an invalid list or an unknown mode.
 */
export async function toolCallAccuracy(options: ToolCallAccuracyOptions): Promise<ToolCallAccuracyResult> {
  const { mode, weights, explain = false, edition = "documented" } = options;
  const isPackage = edition === "package";
  const [expectedCalls, actualCalls] = await sidesOf(callsOf(options.expectedCalls, isPackage), callsOf(options.actualCalls, isPackage));
  if (expectedCalls?.length && actualCalls?.length) checkWeights(options);
  const sides =
    (explain ? undefined : numberedSides(expectedCalls, actualCalls, mode, isPackage)) ??
    (isPackage ? packageSides(expectedCalls, actualCalls, mode) : documentedSides(expectedCalls, actualCalls));
  const { result, alignment } = unwrap<{ result: ToolCallAccuracyResult; alignment?: Alignment }>(
    native.original("evalite/tool-call-accuracy", edition, configOf(mode, weights), ...sides, explain),
  );
  const { score, metadata } = result;
  const { details } = metadata;
  if (details) {
    const own = (calls: readonly ToolCall[], from: readonly ToolCall[] | undefined) =>
      calls.map((call) => from?.[(call as ToolCall & Numbered).index] as ToolCall);
    details.matches = own(details.matches, actualCalls);
    details.nameOnlyMatches = own(details.nameOnlyMatches, actualCalls);
    details.extras = own(details.extras, actualCalls);
    details.missingToolCalls = own(details.missingToolCalls, expectedCalls);
  }
  if (alignment) metadata.alignment = alignment;
  // JSON cannot represent NaN, which is the score for a weight that is not a number.
  if (score === null) result.score = Number.NaN;
  return result;
}

/** Both sides; a promise only if one of them is a promise. */
const sidesOf = (expected: Calls | Promise<Calls>, actual: Calls | Promise<Calls>): [Calls, Calls] | Promise<[Calls, Calls]> =>
  expected instanceof Promise || actual instanceof Promise ? Promise.all([expected, actual]) : [expected, actual];

type Calls = readonly ToolCall[];

interface Numbered {
  index: number;
}

type Side = readonly ToolCall[] | undefined;

/**
 * The compared parts of a call, with its index, so that the details can contain the caller's own objects. A value that is not an object has
 * no parts.
 */
type Compared = (Partial<ToolCall> & Numbered) | null;

function compared(call: unknown, index: number): Compared {
  if (call === null || call === undefined) return null;
  const { toolName, input } = call as Partial<ToolCall>;
  return { toolName, input, index } as Compared;
}

/** Returns the number that replaces a call's arguments. */
type Numbering = (call: ToolCall, index: number) => number;

/**
 * Both sides with numbers instead of arguments; equal arguments get the same number. Serializing the arguments would take longer than
 * everything else. `undefined` if a value is not a call, or if JSON cannot represent values that the editions then treat differently.
 */
function numberedSides(expected: Side, actual: Side, mode: string | undefined, isPackage: boolean): [string, string] | undefined {
  if (!Array.isArray(expected) || !Array.isArray(actual)) return undefined;
  const isFlexible = mode === "flexible";
  const isPlain = isPackage && !isFlexible ? () => true : (input: unknown) => isJson(input, false);
  const numbering = isFlexible ? byTool() : byPlace;
  const one = numberedSide(expected, isFlexible, isPlain, numbering());
  const other = one === undefined ? undefined : numberedSide(actual, isFlexible, isPlain, numbering(expected));
  return one === undefined || other === undefined ? undefined : [one, other];
}

/** In flexible mode, calls of the same tool are compared. */
function byTool(): () => Numbering {
  const tools = new Map<string, Numbering>();
  const numbered = (): Numbering => {
    const number = classes(evaliteEqual);
    return ({ input }) => number(input);
  };
  return () => (call, index) => {
    let number = tools.get(call.toolName);
    if (number === undefined) tools.set(call.toolName, (number = numbered()));
    return number(call, index);
  };
}

/** In exact mode, calls of the same tool at the same position are compared. */
function byPlace(facing?: readonly ToolCall[]): Numbering {
  if (facing === undefined) return (_, index) => index;
  return ({ toolName, input }, index) => {
    const other = facing[index];
    return other !== undefined && other.toolName === toolName && evaliteEqual(other.input, input) ? index : facing.length + index;
  };
}

function numberedSide(
  calls: readonly unknown[],
  isFlexible: boolean,
  isPlain: (input: unknown) => boolean,
  numbering: Numbering,
): string | undefined {
  let text = "";
  for (let index = 0; index < calls.length; index++) {
    const call = calls[index] as ToolCall | null;
    if (typeof call !== "object" || call === null || typeof call.toolName !== "string") return undefined;
    text += `${index === 0 ? "" : ","}{"toolName":${quoted(call.toolName)}`;
    if (call.input !== undefined) {
      if (!isPlain(call.input)) return undefined;
      text += `,"input":${numbering(call, index)}`;
    }
    // The lists of flexible mode contain the caller's own objects.
    text += isFlexible ? `,"index":${index}}` : "}";
  }
  return `[${text}]`;
}

const documentedSides = (expected: Side, actual: Side): [string, string] => [side(expected, "/expected"), side(actual, "/actual")];

const side = (calls: Side, where: string) => toJson(Array.isArray(calls) ? Array.from(calls, compared) : calls, where);

/**
 * Both sides for the package's comparison: a value that JSON cannot represent becomes a number, the same for values that the package
 * considers equal.
 */
function packageSides(expectedCalls: Side, actualCalls: Side, mode: string | undefined): [string, string] {
  if (!Array.isArray(expectedCalls) || !Array.isArray(actualCalls)) return documentedSides(expectedCalls, actualCalls);
  const plain = [plainSide(expectedCalls, mode), plainSide(actualCalls, mode)] as const;
  if (plain[0] !== undefined && plain[1] !== undefined) return [plain[0], plain[1]];
  const numbered = (call: ToolCall, index: number) => (isCompared(call, mode) ? compared(call, index) : null);
  const expected = Array.from(expectedCalls, numbered);
  const actual = Array.from(actualCalls, numbered);
  // If one list is empty, no arguments are compared.
  if (actual.length === 0 || expected.length === 0) [expected, actual].forEach((calls) => calls.fill(null));
  const number = mode === "flexible" ? classes((one, other) => one === other) : classes(evaliteEqual);
  const textOf = (input: unknown) => (mode === "flexible" ? asPackage(() => evaliteText(input)) : input);
  for (const call of [...expected, ...actual]) {
    if (call === null) continue;
    const input = textOf(call.input);
    // The package treats `undefined` arguments as missing too.
    call.input = input === undefined ? undefined : number(input);
    if (!isName(call.toolName)) throw new EvaluationError({ message: "a `toolName` is no text, number, boolean or null" });
  }
  return [JSON.stringify(expected), JSON.stringify(actual)];
}

/** In exact mode, falsy values are not calls. */
const isCompared = (call: unknown, mode: string | undefined) =>
  mode === "flexible" ? call !== null && call !== undefined : Boolean(call);

/** A side that JSON can represent exactly; otherwise `undefined`. */
function plainSide(calls: readonly ToolCall[], mode: string | undefined): string | undefined {
  let text = "";
  for (let index = 0; index < calls.length; index++) {
    const call = calls[index];
    if (index > 0) text += ",";
    if (!isCompared(call, mode)) {
      text += "null";
      continue;
    }
    const { toolName, input } = call as ToolCall;
    text += `{"index":${index}`;
    if (toolName !== undefined) {
      const name = typeof toolName === "object" && toolName !== null ? undefined : plainText(toolName);
      if (name === undefined) return undefined;
      text += `,"toolName":${name}`;
    }
    if (input !== undefined) {
      const written = plainText(input);
      if (written === undefined) return undefined;
      text += `,"input":${written}`;
    }
    text += "}";
  }
  return `[${text}]`;
}

const isName = (name: unknown) => typeof name !== "object" ? name === undefined || isJson(name, true) : name === null;

/** Runs code that behaves like the package, and converts its errors to ours. */
function asPackage<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new EvaluationError({ message: String(error) });
  }
}

const PLAIN_CONFIGS = new Map<unknown, string>([[undefined, "{}"], ["exact", '{"mode":"exact"}'], ["flexible", '{"mode":"flexible"}']]);

const configOf = (mode: unknown, weights: ToolCallAccuracyOptions["weights"]): string =>
  (weights === undefined ? PLAIN_CONFIGS.get(mode) : undefined) ?? toJson({ mode, weights: numbers(weights) });

/** Throws like the package if a relevant weight is a `bigint`, which cannot be multiplied by a number. */
function checkWeights({ mode, weights = {} }: ToolCallAccuracyOptions): void {
  const counts = ["nameOnly", mode === "flexible" ? "extraPenalty" : "wrongPenalty"] as const;
  if (counts.some((name) => typeof weights?.[name] === "bigint")) {
    throw new EvaluationError({ message: "a weight is a bigint, which cannot be mixed with numbers" });
  }
}

/** The weights unchanged, except that an explicit `undefined` becomes NaN, as in Evalite. */
function numbers(weights: Partial<ToolCallAccuracyWeights> | undefined): unknown {
  if (typeof weights !== "object" || weights === null) return weights;
  return Object.fromEntries(Object.entries(weights).map(([key, weight]) => [key, weight === undefined ? "undefined" : weight]));
}
