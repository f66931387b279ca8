/**
 * Adds `toMatchToolCalls` to `expect` of vitest: name this module in `setupFiles`, or import it.
 *
 * @packageDocumentation
 */
import { expect } from "vitest";

import { matchers, type ToolCallMatcherOptions } from "./matcher.js";
import type { EvaluatorName, Expected } from "./types.js";

expect.extend(matchers as never);

declare global {
  // All versions of vitest include Chai's assertions in their own. Their own interfaces have different type parameters.
  namespace Chai {
    interface Assertion {
      /**
       * Passes if the calls, or those of an AI SDK result, match the expected ones.
       *
       * @param expected - The expectation.
       * @param options - The evaluator (default: `trajectory`), its settings and the lowest passing score (default: 1).
       */
      toMatchToolCalls<Name extends EvaluatorName = "trajectory">(
        expected: Expected,
        options?: ToolCallMatcherOptions<Name>,
      ): void;
    }
  }
}
