/**
 * A scorer for Mastra's runners: `runEvals`, and the `scorers` of an agent.
 *
 * @packageDocumentation
 */
import { EvaluationError } from "./errors.js";
import { judge, type ScorerOptions } from "./scorer.js";
import type { EvaluatorName } from "./types.js";

export { EvaluationError } from "./errors.js";
export type { ScorerOptions } from "./scorer.js";

/** The parts of Mastra's scorer input that we use. */
interface ScoredRun {
  output?: unknown;
  groundTruth?: unknown;
}

/** The parts of Mastra's scorer builder that we use. */
interface ScorerInTheMaking {
  generateScore(step: (given: { run: ScoredRun }) => number): { generateReason(step: (given: { run: ScoredRun }) => string): unknown };
}

/**
 * A finished Mastra scorer: the return type of `generateReason` on what `createScorer` returned.
 *
 * @typeParam Create - Mastra's `createScorer`.
 */
export type Finished<Create extends (config: any) => any> = ReturnType<ReturnType<ReturnType<Create>["generateScore"]>["generateReason"]>;

/**
 * Creates a scorer of tool calls. The expectation is the `groundTruth` of an item, unless `expected` is given.
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
 * @param createScorer - Mastra's function, from any installed version.
 * @param options - The evaluator, its settings, `id` and `expected`.
 * @throws {@link EvaluationError} from the scorer if there is no score, because Mastra has no other way to report that.
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
