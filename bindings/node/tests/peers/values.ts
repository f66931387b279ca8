// Random JavaScript values of all kinds, the same in every run. Some cannot be represented in JSON.
import { randomNumbers } from "../src/calls.js";

/** Two points with the same number are equal, but never identical. */
class Point {
  constructor(readonly x: number) {}
}

/** Objects that occur in several places. */
const SHARED: unknown[] = [
  new Map([["a", 1]]),
  new Point(1),
  () => 1,
  Symbol("s"),
  new Date(0),
  /a/g,
  (() => {
    const loop: Record<string, unknown> = {};
    loop.self = loop;
    return loop;
  })(),
  new Date(Number.NaN),
  { a: Number.NaN },
];

/** A source of random choices and values. */
export function hostile(seed: number) {
  const random = randomNumbers(seed);
  const oneOf = <T>(...choices: T[]): T => choices[Math.floor(random() * choices.length)]!;
  const list = <T>(most: number, item: () => T): T[] => Array.from({ length: Math.floor(random() * (most + 1)) }, item);
  const either = <T>(one: T, other: T): T => (random() < 0.5 ? one : other);

  const value = (depth: number): unknown =>
    oneOf<() => unknown>(
      () => oneOf(0, 1, -0, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, 1e21),
      () => oneOf("", "a", "1", true, false, null, undefined),
      () => oneOf(1n, 2n),
      () => new Map([["a", either(1, 2)]]),
      () => new Set([either(1, 2)]),
      () => either(/a/, /b/),
      () => new Date(either(0, 1)),
      () => new Date(Number.NaN),
      () => new Point(either(1, 2)),
      () => Symbol("x"),
      () => () => 1,
      () => oneOf(...SHARED),
      () => ({
        get a() {
          return 1;
        },
      }),
      () => Object.create({ a: 1 }),
      () => Object.assign(Object.create(null), { a: 1 }),
      () => ({ toJSON: () => 5 }),
      () => Object.defineProperty({ a: 1 }, "hidden", { value: 2, enumerable: false }),
      () => new Error("e"),
      () => new Uint8Array([1, 2]),
      () => [, 1],
      () => [undefined],
      () => new URL("http://a.example/"),
      () => new String("a"),
      () => ({ a: undefined }),
      () => ({}),
      () => (depth > 0 ? list(3, () => value(depth - 1)) : []),
      () => (depth > 0 ? Object.fromEntries(list(3, () => [oneOf("a", "b", "__proto__", "10", "2"), value(depth - 1)])) : {}),
      () => (depth > 0 ? Object.fromEntries(list(3, () => [oneOf("a", "b"), value(depth - 1)])) : { a: 1 }),
    )();
  return { random, oneOf, list, value };
}

/** The result of a function, or that it throws. */
export async function outcome(work: () => unknown): Promise<{ value?: unknown; error?: unknown }> {
  try {
    return { value: await work() };
  } catch (error) {
    return { error };
  }
}
