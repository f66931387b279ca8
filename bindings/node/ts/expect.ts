/**
 * Expectations with alternatives, from functions with the names of JSON's blocks and matchers. Each function returns the plain object that
 * can also be written by hand, so both can be mixed and used wherever an expectation is accepted. Conditions on a number can be combined:
 * `{ ...gte(1), ...lt(5) }`.
 *
 * @module
 */

/** A call, a tool name, or a block. */
export type Element = string | Readonly<Record<string, unknown>>;

/** One element, or a sequence of them. */
export type Elements = Element | readonly Element[];

/** A block or a matcher in its JSON form. */
export type Written = Record<string, unknown>;

/** A JSON type. */
export type JsonType = "string" | "number" | "integer" | "boolean" | "null" | "array" | "object";

/** A call of this tool. Only the given arguments and output are required. */
export const call = (name: string, args?: unknown, stated: { output?: unknown } = {}): Written => ({
  name,
  ...(args !== undefined && { args }),
  ...("output" in stated && { output: stated.output }),
});

/** The elements in this order. */
export const sequence = (...elements: Element[]): Written => ({ sequence: elements });

/** The elements in parallel: calls of different elements may be interleaved. */
export const anyOrder = (...elements: Elements[]): Written => ({ any_order: elements });

/** Exactly one of these. */
export const oneOf = (...alternatives: Elements[]): Written => ({ one_of: alternatives });

/** The elements in this order, or none of them. */
export const optional = (...elements: Element[]): Written => ({ optional: elements });

/** The elements in this order, at least `min` times (default: 1), and at most `max` times (default: no limit). */
export const repeat = (elements: Elements, { min = 1, max }: { min?: number; max?: number } = {}): Written => ({
  repeat: elements,
  min,
  max: max ?? null,
});

/** The key is present, with any value. */
export const anything = (): Written => ({ $any: true });

/** A value equal to this one. */
export const eq = (value: unknown): Written => ({ $eq: value });

/** A value different from this one. */
export const ne = (value: unknown): Written => ({ $ne: value });

/** A number greater than this one. */
export const gt = (number: number): Written => ({ $gt: number });

/** A number greater than or equal to this one. */
export const gte = (number: number): Written => ({ $gte: number });

/** A number less than this one. */
export const lt = (number: number): Written => ({ $lt: number });

/** A number less than or equal to this one. */
export const lte = (number: number): Written => ({ $lte: number });

/** A number that differs from `value` by at most `within`. */
export const approx = (value: number, within: number): Written => ({ $approx: { value, within } });

/** A value of this JSON type (`$type`). */
export const ofType = (name: JsonType): Written => ({ $type: name });

/** A string in which the regular expression matches somewhere. It uses the engine's syntax, so a JavaScript `RegExp` is not accepted. */
export const pattern = (expression: string): Written => ({ $pattern: expression });

/** A string that contains this string, or a list with an item that matches this value or matcher. */
export const contains = (value: unknown): Written => ({ $contains: value });

/** One of these values or matchers (`$one_of`). */
export const oneOfValues = (...values: unknown[]): Written => ({ $one_of: values });

/** The key is present, and its value does not match. */
export const not = (matcher: unknown): Written => ({ $not: matcher });

/** The key is absent, or its value matches (`$optional`). */
export const optionalValue = (matcher: unknown): Written => ({ $optional: matcher });

/** A variable: the same value in every place with this name (`$var`). */
export const variable = (name: string): Written => ({ $var: name });

/** Exactly this value, even if its keys look like matchers. */
export const literal = (value: unknown): Written => ({ $literal: value });

/** Further keys are allowed: `{ id: 7, ...rest() }`. */
export const rest = (): Written => ({ $rest: "any" });
