// Records each call of a package's metrics in its own tests, like record.py.
import fs from "node:fs";
import path from "node:path";
import { expect } from "vitest";

/** Why a call cannot be a golden line. */
class NotComparable extends Error {}

function write(line) {
  const { testPath, currentTestName } = expect.getState();
  // LangSmith adds a new number to the test name in each run.
  const id = `${path.basename(testPath)}::${currentTestName.split(", test_id=")[0]}`;
  fs.appendFileSync(process.env.RECORDED_CALLS, `${JSON.stringify({ id, ...line })}\n`);
}

/** Wraps a function: `golden` converts its arguments to a golden line, `returned` converts its return value to a result. */
function watched(original, golden, returned) {
  const lineOf = (given) => {
    try {
      // A copy, because the call may modify its arguments.
      return JSON.parse(JSON.stringify(golden(...given)));
    } catch (reason) {
      if (!(reason instanceof NotComparable)) throw reason;
      return { not_comparable: reason.message };
    }
  };
  return (...given) => {
    const line = lineOf(given);
    const succeeded = (result) => {
      const { score } = result;
      write(line.not_comparable ? line : { ...line, result: line.system === "rightcall" ? { score } : returned(result) });
      return result;
    };
    const failed = (error) => {
      write(line);
      throw error;
    };
    let result;
    try {
      result = original(...given);
    } catch (error) {
      failed(error);
    }
    return result instanceof Promise ? result.then(succeeded, failed) : succeeded(result);
  };
}

const golden = (system, evaluator, config, expected, actual) => ({ system, evaluator, config, expected, actual });

/** A golden line that is a case, for our own settings. Only the score is compared, because our result has more fields. */
const ours = (evaluator, config, expected, actual) => ({ ...golden("rightcall", evaluator, config, expected, actual), edition: "documented" });

function openevals(original, { _normalizeToOpenAIMessagesList: messages }) {
  return (config = {}) => {
    const given = ({ outputs, referenceOutputs }) => {
      const overrides = Object.values(config.toolArgsMatchOverrides ?? {});
      if (overrides.some((it) => typeof it === "function")) throw new NotComparable("a function compares the arguments");
      return golden("openevals", "trajectory-match", config, messages(referenceOutputs), messages(outputs));
    };
    return watched(original(config), given, ({ key, score, comment = null, metadata = null }) => ({ key, score, comment, metadata }));
  };
}

function agentevalsGraph(original) {
  // Graphs are read as cases; the evaluator's own shape is messages. The default mode is strict.
  const given = ({ outputs, referenceOutputs }) => ours("agentevals/trajectory-match", {}, referenceOutputs, outputs);
  return watched(original, given, ({ score }) => ({ score }));
}

/** Wraps a Mastra scorer and its runs. */
function mastra(given, returned) {
  return (original, reading) => (options = {}) => {
    const scorer = original(options);
    scorer.run = watched(scorer.run.bind(scorer), (run) => given(options, run, reading), returned(options));
    return scorer;
  };
}

const mastraAccuracy = mastra(
  ({ expectedTool, expectedToolOrder, strictMode = false }, run, { extractToolCalls }) => {
    const names = expectedToolOrder ?? [expectedTool];
    // Without messages, the package raises an exception regardless of the expectation.
    const actual = run.input?.inputMessages?.length && run.output?.length ? extractToolCalls(run.output).tools : undefined;
    if (!actual) throw new NotComparable("there are no messages");
    return golden("mastra", "tool-call-accuracy", { strictMode }, names.map((name) => ({ name })), actual.map((name) => ({ name })));
  },
  ({ expectedTool, expectedToolOrder }) =>
    ({ score, preprocessStepResult: { actualTools, strictMode, hasToolCalls, correctOrderCalled } }) => ({
      score,
      actualTools,
      strictMode,
      expectedToolOrder: expectedToolOrder ?? [expectedTool],
      hasToolCalls,
      // For a single tool, the package reports no order.
      correctOrderCalled: correctOrderCalled ?? score === 1,
    }),
);

