// The agent in the page's examples: looks up an order, then says where it is.
import { generateText, stepCountIs, tool } from "ai";
import { z } from "zod";

import { scripted } from "./models.js";

export function answer(prompt: string) {
  return generateText({
    model: scripted({ calls: [["findOrder", { id: Number(/\d+/.exec(prompt)) }]] }, { text: "It was shipped." }),
    tools: {
      findOrder: tool({
        description: "Find an order",
        inputSchema: z.object({ id: z.number() }),
        execute: async ({ id }) => `order ${id}: shipped`,
      }),
    },
    stopWhen: stepCountIs(5),
    prompt,
  });
}
