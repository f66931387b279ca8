// Shared by the tests: the project's folder, fake models, and fixed pseudorandom numbers.
import path from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the tested project, with its golden cases and examples. */
export const root = process.env.RIGHTCALL_ROOT ?? path.resolve(fileURLToPath(import.meta.url), "../../../../..");

/** Numbers in 0..1, the same in every run. */
export function randomNumbers(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
