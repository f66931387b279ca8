// Values on their way to the engine, which takes JSON text. Not exported from the package.
import { CaseError, RightcallError } from "./errors.js";

/** As deep as the engine reads. */
const DEPTH = 512;

/** Steps of a pointer into a value that is nested too deep. */
const STEPS = 8;

/** Why a value cannot be a case, or a part of one, in the words of the engine's own errors. */
export class Refusal extends CaseError {
  readonly expected: string;
  readonly found: string;

  constructor(pointer: string, expected: string, found: string, help?: string) {
    super({ message: `${pointer === "" ? "" : `${pointer}: `}expected ${expected}, found ${found}`, pointer, ...(help !== undefined && { help }) });
    this.name = "CaseError";
    this.expected = expected;
    this.found = found;
    // They are for the engine.
    for (const key of ["expected", "found"]) Object.defineProperty(this, key, { enumerable: false });
  }
}

/** An error of a value, from here or from the addon. */
export function refusalOf(error: unknown, pointer: string): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof RightcallError) return new Refusal(error.pointer ?? pointer, "a case", error.message, error.help);
  return new Refusal(pointer, "a value that can be read", `an error of its own: ${error instanceof Error ? error.message : String(error)}`);
}

/**
 * Whether JSON holds a value as it is: plain objects and lists of texts, finite numbers, booleans and null.
 *
 * @param isAbsent - Whether a member that is `undefined` is as good as none.
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
    // The originals drop it where they copy an object key by key.
    if (key === "__proto__" || !isJson((value as Record<string, unknown>)[key], isAbsent, depth + 1)) return false;
  }
  return true;
}

// Values that `JSON.stringify` cannot write travel as texts that no user's text can be, and lose their quotes at the end.
const mark = `\u0000${Math.random().toString(36).slice(2)}:`;
const marked = new RegExp(`"${JSON.stringify(mark).slice(1, -1).replace(/\\/g, "\\\\")}([^"]*)"`, "g");

/**
 * JSON text of a value, with what JSON itself has no word for: numbers that are not finite, and integers of any size. A member that is
 * `undefined` counts as absent, a date as its text, bytes as text in base64. What would lose what it holds is refused: two maps must not be
 * equal as two `{}`.
 *
 * @param where - What the value is, for the message.
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

/** The text of a value that is no plain JSON; `reached` hears of each place on the way. */
function written(value: unknown, where: string, reached: (path: string) => void): string {
  let hasMarks = false;
  // Every object is known by the path that leads to it, for the message.
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

/** The bytes of what holds bytes and no other numbers. */
function bytesOf(value: unknown): Buffer | undefined {
  if (value instanceof Uint8Array || value instanceof Uint8ClampedArray || value instanceof DataView) {
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  }
  return value instanceof ArrayBuffer ? Buffer.from(value) : undefined;
}

/** A key as a step of a JSON pointer. */
const step = (key: string): string => key.replace(/~/g, "~0").replace(/\//g, "~1");

/** Refuses what holds itself, and what is deeper than the engine reads. */
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
  throw new Refusal(path, "a value that JSON can hold", kind, "give what it holds as a plain object, list or text");
}

/** What a value is, if JSON would lose what is in it. */
export function unwritable(value: unknown, written: unknown): string | undefined {
  if (typeof value === "function") return "a function";
  if (typeof value === "symbol") return "a symbol";
  if (typeof value !== "object" || value === null) return undefined;
  const { asymmetricMatch, toAsymmetricMatcher } = value as { asymmetricMatch?: unknown; toAsymmetricMatcher?: () => string };
  if (typeof asymmetricMatch === "function") return `the matcher ${toAsymmetricMatcher?.call(value) ?? String(value)}`;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "a date that is none" : undefined;
  // What says itself how it is written is written so.
  if (value !== written || Array.isArray(value)) return undefined;
  const prototype = Object.getPrototypeOf(value) as { constructor?: { name?: string } } | null;
  if (prototype === Object.prototype || prototype === null) return undefined;
  const holds = Object.keys(value).length > 0 && !(value instanceof Map) && !(value instanceof Set);
  const isBoxed = value instanceof Boolean || value instanceof Number || value instanceof String;
  return holds || isBoxed ? undefined : `a ${prototype.constructor?.name ?? "value of a class"}`;
}

/** Texts that stand in JSON as they are. */
const SIMPLE = /^[ !#-[\]-~]*$/;

/** JSON text of a text. */
export const quoted = (text: string): string => (SIMPLE.test(text) ? `"${text}"` : JSON.stringify(text));

/**
 * JSON text of a value that JSON holds as it is, `undefined` not among them; of any other nothing.
 *
 * Looking and writing go together: for a few small calls that takes half the time of `isJson` and `JSON.stringify`.
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
 * Numbers for values, the same for those that are equal: so the engine compares what JSON cannot hold by the original's own equality.
 *
 * @param isEqual - The original's equality; a value that does not equal itself equals none.
 */
export function classes(isEqual: (one: unknown, other: unknown) => boolean): (value: unknown) => number {
  const known: unknown[] = [];
  return (value) => {
    const place = known.findIndex((other) => isEqual(other, value));
    return place < 0 ? known.push(value) - 1 : place;
  };
}
