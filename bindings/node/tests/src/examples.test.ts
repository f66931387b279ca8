// The examples of `docs/node.md`, `docs/drop-ins.md` and the README, written to files next to this one: they run, and print what their comments say.
import { readdirSync, readFileSync } from "node:fs";
import { afterEach, expect, it, vi } from "vitest";

const folder = import.meta.dirname;
const examples = readdirSync(folder).filter((file) => /^example-\d+\.ts$/.test(file));

afterEach(() => void vi.restoreAllMocks());

it.runIf(examples.length > 0)("there are examples", () => expect(examples.length).toBeGreaterThan(4));

it.each(examples)("%s", async (file) => {
  const printed: string[] = [];
  vi.spyOn(console, "log").mockImplementation((...values) => void printed.push(values.map((it) => (typeof it === "string" ? it : JSON.stringify(it))).join(" ")));
  const wanted = [...readFileSync(`${folder}/${file}`, "utf8").matchAll(/console\.log\(.*\); \/\/ (.*)/g)].map((match) => match[1]);
  await import(`./${file}`);
  expect(wanted.length).toBeGreaterThan(0);
  expect(printed.slice(0, wanted.length)).toEqual(wanted);
});
