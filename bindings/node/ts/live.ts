// Values as data: live results of SDKs, and bytes. Not exported from the package.
import { Refusal } from "./values.js";

type Members = Record<string, unknown>;

/** Where a live result of the AI SDK or of Mastra keeps its calls: in getters, which JSON does not see, or in promises. */
const LIVE = ["steps", "toolCalls"];

/** A value as data, which the engine reads: of a live result what it keeps its calls in. A promise where a streamed result has yet to end. */
export function dataOf(source: unknown): unknown {
  if (!isObject(source)) return source;
  if (isPromise(source)) return Promise.resolve(source).then(dataOf);
  const key = LIVE.find((key) => source[key] !== undefined);
  if (key === undefined) return source;
  const held = source[key];
  if (isPromise(held)) return Promise.resolve(held).then((it) => ({ [key]: it }));
  return Object.hasOwn(source, key) ? source : { ...source, [key]: held };
}

/** The same at once. */
export function dataNow(source: unknown, pointer: string): unknown {
  const data = dataOf(source);
  if (!isPromise(data)) return data;
  data.then(undefined, () => {});
  throw new Refusal(pointer, "calls", "a promise: the calls are still to come", "await the result, or its `steps`");
}

/** The bytes as the addon takes them, in the same memory. */
export const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, byteLength);

/** Whether a value has members. */
export const isObject = (it: unknown): it is Members => typeof it === "object" && it !== null;

/** Whether a value is still to come. */
export const isPromise = (it: unknown): it is PromiseLike<unknown> => isObject(it) && typeof it.then === "function";
