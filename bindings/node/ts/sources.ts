// Where calls come from: results of the AI SDK and of Mastra, live or copied, messages, parts. Not exported from the package.
import { CaseError } from "./errors.js";
import { native, unwrap } from "./native.js";
import { toJson } from "./values.js";

/** A call as Evalite and the AI SDK write it. Other members are kept and never compared. */
export interface ToolCall {
  /** The tool. */
  toolName: string;
  /** The arguments. */
  input?: unknown;
}

/** A step of a result of the AI SDK. */
export interface Step {
  /** The calls of this step. */
  readonly toolCalls: readonly ToolCall[];
}

/** A result of the AI SDK: of `generateText`, or of `streamText`, whose members are promises. */
export interface SdkResult {
  /** The calls of the last step alone, until version 7 of the SDK. */
  readonly toolCalls?: readonly ToolCall[] | PromiseLike<readonly ToolCall[]>;
  /** All steps. */
  readonly steps?: readonly Step[] | PromiseLike<readonly Step[]>;
}

/** The state of a graph, or another object that holds messages. */
export interface MessageHolder {
  /** The messages. */
  readonly messages: readonly object[];
}

/** Calls, or what holds them: a result or its steps, or messages in any format that is read. */
export type ToolCallSource = readonly ToolCall[] | readonly Step[] | SdkResult | readonly object[] | MessageHolder;

type Members = Record<string, unknown>;

/**
 * A value as data that the engine reads: what getters and promises of a live result hold is looked up, and a list of steps or parts gets
 * what it was taken out of. A promise where a streamed result has yet to end.
 */
export function dataOf(source: unknown): unknown {
  if (!isObject(source)) return source;
  if (isPromise(source)) return Promise.resolve(source).then(dataOf);
  if (Array.isArray(source)) {
    if (source.some(isStep)) return { steps: source.map(stepData) };
    return source.some(isResultPart) ? [{ role: "assistant", content: source }] : source;
  }
  const { steps, toolCalls } = source;
  if (isPromise(steps)) return Promise.resolve(steps).then(dataOf);
  if (Array.isArray(steps) && steps.some(isStep)) return dataOf(steps);
  if (isPromise(toolCalls)) return Promise.resolve(toolCalls).then((calls) => dataOf({ ...source, toolCalls: calls }));
  if (!isStep(source)) return source;
  // A result that has lost its steps, as a copy may, still tells of earlier calls in its messages.
  const messages = source.responseMessages ?? (source.response as Members | undefined)?.messages;
  return Array.isArray(messages) && messages.length > 0 ? messages : { steps: [stepData(source)] };
}

/** The same at once. */
export function dataNow(source: unknown, side: string): unknown {
  const data = dataOf(source);
  if (!isPromise(data)) return data;
  data.then(undefined, () => {});
  throw new CaseError({ message: `/${side}: the calls are still to come`, help: "await the result, or its `steps`", pointer: `/${side}` });
}

/**
 * The calls of a source, the caller's own where they stand in it as such.
 *
 * @param asPackage - Whether `args` in place of `input` are left alone, as Evalite's package leaves them.
 */
export function callsOf(source: unknown, asPackage: boolean): readonly ToolCall[] | Promise<readonly ToolCall[]> {
  if (!isObject(source)) return source as never;
  if (Array.isArray(source) && !source.some((it) => isForeign(it) || (!asPackage && hasOtherArguments(it)))) return source;
  const data = dataOf(source);
  return isPromise(data) ? Promise.resolve(data).then(read) : read(data);
}

function read(data: unknown): readonly ToolCall[] {
  const { actual } = unwrap<{ actual: { name: string; args?: unknown }[] }>(native.calls(toJson(data, "/actual")));
  return actual.map(({ name, args }) => ({ toolName: name, ...(args !== undefined && { input: parsed(args) }) }));
}

/** Arguments as they are, or as the JSON text that some providers send. */
function parsed(args: unknown): unknown {
  if (typeof args !== "string") return args;
  try {
    return JSON.parse(args);
  } catch {
    return args;
  }
}

const isObject = (it: unknown): it is Members => typeof it === "object" && it !== null;

const isPromise = (it: unknown): it is PromiseLike<unknown> => isObject(it) && typeof it.then === "function";

/** A step of a result, or a result that is one: a copy has its content, a live one its calls. */
const isStep = (it: unknown): it is Members =>
  isObject(it) && !("role" in it) && !("toolName" in it) && (Array.isArray(it.toolCalls) || (Array.isArray(it.content) && "finishReason" in it));

function stepData(step: unknown): unknown {
  if (!isObject(step)) return step;
  const { toolCalls, toolResults = [], content, finishReason } = step;
  return Array.isArray(content) && content.length > 0 ? { content, finishReason } : { toolCalls, toolResults };
}

/** A part of the content of a message that is no call, though it has the name and the arguments of one. */
const isResultPart = (it: unknown): boolean => isObject(it) && (it.type === "tool-result" || it.type === "tool-error");

/** Members of what holds calls, or is one in other words than Evalite's. */
const FOREIGN = "role content parts messages tool_calls toolCalls toolInvocations steps kwargs lc_kwargs data payload function functionCall toolUse name tool".split(" ");

const isForeign = (it: unknown): boolean =>
  isObject(it) && (isResultPart(it) || isStreamPart(it) || (!("toolName" in it) && FOREIGN.some((key) => key in it)));

const isStreamPart = ({ type }: Members): boolean => typeof type === "string" && type.startsWith("tool-input-");

/** A call of version 4 of the AI SDK. */
const hasOtherArguments = (it: unknown): boolean => isObject(it) && "toolName" in it && "args" in it && it.input === undefined;
