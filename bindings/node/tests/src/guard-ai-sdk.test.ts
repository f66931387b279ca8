// A guard in the AI SDK with a scripted model that makes a forbidden call: the tool does not run.
import { generateText, stepCountIs, tool } from "ai";
import { expect, it } from "vitest";
import { z } from "zod";
import { Guard } from "rightcall";

import { scripted } from "./models.js";

const rules = [
  { call: "refund", needs_before: "verify", same: "order" },
  { call: "refund", at_most: 1, same: "order", why: "We pay once." },
];

type Asked = [name: string, order: number][];

/** Returns the calls that the tools recorded, and the messages that the model received. */
async function run(guard: Guard, script: Asked[]) {
  const ran: string[] = [];
  const shop = (name: string) =>
    tool({
      description: name,
      inputSchema: z.object({ order: z.number() }),
      execute: async ({ order }) => {
        ran.push(`${name} ${order}`);
        return { name, order };
      },
    });
  const { steps } = await generateText({
    model: scripted(...script.map((asked) => ({ calls: asked.map(([name, order]): [string, unknown] => [name, { order }]) })), { text: "done" }),
    tools: guard.tools({ verify: shop("verify"), refund: shop("refund") }),
    prompt: "go",
    stopWhen: [stepCountIs(20), () => guard.stopped !== undefined],
  });
  const read = steps.flatMap((step) => step.toolResults.map((it) => it.output as unknown));
  return { ran, read };
}

it("refuses calls before they run, parallel ones too", async () => {
  const guard = new Guard(rules);
  const { ran, read } = await run(guard, [[["refund", 7]], [["verify", 7], ["refund", 7]], [["refund", 7], ["refund", 7]]]);
  expect(ran).toEqual(["verify 7", "refund 7"]);
  expect(read[0]).toBe('`refund` may not be called now: it breaks the rule "verify before refund, same order".');
  expect(read.filter((it) => typeof it === "string").length).toBe(3);
  expect(guard.finish().passed).toBe(true);
});

it("ends a run that insists", async () => {
  const guard = new Guard(rules);
  const { ran, read } = await run(guard, Array.from({ length: 9 }, () => [["refund", 7]]));
  expect(ran).toEqual([]);
  expect(read.length).toBe(3);
  expect(read[2]).toContain("The run is stopped: `refund` was refused 3 times");
});
