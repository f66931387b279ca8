// Checks options and arguments that TypeScript's types allow, but JavaScript passes unchecked. Not exported from the package.
import { ConfigError } from "./errors.js";
import { kindOf } from "./values.js";

/** A test of an option, and what it expects. */
export type OptionCheck = readonly [accepts: (value: unknown) => boolean, expected: string];

const isText = (it: unknown): boolean => typeof it === "string";
const isObject = (it: unknown): boolean => typeof it === "object" && it !== null && !Array.isArray(it);

/** The usual tests. */
export const checks = {
  text: [isText, "a text"],
  flag: [(it) => typeof it === "boolean", "true or false"],
  count: [(it) => Number.isInteger(it) && (it as number) >= 0, "a whole number of 0 or more"],
  number: [(it) => typeof it === "number", "a number"],
  texts: [(it) => Array.isArray(it) && it.every(isText), "a list of texts"],
  object: [isObject, "an object"],
  textOrObject: [(it) => isText(it) || isObject(it), "a text or an object"],
  evaluator: [(it) => isText(it) || isObject(it), "the name of an evaluator or an entry with settings"],
  function: [(it) => typeof it === "function", "a function"],
  any: [() => true, "any value"],
} as const satisfies Record<string, OptionCheck>;

/** Rejects a value that a test does not accept. */
export function check(value: unknown, [accepts, expected]: OptionCheck, where: string, help?: string): void {
  if (accepts(value)) return;
  const found = typeof value === "number" ? String(value) : typeof value === "string" ? JSON.stringify(value) : kindOf(value);
  throw new ConfigError({ message: `${where}: expected ${expected}, found ${found}`, ...(help !== undefined && { help }) });
}

/** Rejects an unknown option, which would have no effect, and one of another type. */
export function checkOptions(options: unknown, known: Readonly<Record<string, OptionCheck>>, help?: string): void {
  check(options, checks.object, "options", help);
  for (const [key, value] of Object.entries(options as object)) {
    const test = Object.hasOwn(known, key) ? known[key] : undefined;
    if (test === undefined) {
      throw new ConfigError({ message: `options: expected ${Object.keys(known).join(", ")}, found the key \`${key}\`` });
    }
    if (value !== undefined) check(value, test, key);
  }
}
