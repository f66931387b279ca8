// A program that is only compiled: right uses, and ten typical mistakes that the compiler must report.
import { type Case, evaluate, Evaluator, explain, score, scoreFile } from "rightcall";
import { toolCallScorer } from "rightcall/braintrust";

export async function right(judged: Case): Promise<(number | undefined)[]> {
  const strict = new Evaluator({ evaluator: "trajectory", mode: "strict", threshold: 0.9 });
  const { results } = await score([judged], ["axion/tool-correctness,threshold=0.8", strict, { evaluator: "trajectory", match: { args: "subset" }, name: "some" }], { keep: "scores" });
  const one = evaluate("uipath/tool-call-order", judged, { explain: true });
  return [one.score, evaluate(strict, judged).score, ...results.map((it) => it.score)];
}

export async function mistakes(judged: Case): Promise<void> {
  // @ts-expect-error: a name with a typo
  evaluate("trajectroy", judged);
  // @ts-expect-error: a setting in the case
  evaluate("trajectory", { expected: [], actual: [], mode: "strict" });
  // @ts-expect-error: an option in the case
  evaluate("trajectory", { expected: [], actual: [], explain: true });
  // @ts-expect-error: a case in place of the evaluator
  evaluate(judged, "trajectory");
  // @ts-expect-error: a value that the setting does not have
  explain({ evaluator: "trajectory", mode: "strickt" }, judged);
  // @ts-expect-error: a setting of another evaluator
  new Evaluator({ evaluator: "uipath/tool-call-count", check_parameters: true });
  // @ts-expect-error: a score that may be missing
  evaluate("trajectory", judged).score.toFixed(2);
  // @ts-expect-error: an evaluator that is not in a list
  await score([judged], "trajectory");
  // @ts-expect-error: a name with a typo in a list
  await scoreFile("cases.jsonl", { evaluators: ["trajectory", "ragas/tool-call-f2"] });
  // @ts-expect-error: a setting with a typo in a scorer
  toolCallScorer({ evaluator: "trajectory", treshold: 0.5 });
}
