// Compiled in strict mode, without the types of Node or other packages.
import { evaluate, type Evaluation, scoreFile } from "rightcall";
import { toolCallAccuracy } from "rightcall/evalite";
import { matchers } from "rightcall/matcher";
const evaluation: Evaluation = evaluate({ evaluator: "trajectory", mode: "superset" }, { expected: ["find"], actual: [{ name: "find" }] });
const { mean } = (await scoreFile("cases.jsonl", { evaluators: ["tpmjs/tool-call-accuracy-score"] })).evaluators[0]!;
const { score } = await toolCallAccuracy({ actualCalls: [], expectedCalls: [], mode: "flexible" });
export const numbers: (number | null | undefined)[] = [evaluation.score, mean, score];
export const { pass } = await matchers.toMatchToolCalls([], []);
