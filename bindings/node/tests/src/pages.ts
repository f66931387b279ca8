// The examples of the formats.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

import { root } from "./calls.js";

/** An example: its file, and its JSON value (for JSON Lines, the list of values). */
export interface Example {
  /** The name of the format. */
  format: string;
  /** The name of the file. */
  file: string;
  text: string;
  value: object;
}

/** The value of a document, or the list of values of JSON Lines. */
function valueOf(text: string): object {
  try {
    return JSON.parse(text);
  } catch {
    return text.split("\n").filter((line) => line.trim() !== "").map((line) => JSON.parse(line));
  }
}

// Written next to this file by `cargo xtask test-node`, from the list of formats.
const formats: { name: string; file: string; example: string; holdsCases: boolean }[] = JSON.parse(
  readFileSync(path.join(import.meta.dirname, "formats.json"), "utf8"),
);

const examplesOf = (holdsCases: boolean) =>
  formats
    .filter((format) => format.holdsCases === holdsCases)
    .map(({ name, file, example }): Example => ({ format: name, file, text: example, value: valueOf(example) }));

/** The examples of formats with cases. */
export const cases = examplesOf(true);

/** The examples of formats with traces only. */
export const traces = examplesOf(false);

const foundFolder = path.join(root, "crates/rightcall-formats/tests/found");

/** Files that were parsed wrongly in the past. */
export const found = readdirSync(foundFolder, { recursive: true, encoding: "utf8" })
  .filter((file) => /\.jsonl?$/.test(file))
  .sort()
  .map((file) => ({ file, value: valueOf(readFileSync(path.join(foundFolder, file), "utf8")) }));
