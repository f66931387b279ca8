// The project's golden cases, run with the drop-ins.
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { packageToolCallAccuracyScoreTool, toolCallAccuracyScoreTool } from "rightcall/ai-sdk";
import { toolCallAccuracy } from "rightcall/evalite";

import { root } from "./calls.js";

interface Golden {
  id: string;
  system: string;
  edition?: "documented" | "package";
  config?: object;
  expected?: never;
  actual?: never;
  result?: Record<string, unknown>;
}

/** Split at line feeds only: JSON may contain other line separators. */
function goldens(file: string, system: string): Golden[] {
  const lines = readFileSync(path.join(root, "conformance", file), "utf8").split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line)).filter((golden) => golden.system === system);
}

function check(all: Golden[], least: number, result: (golden: Golden, edition: "documented" | "package") => Promise<unknown>) {
  it(`are at least ${least}`, () => expect(all.length).toBeGreaterThanOrEqual(least));
  it.each(all)("$id", async (golden) => {
    const edition = golden.edition ?? "package";
    if (golden.result === undefined) {
      await expect(result(golden, edition)).rejects.toThrow();
      return;
    }
    const { readme_summary, doc_explanation, ...wanted } = golden.result;
    // JSON has no NaN.
    const found = JSON.parse(JSON.stringify(await result(golden, edition)));
    if (edition === "package") expect(found).toEqual(wanted);
    else expect(found).toMatchObject(wanted);
    if (readme_summary) expect(await result(golden, "documented")).toMatchObject({ summary: readme_summary });
  });
}

/** False for a name that JavaScript allows and the drop-in reports as an error: an object, or a number that is not finite. */
function areNames(calls: unknown) {
  const isName = (name: unknown) => name === null || (typeof name === "number" ? Number.isFinite(name) : typeof name !== "object");
  return !Array.isArray(calls) || calls.every((call: { toolName?: unknown } | null) => isName(call?.toolName));
}

describe("golden cases of Evalite", () => {
  const run = ({ config, expected, actual }: Golden, edition: "documented" | "package") =>
    toolCallAccuracy({ ...config, actualCalls: actual!, expectedCalls: expected, edition });
  const all = [...goldens("evalite-tool-call-accuracy.jsonl", "evalite"), ...goldens("documents.jsonl", "evalite")];
  check(all.filter(({ expected, actual }) => areNames(expected) && areNames(actual)), 519, run);
});

describe("golden cases of tpmjs", () => {
  const run = ({ expected, actual }: Golden, edition: "documented" | "package") =>
    (edition === "documented" ? toolCallAccuracyScoreTool : packageToolCallAccuracyScoreTool).execute({
      expected: expected!,
      actual: actual!,
    }) as Promise<unknown>;
  check([...goldens("tpmjs-tool-call-accuracy-score.jsonl", "tpmjs"), ...goldens("documents.jsonl", "tpmjs")], 457, run);
});
