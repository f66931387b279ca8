/**
 * This path gives the numbers of Evalite's documentation; `rightcall/package/evalite` gives those of its package.
 *
 * `toolCallAccuracy` of Evalite, scored by rightcall: change the import, and nothing else.
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

/** What parts of the score are worth. */
export interface ToolCallAccuracyWeights {
  /** Credit for the right function with the right arguments; 1. */
  exact: number;
  /** Credit for the right function with other arguments; 0.5. */
  nameOnly: number;
  /** Taken off for an extra call, in flexible mode; 0.25. */
  extraPenalty: number;
  /** Taken off for a wrong or missing call, in exact mode; 0.25. */
  wrongPenalty: number;
}

/** What `toolCallAccuracy` takes. */
export interface ToolCallAccuracyOptions {
  /**
   * The calls that were made: `toolCalls` of a result of the AI SDK; or the whole result or its `steps`, which hold the calls of every
   * step, where `toolCalls` holds those of the last alone until version 7 of the SDK; or messages in any format that is read.
   */
  actualCalls: ToolCallSource;
  /** The calls that are expected; `input` left out demands nothing of the arguments in exact mode. */
  expectedCalls: readonly ToolCall[] | undefined;
  /** Position by position, which is the default, or in any order. */
  mode?: "exact" | "flexible";
  /** Weights in place of the defaults. */
  weights?: Partial<ToolCallAccuracyWeights>;
  /** Whether the metadata say which call answers which and where arguments differ. */
  explain?: boolean;
  /** Evalite's documentation, which is the default, or its package, bit for bit. */
  edition?: Edition;
}

/** Numbers of calls. */
export interface ToolCallAccuracyTotals {
  /** Calls that were expected. */
  reference: number;
  /** Calls that were made. */
  output: number;
}

/** The calls behind a score in flexible mode, as they were given. */
export interface ToolCallAccuracyDetails {
  /** Calls of the right function with the right arguments. */
  matches: ToolCall[];
  /** Calls of the right function with other arguments. */
  nameOnlyMatches: ToolCall[];
  /** Calls that nobody expected. */
  extras: ToolCall[];
  /** Expected calls that were not made. */
  missingToolCalls: ToolCall[];
}

/** Details of a score. Which there are depends on the mode, and on whether a list is empty. */
export interface ToolCallAccuracyMetadata {
  /** How calls were compared. */
  mode: "exact" | "flexible";
  /** Calls of the right function with the right arguments. */
  exactMatches: number;
  /** Calls of the right function with other arguments. */
  nameOnlyMatches: number;
  /** Exact mode: calls in the wrong place, and expected calls that are missing. */
  wrongOrMissing?: number;
  /** Flexible mode: calls that nobody expected. */
  extras?: number;
  /** Flexible mode: tools that were expected and not called. */
  missing?: number;
  /** Numbers of calls. */
  totals: ToolCallAccuracyTotals;
  /** Flexible mode: the calls themselves. */
  details?: ToolCallAccuracyDetails;
  /** Both lists are empty. */
  note?: string;
  /** One list is empty. */
  warning?: string;
  /** Where one list is empty: number of calls that were made. */
  outputCount?: number;
  /** Where one list is empty: number of calls that were expected. */
  referenceCount?: number;
  /** Which call answers which; with `explain`. */
  alignment?: Alignment;
}

/** What `toolCallAccuracy` gives. */
export interface ToolCallAccuracyResult {
  /** What Evalite calls the score: `Tool Call Accuracy`. */
  name: string;
  /** What it shows beside the name. */
  description: string;
  /** The score, from 0 to 1. */
  score: number;
  /** How it came about. */
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
 * @throws {@link EvaluationError} where Evalite throws: a list that is none, an unknown mode.
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
  // JSON has no NaN, which is what a weight that is no number comes to.
  if (score === null) result.score = Number.NaN;
  return result;
}

/** Both at once; nothing is awaited that is there. */
const sidesOf = (expected: Calls | Promise<Calls>, actual: Calls | Promise<Calls>): [Calls, Calls] | Promise<[Calls, Calls]> =>
  expected instanceof Promise || actual instanceof Promise ? Promise.all([expected, actual]) : [expected, actual];

