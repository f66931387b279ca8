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
  // All versions of vitest take the assertions of Chai for their own; their own interfaces differ in what they are generic over.
  namespace Chai {
    interface Assertion {
      /**
       * Passes if the calls, or those of a result of the AI SDK, are those expected.
       *
       * @param expected - What is expected.
       * @param options - The evaluator (`trajectory`), its settings and the lowest score that passes (1).
       */
      toMatchToolCalls<Name extends EvaluatorName = "trajectory">(
        expected: Expected,
        options?: ToolCallMatcherOptions<Name>,
      ): void;
    }
  }
}
