// What the AI SDK calls a result, and the calls in it. Not exported from the package.

/** A call as Evalite and the AI SDK write it. Other members are kept and never compared. */
export interface ToolCall {
  /** The tool. */
  toolName: string;
  /** The arguments. */
  input?: unknown;
}

/** A step of a result of the AI SDK. */
export interface Step {
  /** The calls of this step. */
  readonly toolCalls: readonly ToolCall[];
}

/** A result of the AI SDK: of `generateText`, or of `streamText`, whose members are promises. */
export interface SdkResult {
  /** The calls of the last step alone, until version 7 of the SDK. */
  readonly toolCalls?: readonly ToolCall[] | PromiseLike<readonly ToolCall[]>;
  /** All steps. */
  readonly steps?: readonly Step[] | PromiseLike<readonly Step[]>;
}

/** Calls, or the result or the steps that hold them. */
export type ToolCallSource = readonly ToolCall[] | readonly Step[] | SdkResult;

/** The calls of all steps, where there are steps; at once, unless a streamed result has yet to end. */
export function callsOf(source: ToolCallSource): readonly ToolCall[] | Promise<readonly ToolCall[]> {
  if (Array.isArray(source)) return source.some(isStep) ? ofSteps(source) : source;
  if (!isSdkResult(source)) return source as never;
  const { steps, toolCalls } = source;
  if (steps !== undefined) return isPromise(steps) ? Promise.resolve(steps).then(ofSteps) : ofSteps(steps);
  const last = (calls: readonly ToolCall[]) => {
    warnOfEarlierSteps(source, calls);
    return calls;
  };
  return isPromise(toolCalls) ? Promise.resolve(toolCalls).then(last) : last(toolCalls ?? []);
}

/** Whether this is a result of the AI SDK, a list of steps or one step. */
export function holdsSteps(it: unknown): it is SdkResult | readonly Step[] {
  return Array.isArray(it) ? it.some(isStep) : isSdkResult(it);
}

function isSdkResult(it: unknown): it is SdkResult {
  return typeof it === "object" && it !== null && !Array.isArray(it) && ("steps" in it || "toolCalls" in it);
}

const ofSteps = (steps: readonly Step[]) => steps.flatMap((step) => step.toolCalls);

const isPromise = <T>(it: T | PromiseLike<T>): it is PromiseLike<T> => typeof (it as Partial<PromiseLike<T>>)?.then === "function";

function isStep(it: unknown): it is Step {
  return typeof it === "object" && it !== null && !("toolName" in it) && Array.isArray((it as Partial<Step>).toolCalls);
}

/** A result that has lost its steps, as a copy may, still tells of earlier calls in its messages. */
function warnOfEarlierSteps(result: object, last: readonly ToolCall[]): void {
  type Messages = { content?: unknown }[];
  const { response, responseMessages } = result as { response?: { messages?: Messages }; responseMessages?: Messages };
  const parts = (responseMessages ?? response?.messages ?? []).flatMap(({ content }) => (Array.isArray(content) ? content : []));
  const made = parts.filter((part: { type?: unknown }) => part?.type === "tool-call").length;
  if (made > last.length) {
    const left = made - last.length;
    process.emitWarning(
      `${left} tool call${left === 1 ? "" : "s"} of earlier steps left out: these \`toolCalls\` are those of the last step`,
      { type: "RightcallWarning", detail: "pass the whole result, or its `steps`" },
    );
  }
}
