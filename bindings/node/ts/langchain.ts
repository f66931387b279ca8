// Messages of LangChain.js as those of OpenAI's chat, as agentevals compares them.
import { EvaluationError } from "./errors.js";

/** A message of a chat, as OpenAI writes it. */
export type ChatMessage = Record<string, any> & {
  /** Who speaks. */
  role?: unknown;
  /** The calls that the message makes. */
  tool_calls?: any[] | null;
};

/** An object that holds messages, as the state of a graph does. */
export interface MessageState {
  /** The messages. */
  readonly messages: readonly object[];
}

/** Messages of OpenAI or LangChain.js, or an object that holds them. */
export type Trajectory = readonly object[] | MessageState;

/** The messages of a trajectory; of none, none. */
export function messagesOf(given: Trajectory | null | undefined): ChatMessage[] {
  if (!given) return [];
  const messages: unknown = Array.isArray(given) ? given : (given as { messages?: unknown }).messages;
  if (!Array.isArray(messages)) {
    throw new EvaluationError({ message: 'If passing messages as an object, it must contain a "messages" key' });
  }
  return Array.from(messages as object[], chatMessage);
}

/** What a message of LangChain.js is asked for. */
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

/** A message as OpenAI writes it; one that is written so already stays as it is. */
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
