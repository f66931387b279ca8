// Checks options and arguments that TypeScript's types allow, but JavaScript passes unchecked. Not exported from the package.
import { ConfigError } from "./errors.js";
import { kindOf } from "./values.js";

/** Rejects a value that is not an object of options, and an unknown option: it would have no effect. */
export function checkOptions(options: unknown, known: readonly string[], where = "options"): void {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw new ConfigError({ message: `${where}: expected an object, found ${kindOf(options)}` });
  }
  for (const key of Object.keys(options)) {
    if (!known.includes(key)) throw new ConfigError({ message: `${where}: expected ${known.join(", ")}, found the key \`${key}\`` });
  }
}

/** Rejects a value of another type. */
export function checkType(value: unknown, type: "string" | "function" | "boolean", where: string, expected: string, help?: string): void {
  if (typeof value === type) return;
  throw new ConfigError({ message: `${where}: expected ${expected}, found ${kindOf(value)}`, ...(help !== undefined && { help }) });
}
