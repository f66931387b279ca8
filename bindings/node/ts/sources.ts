// Reads the sources of calls that the Evalite drop-in accepts. Not exported from the package.
import { readRun } from "./calls.js";
import { CaseError } from "./errors.js";
import { dataOf, isObject, isPromise } from "./live.js";
import { toJson } from "./values.js";

/** A call in the format of Evalite and the AI SDK. Other members are kept and never compared. */
export interface ToolCall {
  /** The tool. */
  toolName: string;
  /** The arguments. */
  input?: unknown;
}

/** A step of an AI SDK result. */
export interface Step {
  /** The calls of this step. */
  readonly toolCalls: readonly ToolCall[];
}

/** An AI SDK result: of `generateText`, or of `streamText`, whose members are promises. */
export interface SdkResult {
  /** The calls; before version 7 of the SDK only those of the last step. */
  readonly toolCalls?: readonly ToolCall[] | PromiseLike<readonly ToolCall[]>;
  /** All steps. */
  readonly steps?: readonly Step[] | PromiseLike<readonly Step[]>;
}

/** The state of a graph, or another object with messages. */
export interface MessageHolder {
  /** The messages. */
  readonly messages: readonly object[];
}

/** Calls, or a value that holds them: a result or its steps, or messages in any supported format. */
export type ToolCallSource = readonly ToolCall[] | readonly Step[] | SdkResult | readonly object[] | MessageHolder;

/**
 * The calls of a source; Evalite's own calls are returned unchanged.
 *
 * @param asPackage - Whether `args` instead of `input` is left unchanged, as in Evalite's package.
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

/** Parses arguments that a provider sends as JSON text; other arguments are returned unchanged. */
function parsed(args: unknown): unknown {
  if (typeof args !== "string") return args;
  try {
    return JSON.parse(args);
  } catch {
    return args;
  }
}

/** True for a call in Evalite's format, however incomplete. Other content of the AI SDK has a different `type`. */
function isOwn(it: unknown, asPackage: boolean): boolean {
  if (!isObject(it)) return true;
  if (!("toolName" in it)) return Object.keys(it).every((key) => key === "input");
  return (it.type ?? "tool-call") === "tool-call" && (asPackage || it.input !== undefined || !("args" in it));
}
