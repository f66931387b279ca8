/**
 * A scorer for the runners of Mastra: `runEvals`, and the `scorers` of an agent.
 *
 * @packageDocumentation
 */
import { EvaluationError } from "./errors.js";
import { judge, type ScorerOptions } from "./scorer.js";
import type { EvaluatorName } from "./types.js";

export { EvaluationError } from "./errors.js";
export type { ScorerOptions } from "./scorer.js";

/** What Mastra tells a scorer of a run, as far as it is looked at. */
interface ScoredRun {
  output?: unknown;
  groundTruth?: unknown;
}

/** Mastra's scorer that is being made, as far as it is used. */
interface ScorerInTheMaking {
  generateScore(step: (given: { run: ScoredRun }) => number): { generateReason(step: (given: { run: ScoredRun }) => string): unknown };
}

/**
 * A whole scorer of Mastra: what `generateReason` gives of one that `createScorer` began.
 *
 * @typeParam Create - Mastra's `createScorer`.
 */
export type Finished<Create extends (config: any) => any> = ReturnType<ReturnType<ReturnType<Create>["generateScore"]>["generateReason"]>;

/**
 * Makes a scorer of tool calls. What is expected is the `groundTruth` of an item, unless `expected` is given.
 *
 * @example
 * ```ts
 * import { createScorer, runEvals } from "@mastra/core/evals";
 *
 * const scorer = toolCallScorer(createScorer, { evaluator: "uipath/tool-call-order" });
 * await runEvals({ target: agent, data: [{ input: "Where is order 7?", groundTruth: ["findOrder"] }], scorers: [scorer] });
 * ```
 *
 * @typeParam Create - Mastra's `createScorer`.
 * @param createScorer - That of Mastra, of whatever version is installed.
 * @param options - The evaluator, its settings, `id` and `expected`.
 * @throws {@link EvaluationError} from the scorer where there is no score, since Mastra takes nothing else for none.
 */
export function toolCallScorer<Create extends (config: any) => any, Name extends EvaluatorName = "trajectory">(
  createScorer: Create,
  options: ScorerOptions<Name> & { id?: string; expected?: unknown } = {} as ScorerOptions<Name>,
): Finished<Create> {
  const { id = `rightcall-${options.evaluator ?? "trajectory"}`.replaceAll("/", "-"), expected, ...rest } = options as ScorerOptions & {
    id?: string;
    expected?: unknown;
  };
  const judged = judge(rest);
  const judgedRun = ({ output, groundTruth }: ScoredRun) => judged(expected ?? groundTruth, output);
  const description = `Tool calls by ${rest.evaluator ?? "trajectory"}`;
  const scorer = createScorer({ id, name: id, description, type: "agent" }) as ScorerInTheMaking;
  return scorer
    .generateScore(({ run }) => {
      const { score, reason } = judgedRun(run);
      if (score === undefined) throw new EvaluationError({ message: `no score: ${reason()}` });
      return score;
    })
    .generateReason(({ run }) => judgedRun(run).reason()) as Finished<Create>;
}
