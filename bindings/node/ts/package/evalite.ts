/**
 * The numbers of Evalite's package, bit for bit; `rightcall/evalite` has those of its documentation.
 *
 * `toolCallAccuracy` of Evalite, scored by rightcall: only the import changes.
 *
 * @packageDocumentation
 */
import { toolCallAccuracy as ofEdition, type ToolCallAccuracyOptions, type ToolCallAccuracyResult } from "../evalite.js";

export * from "../evalite.js";

/**
 * Checks whether the right functions were called with the right arguments, like Evalite's package.
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
