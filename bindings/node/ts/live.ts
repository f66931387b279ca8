// Converts live results of SDKs, and bytes, to data. Not exported from the package.
import { Refusal } from "./values.js";

type Members = Record<string, unknown>;

/** The members with calls in live results of the AI SDK or of Mastra: getters, which JSON ignores, or promises. */
const LIVE = ["steps", "toolCalls"];

/**
 * Converts a value to data for the engine; from a live result, takes the members with calls. A promise if a streamed result has not ended
 * yet.
 */
export function dataOf(source: unknown): unknown {
  if (!isObject(source)) return source;
  if (isPromise(source)) return Promise.resolve(source).then(dataOf);
  const key = LIVE.find((key) => source[key] !== undefined);
  if (key === undefined) return source;
  const held = source[key];
  if (isPromise(held)) return Promise.resolve(held).then((it) => ({ [key]: it }));
  return Object.hasOwn(source, key) ? source : { ...source, [key]: held };
}

/** The same without waiting. */
export function dataNow(source: unknown, pointer: string): unknown {
  const data = dataOf(source);
  if (!isPromise(data)) return data;
  data.then(undefined, () => {});
  throw new Refusal(pointer, "calls", "a promise: the calls are still to come", "await the result, or its `steps`");
}

/** The bytes in the addon's form, without a copy. */
export const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, byteLength);

/** True if a value has members. */
export const isObject = (it: unknown): it is Members => typeof it === "object" && it !== null;

/** True if a value is a promise. */
export const isPromise = (it: unknown): it is PromiseLike<unknown> => isObject(it) && typeof it.then === "function";
