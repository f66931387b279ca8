// Converts live results of SDKs, and bytes, to data. Not exported from the package.
import { Refusal, refusalOf } from "./values.js";

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

/** The same without waiting, for a side of a case. */
export function dataNow(source: unknown, pointer: string): unknown {
  const data = dataOf(source);
  if (!isPromise(data)) {
    checkSide(data, pointer);
    return data;
  }
  data.then(undefined, () => {});
  throw new Refusal(pointer, "calls", "a promise: the calls are still to come", "await the result, or its `steps`");
}

/**
 * Rejects bytes and dates where a call has text. Inside arguments they become text; as a name, as the arguments themselves or as a whole
 * side, that text would be judged although the user never wrote it.
 */
function checkSide(side: unknown, pointer: string): void {
  const found = oddText(side);
  if (found !== undefined) throw new Refusal(pointer, "calls", found, found === "bytes" ? "`calls` reads the bytes of a file" : undefined);
  if (Array.isArray(side)) side.forEach((call: unknown, index) => checkCall(call, `${pointer}/${index}`));
}

const PARTS = [
  ["name", "the name of a tool"],
  ["args", "an object or its JSON text"],
  ["arguments", "an object or its JSON text"],
] as const;

/** The same for one call. */
export function checkCall(call: unknown, pointer: string): void {
  const refuse = (value: unknown, pointer: string, expected: string): void => {
    const found = oddText(value);
    if (found !== undefined) throw new Refusal(pointer, expected, found, found === "bytes" ? "decode them first" : undefined);
  };
  refuse(call, pointer, "a call");
  if (!isObject(call)) return;
  for (const [key, expected] of PARTS) {
    let part: unknown;
    try {
      part = call[key];
    } catch (error) {
      throw refusalOf(error, `${pointer}/${key}`);
    }
    refuse(part, `${pointer}/${key}`, expected);
  }
}

/** Names a value that would become text. */
function oddText(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (value instanceof Date) return "a Date";
  return ArrayBuffer.isView(value) || value instanceof ArrayBuffer ? "bytes" : undefined;
}

/** The bytes in the addon's form, without a copy. */
export const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, byteLength);

/** True if a value has members. */
export const isObject = (it: unknown): it is Members => typeof it === "object" && it !== null;

/** True if a value is a promise. */
export const isPromise = (it: unknown): it is PromiseLike<unknown> => isObject(it) && typeof it.then === "function";
