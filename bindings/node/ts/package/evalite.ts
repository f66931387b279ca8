/**
 * This path gives the numbers of Evalite's package, bit for bit; `rightcall/evalite` gives those of its documentation.
 *
 * `toolCallAccuracy` of Evalite, scored by rightcall: change the import, and nothing else.
 *
 * @packageDocumentation
 */
import { toolCallAccuracy as ofEdition, type ToolCallAccuracyOptions, type ToolCallAccuracyResult } from "../evalite.js";

export * from "../evalite.js";

/**
 * Checks whether the right functions were called with the right arguments, as Evalite's package does.
 *
 * @example
 * ```ts
 * const { score } = await toolCallAccuracy({
 *   actualCalls: [{ toolName: "a" }],
 *   expectedCalls: [{ toolName: "a" }, { toolName: "b" }],
 * });
 * // 0.5; by the documentation 0.375, since a missing call costs something
 * ```
 */
export function toolCallAccuracy(options: ToolCallAccuracyOptions): Promise<ToolCallAccuracyResult> {
  return ofEdition({ edition: "package", ...options });
}
