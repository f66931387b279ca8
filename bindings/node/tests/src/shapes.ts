// One call, `find` with `{id: 7}`, in the shapes of all frameworks, and shapes that are not supported.
const args = { id: 7 };
const chat = { id: "c", type: "function", function: { name: "find", arguments: JSON.stringify(args) } };
const part = { type: "tool-call", toolCallId: "c", toolName: "find", input: args };
const result = { type: "tool-result", toolCallId: "c", toolName: "find", input: args, output: "x" };
const invocation = { state: "result", toolCallId: "c", toolName: "find", args, result: 1 };
const langchain = { name: "find", args, id: "c", type: "tool_call" };
const chunk = { type: "tool-call", runId: "r", from: "AGENT", payload: { toolCallId: "c", toolName: "find", args } };
const ui = (...parts: object[]) => [{ id: "m", role: "assistant", parts }];
const constructor = (kind: string, kwargs: object) => ({ lc: 1, type: "constructor", id: ["langchain_core", "messages", kind], kwargs });

/** Like a class of the AI SDK: its members are getters, so a copy has none of them. */
class LiveStep {
  readonly content = [part, result];
  readonly finishReason = "tool-calls";
  get toolCalls() {
    return [part];
  }
}

class LiveResult {
  readonly steps = [new LiveStep(), { content: [{ type: "text", text: "done" }], finishReason: "stop", toolCalls: [] }];
  get toolCalls() {
    return [];
  }
}

/** A LangChain.js message, which is serialized as its constructor. */
class LiveMessage {
  readonly lc_serializable = true;
  readonly lc_kwargs: object;
  readonly content = "";
  readonly tool_calls = [langchain];
  readonly type = "ai";
  constructor() {
    this.lc_kwargs = { content: "", tool_calls: [langchain] };
  }
  getType() {
    return "ai";
  }
  toJSON() {
    return constructor("AIMessage", this.lc_kwargs);
  }
}

const copy = <T>(it: T): T => JSON.parse(JSON.stringify(it));
const clone = <T>(it: T): T => structuredClone(it);
const question = { role: "user", content: "Where is order 7?" };
const graphed = { type: "ai", id: "m", content: "", tool_calls: [langchain] };

/** Shapes by name; each holds the call once. */
export const shapes: Record<string, object> = {
  "plain calls": [{ name: "find", args }],
  "calls of the AI SDK": [part],
  "calls of the AI SDK 4": [{ toolCallId: "c", toolName: "find", args }],
  "calls of tpmjs": [{ tool: "find", args }],
  "content of the AI SDK": [part, result],
  "model messages": [question, { role: "assistant", content: [part] }, { role: "tool", content: [result] }],
  "a result, live": new LiveResult(),
  "a result as JSON": copy(new LiveResult()),
  "a result as a structured clone": clone(new LiveResult()),
  "steps, live": new LiveResult().steps,
  "steps as JSON": copy(new LiveResult().steps),
  "steps as structured clones": clone(new LiveResult().steps),
  "a step": new LiveStep(),
  "a step of the AI SDK 4": { toolCalls: [part], toolResults: [] },
  "parts of UI messages": ui({ type: "step-start" }, { type: "tool-find", toolCallId: "c", state: "output-available", input: args, output: 1 }),
  "a dynamic tool": ui({ type: "dynamic-tool", toolName: "find", toolCallId: "c", state: "output-available", input: args, output: 1 }),
  "parts of UI messages, version 4": ui({ type: "tool-invocation", toolInvocation: invocation }),
  "toolInvocations": [{ id: "m", role: "assistant", content: "", toolInvocations: [invocation] }],
  "a stream of UI messages": [
    { type: "start" },
    { type: "tool-input-available", toolCallId: "c", toolName: "find", input: args },
    { type: "finish" },
  ],
  "LangChain.js, live": [new LiveMessage()],
  "LangChain.js as JSON": copy([new LiveMessage()]),
  "LangChain.js as a structured clone": clone([new LiveMessage()]),
  "LangChain.js as stored": [{ type: "human", data: { content: "q" } }, { type: "ai", data: { content: "", tool_calls: [langchain] } }],
  "LangGraph, live": { messages: [new LiveMessage()] },
  "LangGraph as JSON": copy({ messages: [new LiveMessage()] }),
  "LangGraph as a structured clone": clone({ messages: [new LiveMessage()] }),
  "LangGraph, a stream of states": [{ messages: [{ type: "human", id: "h", content: "q" }] }, { messages: [{ type: "human", id: "h", content: "q" }, graphed] }],
  "LangGraph, a stream of updates": [{ agent: { messages: [graphed] } }, { nested: { messages: [graphed] } }],
  "LangGraph, a stream of several modes": [["updates", { agent: { messages: [graphed] } }], ["messages", [graphed, { langgraph_node: "agent" }]]],
  "OpenAI chat": [question, { role: "assistant", content: null, tool_calls: [chat] }],
  "tool_calls without a role": { tool_calls: [chat] },
  "tool_calls without a role, in a list": [{ tool_calls: [chat] }],
  "OpenAI chat, the response": { id: "r", choices: [{ message: { role: "assistant", tool_calls: [chat] } }] },
  "OpenAI Responses": [{ type: "function_call", call_id: "c", name: "find", arguments: JSON.stringify(args) }],
  "OpenAI Responses, the response": { object: "response", output: [{ type: "function_call", call_id: "c", name: "find", arguments: JSON.stringify(args) }] },
  "Anthropic": [{ role: "assistant", content: [{ type: "tool_use", id: "c", name: "find", input: args }] }],
  "Anthropic, the response": { id: "m", type: "message", role: "assistant", content: [{ type: "text", text: "ok" }, { type: "tool_use", id: "c", name: "find", input: args }] },
  "Anthropic, its content": [{ type: "text", text: "ok" }, { type: "tool_use", id: "c", name: "find", input: args }],
  "Gemini": { candidates: [{ content: { role: "model", parts: [{ functionCall: { name: "find", args } }] } }] },
  "Bedrock": [{ role: "assistant", content: [{ toolUse: { toolUseId: "c", name: "find", input: args } }] }],
  "Mastra, messages": [{ id: "m", role: "assistant", content: { format: 2, parts: [{ type: "tool-invocation", toolInvocation: invocation }], toolInvocations: [invocation] } }],
  "Mastra, chunks": { toolCalls: [chunk] },
  "Mastra, steps": { text: "x", toolCalls: [chunk], steps: [{ toolCalls: [chunk], toolResults: [], finishReason: "tool-calls" }] },
};

/** Unsupported shapes that look like calls. */
export const unread: Record<string, object> = {
  "a result without its steps": { toolCalls: [], response: { messages: [{ role: "assistant", content: [part] }] } },
  "a result without its steps, version 7": { toolCalls: [], responseMessages: [{ role: "assistant", content: [part] }] },
  "blocks of a kind that nobody knows": [{ role: "assistant", content: [{ type: "tool_use_v9", tool: { name: "find", arguments: args } }] }],
  "calls under a key that nobody knows": [{ role: "assistant", content: "", extras: { calls: [{ function_name: "find", arguments: args }] } }],
  "two runs": { data: [{ messages: [question] }, { messages: [{ role: "assistant", tool_calls: [chat] }] }] },
};

/** Values that hold the call once their promise is resolved. */
export const later = { steps: Promise.resolve(new LiveResult().steps) };

/** Values without a call. */
export const without: Record<string, object> = {
  "no calls": [],
  "messages": [question, { role: "assistant", content: "I do not know." }],
};
