// Scripted AI SDK models: each turn calls tools or returns text.
import { MockLanguageModelV3 } from "ai/test";

/** A turn: calls to make, or a text that ends the run. */
export type Turn = { calls: [tool: string, input: unknown][] } | { text: string };

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** A model with these turns, one for each step. */
export function scripted(...turns: Turn[]): MockLanguageModelV3 {
  let step = 0;
  return new MockLanguageModelV3({
    doGenerate: async () => {
      const turn = turns[Math.min(step++, turns.length - 1)]!;
      const content =
        "text" in turn
          ? [{ type: "text" as const, text: turn.text }]
          : turn.calls.map(([toolName, input], index) => ({
              type: "tool-call" as const,
              toolCallId: `call-${step}-${index}`,
              toolName,
              input: JSON.stringify(input),
            }));
      const unified = "text" in turn ? ("stop" as const) : ("tool-calls" as const);
      return { content, finishReason: { unified, raw: undefined }, usage, warnings: [] };
    },
  });
}
