// Writes values as JSON text for the engine. Not exported from the package.
import { CaseError, RightcallError } from "./errors.js";

/** The engine's maximum nesting depth. */
const DEPTH = 512;

/** The maximum number of steps in the pointer to a value that is nested too deep. */
const STEPS = 8;

/** Why a value cannot be a case or a part of one, with the same words as the engine's errors. */
export class Refusal extends CaseError {
  readonly expected: string;
  readonly found: string;

  constructor(pointer: string, expected: string, found: string, help?: string) {
    super({ message: `${pointer === "" ? "" : `${pointer}: `}expected ${expected}, found ${found}`, pointer, ...(help !== undefined && { help }) });
    this.name = "CaseError";
    this.expected = expected;
    this.found = found;
    // Only the engine needs these, so hide them.
    for (const key of ["expected", "found"]) Object.defineProperty(this, key, { enumerable: false });
  }
}

/** Converts an error about a value, from this module or from the addon. */
export function refusalOf(error: unknown, pointer: string): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof RightcallError) return new Refusal(error.pointer ?? pointer, "a case", error.message, error.help);
  return new Refusal(pointer, "a value that can be read", `an error of its own: ${error instanceof Error ? error.message : String(error)}`);
}

/**
 * True if JSON can represent a value exactly: plain objects and arrays of strings, finite numbers, booleans and null.
 *
 * @param isAbsent - Whether an `undefined` member counts as missing.
 */
export function isJson(value: unknown, isAbsent: boolean, depth = 0): boolean {
  switch (typeof value) {
    case "undefined":
      return isAbsent;
    case "string":
    case "boolean":
      return true;
    case "number":
      return Number.isFinite(value);
    case "object":
      break;
    default:
      return false;
  }
  if (value === null) return true;
  if (depth > DEPTH) return false;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) if (!isJson(value[index], isAbsent, depth + 1)) return false;
    return true;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if ((prototype !== Object.prototype && prototype !== null) || "toJSON" in value) return false;
  for (const key in value) {
    // The originals drop this key when they copy an object key by key.
    if (key === "__proto__" || !isJson((value as Record<string, unknown>)[key], isAbsent, depth + 1)) return false;
  }
  return true;
}

// Values that `JSON.stringify` cannot write are replaced by strings that no user text can equal; their quotes are removed at the end.
const mark = `\u0000${Math.random().toString(36).slice(2)}:`;
const marked = new RegExp(`"${JSON.stringify(mark).slice(1, -1).replace(/\\/g, "\\\\")}([^"]*)"`, "g");

/**
 * JSON text of a value, including numbers that are not finite, and integers of any size. An `undefined` member counts as missing, a date
 * becomes its text, and bytes become base64 text. Values that would lose data are rejected: two different maps must not both become `{}`.
 *
 * @param where - A name of the value for the message.
 */
export function toJson(value: unknown, where = ""): string {
  let at = where;
  try {
    if (isJson(value, true)) return JSON.stringify(value) ?? "null";
    refuseDepth(value, where, []);
    return written(value, where, (path) => (at = path));
  } catch (error) {
    throw error instanceof RightcallError ? error : refusalOf(error, at);
  }
}

/** Writes a value that is not plain JSON. `reached` is called with each path on the way. */
function written(value: unknown, where: string, reached: (path: string) => void): string {
  let hasMarks = false;
  // Every object is stored with its path, for the message.
  const paths = new Map<unknown, string>([[value, where]]);
  const text = JSON.stringify(value, function (this: unknown, key: string, it: unknown) {
    const path = key === "" && !paths.has(this) ? where : `${paths.get(this) ?? where}${key === "" ? "" : `/${step(key)}`}`;
    reached(path);
    const original = (this as Record<string, unknown>)[key];
    if (typeof it === "object" && it !== null) paths.set(it, path);
    if (typeof it === "bigint" || (typeof it === "number" && !Number.isFinite(it))) {
      hasMarks = true;
      return mark + (it === Infinity ? "1e999" : it === -Infinity ? "-1e999" : String(it));
    }
    if (original instanceof Error) return { name: original.name, message: original.message };
    const bytes = bytesOf(original);
    if (bytes !== undefined) return bytes.toString("base64");
    if (ArrayBuffer.isView(original)) return Array.from(original as never);
    refuse(original, it, path);
    return it;
  });
  if (text === undefined) return "null";
  return hasMarks ? text.replace(marked, "$1") : text;
}

/** Tokens of JSON that matter for numbers: escapes and quotes, to know what is text, and numbers in the engine's form. */
const TOKENS = /\\.|"|-?\d[\d.eE+-]*|NaN/g;

/** Parses JSON text of the engine like `JSON.parse`, but reads NaN, and integers beyond the safe range as `bigint`. */
export function fromJson(text: string): unknown {
  if (!/\d{16}|NaN/.test(text)) return JSON.parse(text);
  let isText = false;
  const withMarks = text.replace(TOKENS, (token) => {
    if (token === '"') isText = !isText;
    const isKept = isText || token === '"' || (token !== "NaN" && (!/^-?\d+$/.test(token) || Number.isSafeInteger(Number(token))));
    return isKept ? token : JSON.stringify(mark + token);
  });
  return JSON.parse(withMarks, (_, it) => {
    if (typeof it !== "string" || !it.startsWith(mark)) return it;
    const token = it.slice(mark.length);
    return token === "NaN" ? Number.NaN : BigInt(token);
  });
}

