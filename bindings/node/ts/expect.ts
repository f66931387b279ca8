/**
 * Expectations with several right ways, by functions with the names that blocks and matchers have in JSON. Each gives the plain object
 * that can also be written by hand, so they mix with objects and go wherever an expectation goes. Conditions on a number go together:
 * `{ ...gte(1), ...lt(5) }`.
 *
 * @module
 */

/** A call, a name alone, or a block. */
export type Element = string | Readonly<Record<string, unknown>>;

/** One element, or a sequence of them. */
export type Elements = Element | readonly Element[];

/** A block or a matcher, as it is written in JSON. */
export type Written = Record<string, unknown>;

/** A type of JSON. */
export type JsonType = "string" | "number" | "integer" | "boolean" | "null" | "array" | "object";

/** A call of this tool; what is stated of its arguments and its output is demanded. */
export const call = (name: string, args?: unknown, stated: { output?: unknown } = {}): Written => ({
  name,
  ...(args !== undefined && { args }),
  ...("output" in stated && { output: stated.output }),
});

/** The elements one after another. */
export const sequence = (...elements: Element[]): Written => ({ sequence: elements });

/** The elements in parallel: calls of one may stand between those of another. */
export const anyOrder = (...elements: Elements[]): Written => ({ any_order: elements });

/** Exactly one of these. */
export const oneOf = (...alternatives: Elements[]): Written => ({ one_of: alternatives });

/** The elements one after another, or none of them. */
export const optional = (...elements: Element[]): Written => ({ optional: elements });

/** The elements one after another, at least `min` times (1), and at most `max` times unless that is left out. */
export const repeat = (elements: Elements, { min = 1, max }: { min?: number; max?: number } = {}): Written => ({
  repeat: elements,
  min,
  max: max ?? null,
});

/** The key is there, whatever its value. */
export const anything = (): Written => ({ $any: true });

/** The value is this. */
export const eq = (value: unknown): Written => ({ $eq: value });

/** The value is another. */
export const ne = (value: unknown): Written => ({ $ne: value });

/** A number above this. */
export const gt = (number: number): Written => ({ $gt: number });

/** A number not below this. */
export const gte = (number: number): Written => ({ $gte: number });

/** A number below this. */
export const lt = (number: number): Written => ({ $lt: number });

/** A number not above this. */
export const lte = (number: number): Written => ({ $lte: number });

/** A number at most so far away from `value`. */
export const approx = (value: number, within: number): Written => ({ $approx: { value, within } });

/** A value of this type of JSON (`$type`). */
export const ofType = (name: JsonType): Written => ({ $type: name });

/** A text in which the regular expression is found: one of the engine, in which no `RegExp` of JavaScript has a place. */
export const pattern = (expression: string): Written => ({ $pattern: expression });

/** A text that contains this text, or a list with this among its members, a value or a matcher. */
export const contains = (value: unknown): Written => ({ $contains: value });

/** One of these values or matchers (`$one_of`). */
export const oneOfValues = (...values: unknown[]): Written => ({ $one_of: values });

/** The key is there, and this does not hold. */
export const not = (matcher: unknown): Written => ({ $not: matcher });

/** The key is absent, or this holds (`$optional`). */
export const optionalValue = (matcher: unknown): Written => ({ $optional: matcher });

/** The same value at every place of this name (`$var`). */
export const variable = (name: string): Written => ({ $var: name });

/** This value, whatever keys it has. */
export const literal = (value: unknown): Written => ({ $literal: value });

/** Other keys may be there: `{ id: 7, ...rest() }`. */
export const rest = (): Written => ({ $rest: "any" });
