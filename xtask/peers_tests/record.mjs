// Vitest settings that run a package's own tests unchanged while their metric calls are recorded. Metric modules that tests import are
// replaced by modules that re-export everything, with some functions wrapped by watch.mjs.
//
// RECORDED_CALLS names the output file; record.py documents its lines.
import path from "node:path";

const folder = process.cwd();
const evals = "packages/evals/src/scorers";

/**
 * Modules as the tests import them. `original` is the replaced module if it is another one, `names` are the watched functions, and
 * `reading` is the module with the package's own input parser if it is not the original.
 */
const MODULES = {
  [`${evals}/code/tool-call-accuracy/index`]: {
    original: "@mastra/evals/scorers/prebuilt",
    names: ["createToolCallAccuracyScorerCode"],
    reading: "@mastra/evals/scorers/utils",
  },
  [`${evals}/code/trajectory/index`]: {
    original: "@mastra/evals/scorers/prebuilt",
    names: ["createTrajectoryAccuracyScorerCode", "createTrajectoryScorerCode"],
  },
  [`${evals}/utils`]: { original: "@mastra/evals/scorers/utils", names: [] },
  "js/src/graph_trajectory/strict": { names: ["graphTrajectoryStrictMatch"] },
  "js/src/trajectory/match": {
    original: "openevals",
    names: ["createTrajectoryMatchEvaluator"],
    reading: path.join(folder, "js/src/utils.ts"),
  },
  "src/assertions/trajectory": {
    names: ["handleTrajectoryToolUsed", "handleTrajectoryToolSequence", "handleTrajectoryToolArgsMatch", "handleTrajectoryStepCount"],
    reading: path.join(folder, "src/assertions/trajectoryUtils.ts"),
  },
  "src/assertions/toolCallF1": { names: ["handleToolCallF1"] },
};

const watched = "\0watched:";
const judge = "\0judge";

const plugin = {
  name: "watched",
  enforce: "pre",
  resolveId(source, importer) {
    if (source === "../matchers/llmGrading") return judge;
    if (!importer?.endsWith(".test.ts") || !source.startsWith(".")) return null;
    const module = path.relative(folder, path.resolve(path.dirname(importer), source)).replace(/\.[jt]s$/, "");
    return module in MODULES ? watched + module : null;
  },
  load(id) {
    // Promptfoo's model judge would load its database, and no test here uses it.
    if (id === judge) return "export {};";
    if (!id.startsWith(watched)) return null;
    const module = id.slice(watched.length);
    const { original = path.join(folder, `${module}.ts`), names, reading = original } = MODULES[module];
    const quoted = [original, reading, path.join(folder, "watch.mjs")].map((it) => JSON.stringify(it));
    return `import * as original from ${quoted[0]};
import * as reading from ${quoted[1]};
import { watch } from ${quoted[2]};
export * from ${quoted[0]};
${names.map((name) => `export const ${name} = watch("${name}", original.${name}, reading);`).join("\n")}
`;
  },
  transform(code, id) {
    // This module does not export its function for tool names, so export it.
    return id.endsWith("/src/assertions/toolCallF1.ts") ? `${code}\nexport { extractToolNames };\n` : null;
  },
};

export const recording = { plugins: [plugin], test: { testTimeout: 60_000 } };
