// What the drop-in for Evalite takes for calls. Not exported from the package.
import { readRun } from "./calls.js";
import { CaseError } from "./errors.js";
import { dataOf, isObject, isPromise } from "./live.js";
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

/**
 * The calls of a source, the caller's own where they are Evalite's.
 *
 * @param asPackage - Whether `args` in place of `input` are left alone, as Evalite's package leaves them.
 */
export function callsOf(source: unknown, asPackage: boolean): readonly ToolCall[] | Promise<readonly ToolCall[]> {
  if (!isObject(source)) return source as never;
  if (Array.isArray(source) && source.every((it) => isOwn(it, asPackage))) return source;
  const data = dataOf(source);
  return isPromise(data) ? Promise.resolve(data).then(read) : read(data);
}

function read(data: unknown): readonly ToolCall[] {
  const { calls, incomplete } = readRun(toJson(data, "/actual"));
  if (incomplete !== undefined) {
    throw new CaseError({ message: `calls may be missing: ${incomplete}`, help: "a score would be made without them; give the calls themselves", pointer: "/actual" });
  }
  return calls.map(({ name, args }) => ({ toolName: name, ...(args !== undefined && { input: parsed(args) }) }));
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

/** A call as Evalite takes it, however poor. What the AI SDK has beside its calls says so by its type. */
function isOwn(it: unknown, asPackage: boolean): boolean {
  if (!isObject(it)) return true;
  if (!("toolName" in it)) return Object.keys(it).every((key) => key === "input");
  return (it.type ?? "tool-call") === "tool-call" && (asPackage || it.input !== undefined || !("args" in it));
}