type Calls = readonly ToolCall[];

interface Numbered {
  index: number;
}

type Side = readonly ToolCall[] | undefined;

/** What is compared of a call, with its place, so that the details can hold the caller's own objects; what is no object has no parts. */
type Compared = (Partial<ToolCall> & Numbered) | null;

function compared(call: unknown, index: number): Compared {
  if (call === null || call === undefined) return null;
  const { toolName, input } = call as Partial<ToolCall>;
  return { toolName, input, index } as Compared;
}

/** The number that stands for the arguments of a call. */
type Numbering = (call: ToolCall, index: number) => number;

/**
 * Both sides with a number in place of arguments, the same for those that are equal: writing arguments as JSON takes longer than all else
 * that is done with them. Nothing where something is no call, or where JSON does not hold what the editions then read in different ways.
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

/** In flexible mode calls of one tool are compared. */
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

/** In exact mode calls of one tool in one place are compared. */
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
    // The lists of flexible mode are made of the caller's own objects.
    text += isFlexible ? `,"index":${index}}` : "}";
  }
  return `[${text}]`;
}

const documentedSides = (expected: Side, actual: Side): [string, string] => [side(expected, "/expected"), side(actual, "/actual")];

const side = (calls: Side, where: string) => toJson(Array.isArray(calls) ? Array.from(calls, compared) : calls, where);

/** Both sides as the package compares them: what JSON cannot hold becomes a number, the same for what is equal to the package. */
function packageSides(expectedCalls: Side, actualCalls: Side, mode: string | undefined): [string, string] {
  if (!Array.isArray(expectedCalls) || !Array.isArray(actualCalls)) return documentedSides(expectedCalls, actualCalls);
  const plain = [plainSide(expectedCalls, mode), plainSide(actualCalls, mode)] as const;
  if (plain[0] !== undefined && plain[1] !== undefined) return [plain[0], plain[1]];
  const numbered = (call: ToolCall, index: number) => (isCompared(call, mode) ? compared(call, index) : null);
  const expected = Array.from(expectedCalls, numbered);
  const actual = Array.from(actualCalls, numbered);
  // Beside an empty list nothing is compared.
  if (actual.length === 0 || expected.length === 0) [expected, actual].forEach((calls) => calls.fill(null));
  const number = mode === "flexible" ? classes((one, other) => one === other) : classes(evaliteEqual);
  const textOf = (input: unknown) => (mode === "flexible" ? asPackage(() => evaliteText(input)) : input);
  for (const call of [...expected, ...actual]) {
    if (call === null) continue;
    const input = textOf(call.input);
    // Arguments that are not there are no arguments to the package too.
    call.input = input === undefined ? undefined : number(input);
    if (!isName(call.toolName)) throw new EvaluationError({ message: "a `toolName` is no text, number, boolean or null" });
  }
  return [JSON.stringify(expected), JSON.stringify(actual)];
}

/** In exact mode whatever is falsy is no call. */
const isCompared = (call: unknown, mode: string | undefined) =>
  mode === "flexible" ? call !== null && call !== undefined : Boolean(call);

/** A side that JSON holds as it is; of any other nothing. */
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

/** What the package does, with the error that it throws as one of ours. */
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

/** Throws as the package does where a weight that counts is a `bigint`, which no number can be multiplied by. */
function checkWeights({ mode, weights = {} }: ToolCallAccuracyOptions): void {
  const counts = ["nameOnly", mode === "flexible" ? "extraPenalty" : "wrongPenalty"] as const;
  if (counts.some((name) => typeof weights?.[name] === "bigint")) {
    throw new EvaluationError({ message: "a weight is a bigint, which cannot be mixed with numbers" });
  }
}

/** Weights as they stand; one that is given as `undefined` is no number, as it is to Evalite. */
function numbers(weights: Partial<ToolCallAccuracyWeights> | undefined): unknown {
  if (typeof weights !== "object" || weights === null) return weights;
  return Object.fromEntries(Object.entries(weights).map(([key, weight]) => [key, weight === undefined ? "undefined" : weight]));
}