const mastraTrajectory = mastra(
  ({ expectedTrajectory, comparisonOptions = {} }, run) => {
    const sides = [run.expectedTrajectory ?? expectedTrajectory, run.output].map((it) => it?.steps ?? []);
    if (sides.flat().some((step) => (step.stepType ?? "tool_call") !== "tool_call")) throw new NotComparable("a step is no tool call");
    const calls = (steps) => steps.map((step) => ({ name: step.name, args: step.toolArgs, output: step.toolResult }));
    return golden("mastra", "trajectory-accuracy", comparisonOptions, ...sides.map(calls));
  },
  () => ({ score, preprocessStepResult: { comparison } }) => ({ ...comparison, score }),
);

const mastraDimensions = mastra(
  () => {
    throw new NotComparable("several dimensions come to one mean");
  },
  () => () => null,
);

/** A promptfoo assertion about the tool call steps of a trace. */
function promptfoo(line) {
  return (original, reading) => {
    const given = (params) => {
      const { trace } = params.assertionValueContext;
      if (!trace?.spans) throw new NotComparable("there is no trace");
      const steps = reading.extractTrajectorySteps(trace).filter((step) => step.type === "tool");
      const actual = steps.map(({ name, args }) => ({ name, args }));
      return line(params.renderedValue ?? params.assertion.value, params.inverse, actual);
    };
    return watched(original, given, ({ score, pass }) => ({ score, pass }));
  };
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** An expected step: a tool by name or by pattern. */
function tool(step) {
  if (!isObject(step)) return { name: step };
  if ([step.type ?? "tool"].flat().some((type) => type !== "tool")) throw new NotComparable("a step is no tool call");
  return { name: step.pattern ?? step.name ?? "" };
}

const counted = (value, inverse, actual) => {
  if (inverse) throw new NotComparable("a count in its `not-` form");
  if (!tool(value).name || (value.min ?? value.max) === undefined) throw new NotComparable("an assertion that counts nothing");
  const counts = { [tool(value).name]: `${value.min ?? ""}..${value.max ?? ""}` };
  return ours("constraints", { counts }, [], actual);
};

const toolUsed = promptfoo((value, inverse, actual) => {
  if (isObject(value)) return counted({ min: 1, ...value }, inverse, actual);
  return golden("promptfoo", "tool-used", { inverse }, [value].flat().map(tool), actual);
});

const toolSequence = promptfoo((value, inverse, actual) => {
  const { mode, steps } = isObject(value) ? value : { steps: value };
  const expected = Array.isArray(steps) ? steps.map(tool) : steps;
  return golden("promptfoo", "tool-sequence", { inverse, mode }, expected, actual);
});

const toolArgsMatch = promptfoo((value, inverse, actual) => {
  const { mode, ignore, defaults } = value ?? {};
  const expected = isObject(value) ? [{ ...tool(value), args: "args" in value ? value.args : value.arguments }] : value;
  return golden("promptfoo", "tool-args-match", { inverse, mode, ignore, defaults }, expected, actual);
});

const stepCount = promptfoo((value, inverse, actual) => {
  if (value?.type !== "tool") throw new NotComparable("steps that are no tool calls are counted");
  return counted({ pattern: "*", ...value }, inverse, actual);
});

function toolCallF1(original, { extractToolNames }) {
  const given = ({ assertion, output, renderedValue, inverse }) => {
    const value = typeof renderedValue === "string" ? renderedValue.split(",").map((it) => it.trim()) : renderedValue;
    const expected = Array.isArray(value) ? value.map((name) => ({ name: String(name) })) : value;
    const actual = [...extractToolNames(output)].map((name) => ({ name }));
    return golden("promptfoo", "tool-call-f1", { inverse, threshold: assertion.threshold }, expected, actual);
  };
  return watched(original, given, ({ score, pass }) => ({ score, pass }));
}

const WATCHES = {
  createToolCallAccuracyScorerCode: mastraAccuracy,
  createTrajectoryAccuracyScorerCode: mastraTrajectory,
  createTrajectoryScorerCode: mastraDimensions,
  createTrajectoryMatchEvaluator: openevals,
  graphTrajectoryStrictMatch: agentevalsGraph,
  handleToolCallF1: toolCallF1,
  handleTrajectoryStepCount: stepCount,
  handleTrajectoryToolArgsMatch: toolArgsMatch,
  handleTrajectoryToolSequence: toolSequence,
  handleTrajectoryToolUsed: toolUsed,
};

/** Returns the function of this name, wrapped. */
export const watch = (name, original, reading) => WATCHES[name](original, reading);
