// The examples of the formats.
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

/** The value of a document, or the list of those of lines. */
function valueOf(text: string): object {
  try {
    return JSON.parse(text);
  } catch {
    return text.split("\n").filter((line) => line.trim() !== "").map((line) => JSON.parse(line));
  }
}

// Written beside this file by `cargo xtask test-node`, from the list of formats.
const formats: { name: string; file: string; example: string; holdsCases: boolean }[] = JSON.parse(
  readFileSync(path.join(import.meta.dirname, "formats.json"), "utf8"),
);

const examplesOf = (holdsCases: boolean) =>
  formats
    .filter((format) => format.holdsCases === holdsCases)
    .map(({ name, file, example }): Example => ({ format: name, file, text: example, value: valueOf(example) }));

/** Those of the formats whose files hold cases. */
export const cases = examplesOf(true);

/** Those of the formats whose files hold what was done alone. */
export const traces = examplesOf(false);

const foundFolder = path.join(root, "crates/rightcall-formats/tests/found");

/** Files that were once read wrongly. */
export const found = readdirSync(foundFolder, { recursive: true, encoding: "utf8" })
  .filter((file) => /\.jsonl?$/.test(file))
  .sort()
  .map((file) => ({ file, value: valueOf(readFileSync(path.join(foundFolder, file), "utf8")) }));
