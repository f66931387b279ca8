// Converts LangChain.js messages to OpenAI chat messages, as agentevals does for comparison.
import { EvaluationError } from "./errors.js";

/** A chat message in OpenAI's format. */
export type ChatMessage = Record<string, any> & {
  /** The role of the speaker. */
  role?: unknown;
  /** The calls in the message. */
  tool_calls?: any[] | null;
};

/** An object with messages, such as the state of a graph. */
export interface MessageState {
  /** The messages. */
  readonly messages: readonly object[];
}

/** OpenAI or LangChain.js messages, or an object that holds them. */
export type Trajectory = readonly object[] | MessageState;

/** The messages of a trajectory; empty for null or undefined. */
export function messagesOf(given: Trajectory | null | undefined): ChatMessage[] {
  if (!given) return [];
  const messages: unknown = Array.isArray(given) ? given : (given as { messages?: unknown }).messages;
  if (!Array.isArray(messages)) {
    throw new EvaluationError({ message: 'If passing messages as an object, it must contain a "messages" key' });
  }
  return Array.from(messages as object[], chatMessage);
}

/** The members of a LangChain.js message that we use. */
interface LangChainMessage {
  getType?: () => string;
  _getType?: () => string;
  id?: string;
  role?: string;
  name?: string;
  content: unknown;
  tool_calls?: { id?: string; name: string; args: unknown }[];
  tool_call_id?: string;
  additional_kwargs?: { tool_calls?: unknown[]; function_call?: unknown };
}

const ROLES: Record<string, string> = { human: "user", ai: "assistant", system: "system", developer: "developer", tool: "tool", function: "function" };

/** Converts a message to OpenAI's format; one in that format is returned unchanged. */
export function chatMessage(message: object): ChatMessage {
  const it = message as LangChainMessage;
  const type = typeof it.getType === "function" ? it.getType() : typeof it._getType === "function" ? it._getType() : undefined;
  if (type === undefined) return message as ChatMessage;
  const written: ChatMessage = { role: type === "generic" ? it.role : (ROLES[type] ?? type), content: it.content };
  if (it.name !== undefined) written.name = it.name;
  if (type === "ai" && it.tool_calls && it.tool_calls.length > 0) {
    written.tool_calls = it.tool_calls.map(({ id, name, args }) => ({ id, type: "function", function: { name, arguments: JSON.stringify(args) } }));
  } else if (it.additional_kwargs?.tool_calls) {
    written.tool_calls = it.additional_kwargs.tool_calls;
  }
  if (it.tool_call_id !== undefined) written.tool_call_id = it.tool_call_id;
  if (it.id) written.id = it.id;
  return written;
}
