/**
 * This path gives what tpmjs' package returns; `rightcall/ai-sdk` gives what its documentation says.
 *
 * `toolCallAccuracyScoreTool` of tpmjs, scored by rightcall: change the import, and nothing else.
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
