/**
 * The output of tpmjs' package; `rightcall/ai-sdk` follows its documentation.
 *
 * `toolCallAccuracyScoreTool` of tpmjs, scored by rightcall: only the import changes.
 *
 * @packageDocumentation
 */
export {
  inputSchema,
  packageToolCallAccuracyScoreTool as toolCallAccuracyScoreTool,
  packageToolCallAccuracyScoreTool as default,
  type PackageToolCallAccuracyScore as ToolCallAccuracyScore,
  type ToolCall,
  type ToolCallAccuracyScoreInput,
  type ToolCallAccuracyScoreTool,
} from "../ai-sdk.js";
