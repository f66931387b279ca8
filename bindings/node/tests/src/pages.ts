// The examples of the pages of formats.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

import { root } from "./calls.js";

/** An example: its file, and the JSON value that it is, of lines the list of them. */
export interface Example {
  /** The name of the format. */
  format: string;
  /** What it is called. */
  file: string;
  text: string;
  value: object;
}

const folder = path.join(root, "docs/formats");

/** The value of a document, or the list of those of lines. */
function valueOf(text: string): object {
  try {
    return JSON.parse(text);
  } catch {
    return text.split("\n").filter((line) => line.trim() !== "").map((line) => JSON.parse(line));
  }
}

const examples = readdirSync(folder).flatMap((page): Example[] => {
  const found = /\n## Example\n\n```json\n# (\S+)\n([^]*?)\n```/.exec(readFileSync(path.join(folder, page), "utf8"));
  if (!found) return [];
  const [, file, text] = found as unknown as [string, string, string];
  return [{ format: page.replace(".md", ""), file, text, value: valueOf(text) }];
});

const [, ofCases] = readFileSync(path.join(folder, "README.md"), "utf8").split("\n## Cases");
const holdsCases = ({ format }: Example) => ofCases!.includes(`(${format}.md)`);

/** Those of the formats whose files hold cases. */
export const cases = examples.filter(holdsCases);

/** Those of the formats whose files hold what was done alone. */
export const traces = examples.filter((example) => !holdsCases(example));

const foundFolder = path.join(root, "crates/rightcall-formats/tests/found");

/** Files that were once read wrongly. */
export const found = readdirSync(foundFolder, { recursive: true, encoding: "utf8" })
  .filter((file) => /\.jsonl?$/.test(file))
  .sort()
  .map((file) => ({ file, value: valueOf(readFileSync(path.join(foundFolder, file), "utf8")) }));