/** The bytes of a value with bytes; typed arrays of other numbers are excluded. */
function bytesOf(value: unknown): Buffer | undefined {
  if (value instanceof Uint8Array || value instanceof Uint8ClampedArray || value instanceof DataView) {
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  }
  return value instanceof ArrayBuffer ? Buffer.from(value) : undefined;
}

/** A key as a step of a JSON pointer. */
const step = (key: string): string => key.replace(/~/g, "~0").replace(/\//g, "~1");

/** Rejects circular values, and values deeper than the engine's limit. */
function refuseDepth(value: unknown, path: string, around: unknown[]): void {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return;
  if (around.includes(value)) throw new Refusal(path, "a value that JSON can hold", "one that holds itself");
  if (around.length > DEPTH) {
    const pointer = path.split("/").slice(0, STEPS + 1).join("/");
    throw new Refusal(pointer, `at most ${DEPTH} levels of nesting`, "more");
  }
  if (typeof (value as { toJSON?: unknown }).toJSON === "function") return;
  around.push(value);
  for (const key of Object.keys(value)) refuseDepth((value as Record<string, unknown>)[key], `${path}/${step(key)}`, around);
  around.pop();
}

function refuse(value: unknown, written: unknown, path: string): void {
  const kind = unwritable(value, written);
  if (kind === undefined) return;
  if (kind === ITERATOR) throw new Refusal(path, "a value that JSON can hold", kind, "make a list of it: [...it]");
  throw new Refusal(path, "a value that JSON can hold", kind, "give what it holds as a plain object, list or text");
}

const ITERATOR = "an iterator, such as a generator";

/** The type of a value if JSON would lose its contents. */
export function unwritable(value: unknown, written: unknown): string | undefined {
  if (typeof value === "function") return "a function";
  if (typeof value === "symbol") return "a symbol";
  if (typeof value !== "object" || value === null) return undefined;
  const { asymmetricMatch, toAsymmetricMatcher } = value as { asymmetricMatch?: unknown; toAsymmetricMatcher?: () => string };
  if (typeof asymmetricMatch === "function") return `the matcher ${toAsymmetricMatcher?.call(value) ?? String(value)}`;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "a date that is none" : undefined;
  // A value with its own `toJSON` is written that way.
  if (value !== written || Array.isArray(value)) return undefined;
  if (typeof (value as { next?: unknown }).next === "function") return ITERATOR;
  const prototype = Object.getPrototypeOf(value) as { constructor?: { name?: string } } | null;
  if (prototype === Object.prototype || prototype === null) return undefined;
  const holds = Object.keys(value).length > 0 && !(value instanceof Map) && !(value instanceof Set);
  const isBoxed = value instanceof Boolean || value instanceof Number || value instanceof String;
  return holds || isBoxed ? undefined : `a ${prototype.constructor?.name || "value of a class"}`;
}

/** Strings that need no escaping in JSON. */
const SIMPLE = /^[ !#-[\]-~]*$/;

/** JSON text of a string. */
export const quoted = (text: string): string => (SIMPLE.test(text) ? `"${text}"` : JSON.stringify(text));

/**
 * JSON text of a value that JSON can represent exactly, excluding `undefined`; otherwise `undefined`.
 *
 * Checking and writing in one pass takes half the time of `isJson` and `JSON.stringify` for a few small calls.
 */
export function plainText(value: unknown, depth = 0): string | undefined {
  switch (typeof value) {
    case "string":
      return quoted(value);
    case "number":
      return Number.isFinite(value) ? String(value) : undefined;
    case "boolean":
      return value ? "true" : "false";
    case "object":
      break;
    default:
      return undefined;
  }
  if (value === null) return "null";
  if (depth > DEPTH) return undefined;
  let text = "";
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const inner = plainText(value[index], depth + 1);
      if (inner === undefined) return undefined;
      text += index === 0 ? inner : `,${inner}`;
    }
    return `[${text}]`;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if ((prototype !== Object.prototype && prototype !== null) || "toJSON" in value) return undefined;
  for (const key in value) {
    const inner = plainText((value as Record<string, unknown>)[key], depth + 1);
    if (inner === undefined) return undefined;
    text += `${text === "" ? "" : ","}${quoted(key)}:${inner}`;
  }
  return `{${text}}`;
}

/**
 * Maps values to numbers, the same number for equal values. So the engine can compare values that JSON cannot represent, using the
 * original's equality.
 *
 * @param isEqual - The original's equality. A value that does not equal itself equals no value.
 */
export function classes(isEqual: (one: unknown, other: unknown) => boolean): (value: unknown) => number {
  const known: unknown[] = [];
  return (value) => {
    const place = known.findIndex((other) => isEqual(other, value));
    return place < 0 ? known.push(value) - 1 : place;
  };
}

/** The type of a value in a few words. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
