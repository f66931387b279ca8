// The settings under which vitest runs a package's own tests as they are, with its metrics watched: the modules of metrics that tests
// import are replaced by modules that are the same but for the functions that watch.mjs wraps.
//
// RECORDED_CALLS names the file of calls; what a line of it is says record.py.
import path from "node:path";

const folder = process.cwd();
const evals = "packages/evals/src/scorers";

/**
 * Modules as tests import them: the `original` in their place where it is not the module itself, the functions that are watched, and the
 * module with which the package reads what these are given, where it is not the original.
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
    // Promptfoo's judge by a model brings its database along, and no test here asks it.
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
    // How it reads what was called, it keeps to itself.
    return id.endsWith("/src/assertions/toolCallF1.ts") ? `${code}\nexport { extractToolNames };\n` : null;
  },
};

export const recording = { plugins: [plugin], test: { testTimeout: 60_000 } };
