/**
 * The numbers of the JavaScript package agentevals, which has no separate documentation of them. `rightcall/package/agentevals` is the same
 * module.
 *
 * The evaluators of agentevals that call no model, scored by rightcall: only the import changes.
 *
 * @packageDocumentation
 */
import { argumentsMatcher } from "./equality.js";
import { EvaluationError } from "./errors.js";
import type { GraphTrajectory } from "./langgraph.js";
import { messagesOf, type ChatMessage, type Trajectory } from "./langchain.js";
import { native, unwrap } from "./native.js";
import { classes } from "./values.js";

export { EvaluationError } from "./errors.js";
export type { ChatMessage, MessageState, Trajectory } from "./langchain.js";
export {
  extractLangGraphTrajectoryFromSnapshots,
  extractLangGraphTrajectoryFromThread,
  type ExtractedGraphTrajectory,
  type GraphTrajectory,
  type LangGraph,
  type Snapshot,
} from "./langgraph.js";

/** How the calls of two trajectories are matched. */
export type TrajectoryMatchMode = "strict" | "unordered" | "subset" | "superset";

/** How arguments are compared. */
export type ToolArgsMatchMode = "exact" | "ignore" | "subset" | "superset";

/** Returns whether the arguments of an actual call match those of a reference call. */
export type ToolArgsMatcher = (toolCall: Record<string, any>, referenceToolCall: Record<string, any>) => boolean | Promise<boolean>;

/** By tool name: another mode, the paths of the arguments to compare, or a function. */
export type ToolArgsMatchOverrides = Record<string, ToolArgsMatchMode | string[] | ToolArgsMatcher>;

/** The options of `createTrajectoryMatchEvaluator`. */
export interface TrajectoryMatchOptions {
  /** How to match calls (default: `strict`). */
  trajectoryMatchMode?: TrajectoryMatchMode;
  /** How to compare arguments (default: `exact`). */
  toolArgsMatchMode?: ToolArgsMatchMode;
  /** Exceptions by tool. */
  toolArgsMatchOverrides?: ToolArgsMatchOverrides;
}

/** The result of an evaluator. */
export interface EvaluatorResult {
  /** The name of the feedback. */
  key: string;
  /** Whether the trajectories match. */
  score: boolean;
  /** Always empty, as in the package. */
  comment: undefined;
  /** Always empty, as in the package. */
  metadata: undefined;
}

/** The input of an evaluator. */
export interface Trajectories {
  /** The trajectory of the agent. */
  outputs: Trajectory;
  /** The expected trajectory. */
  referenceOutputs: Trajectory;
  /** Further values from the runner; ignored. */
  [more: string]: unknown;
}

const MODES = ["strict", "unordered", "subset", "superset"];

/**
 * Creates an evaluator that checks whether two trajectories match.
 *
 * @example
 * ```ts
 * const evaluator = createTrajectoryMatchEvaluator({ trajectoryMatchMode: "superset" });
 * const { score } = await evaluator({ outputs: messages, referenceOutputs: expected });
 * ```
 *
 * @throws {@link EvaluationError} for an unknown mode, and from the evaluator where agentevals throws.
 */
export function createTrajectoryMatchEvaluator(options: TrajectoryMatchOptions = {}): (given: Trajectories) => Promise<EvaluatorResult> {
  const { trajectoryMatchMode: mode = "strict", toolArgsMatchMode = "exact", toolArgsMatchOverrides } = options;
  if (!MODES.includes(mode)) throw new EvaluationError({ message: `Invalid trajectory match type: ${String(mode)}` });
  const matcherOf = argumentsMatcher(toolArgsMatchMode, toolArgsMatchOverrides);
  return async ({ outputs, referenceOutputs }) => {
    const [actual, reference] = [messagesOf(outputs), messagesOf(referenceOutputs)];
    const score = await matches[mode](actual, reference, matcherOf);
    return { key: `trajectory_${mode}_match`, score, comment: undefined, metadata: undefined };
  };
}

type MatcherOf = ReturnType<typeof argumentsMatcher>;
type Match = (actual: ChatMessage[], reference: ChatMessage[], matcherOf: MatcherOf) => Promise<boolean>;

const matches: Record<TrajectoryMatchMode, Match> = {
  strict: (actual, reference, matcherOf) => judged("strict", actual.map(inMessage), reference.map(inMessage), matcherOf),
  superset: (actual, reference, matcherOf) => judged("superset", [merged(actual)], [merged(reference)], matcherOf),
  subset: (actual, reference, matcherOf) => judged("superset", [merged(reference)], [merged(actual)], matcherOf),
  unordered: async (actual, reference, matcherOf) =>
    (await matches.superset(actual, reference, matcherOf)) && (await matches.subset(actual, reference, matcherOf)),
};

/** A call with arguments that are parsed on comparison. */
interface Call {
  name: unknown;
  args: () => unknown;
}

/** The parts of a message that are compared. */
interface Turn {
  role: unknown;
  calls: Call[] | undefined;
}

/** A message for a strict comparison. */
function inMessage({ role, tool_calls }: ChatMessage): Turn {
  const call = ({ function: made }: { function?: { name?: unknown; arguments?: string } }) => ({
    name: made?.name,
    args: () => JSON.parse(made?.arguments ?? "{}") as unknown,
  });
  return { role, calls: tool_calls === null || tool_calls === undefined ? undefined : Array.from(tool_calls as never[], call) };
}

/** The calls of all messages, in either of the two shapes. */
function merged(messages: ChatMessage[]): Turn {
  const call = (made: Record<string, any>): Call => {
    if (typeof made.function?.arguments !== "string") return { name: made.name, args: () => made.args };
    const args: unknown = JSON.parse(made.function.arguments);
    return { name: made.function.name, args: () => args };
  };
  return { role: "assistant", calls: messages.flatMap(({ tool_calls }) => (tool_calls ? Array.from(tool_calls, call) : [])) };
}

/**
 * The engine's result for trajectories with arguments that JavaScript matches. Each actual call gets a number as its arguments, and each
 * reference call the list of numbers that match it; the engine checks containment.
 */
async function judged(mode: "strict" | "superset", actual: Turn[], reference: Turn[], matcherOf: MatcherOf): Promise<boolean> {
  const [toolOf, roleOf] = [classes(Object.is), classes(Object.is)];
  const written = (name: string, args: object) => ({ type: "function", function: { name, arguments: JSON.stringify(args) } });
  const texts = (turns: Turn[], argumentsOf: (turn: number, call: number) => object) =>
    JSON.stringify(
      turns.map(({ role, calls }, turn) => ({
        role: "assistant",
        content: "",
        // The role, and whether calls are listed at all, become a call too, because the package accepts any role.
        tool_calls: [
          written(`role ${roleOf(role)}${calls ? ", with calls" : ""}`, {}),
          ...(calls ?? []).map(({ name }, call) => written(`tool ${toolOf(name)}`, argumentsOf(turn, call))),
        ],
      })),
    );
  const matching = await matchingCalls(actual, reference, matcherOf);
  const expected = texts(reference, (turn, call) => matching[turn]?.[call] ?? {});
  const config = JSON.stringify({ trajectory_match_mode: mode, tool_args_match_mode: "subset" });
  const made = texts(actual, (turn, call) => ({ [`${turn}-${call}`]: true }));
  const { result } = unwrap<{ result: { score: boolean } }>(
    native.original("agentevals/trajectory-match", "package", config, expected, made, false),
  );
  return result.score;
}

/** For each reference call: the actual calls of the same message and name with matching arguments. */
async function matchingCalls(actual: Turn[], reference: Turn[], matcherOf: MatcherOf): Promise<Record<string, true>[][]> {
  const found: Record<string, true>[][] = [];
  for (const [turn, { calls }] of reference.entries()) {
    const ofTurn: Record<string, true>[] = [];
    for (const wanted of calls ?? []) {
      const matching: Record<string, true> = {};
      for (const [call, made] of (actual[turn]?.calls ?? []).entries()) {
        if (made.name !== wanted.name) continue;
        // As in the package, any truthy value means a match.
        if (await matcherOf(made.name)(made.args() as never, wanted.args() as never)) matching[`${turn}-${call}`] = true;
      }
      ofTurn.push(matching);
    }
    found.push(ofTurn);
  }
  return found;
}

/** The options of the older functions, in addition to the trajectories. */
export interface OlderOptions {
  /** Whether arguments must be equal; only `trajectoryStrictMatch` uses it. */
  toolCallArgsExactMatch?: boolean;
}

async function older(mode: TrajectoryMatchMode, key: string, given: Trajectories, args: ToolArgsMatchMode): Promise<EvaluatorResult> {
  const judge = createTrajectoryMatchEvaluator({ trajectoryMatchMode: mode, toolArgsMatchMode: args });
  return { ...(await judge(given)), key };
}

/** An older form of `createTrajectoryMatchEvaluator` with `strict`. */
export const trajectoryStrictMatch = (given: Trajectories & OlderOptions): Promise<EvaluatorResult> =>
  older("strict", "trajectory_strict_match", given, given.toolCallArgsExactMatch ? "exact" : "ignore");

/** An older form of `createTrajectoryMatchEvaluator` with `unordered`, comparing names only. */
export const trajectoryUnorderedMatch = (given: Trajectories): Promise<EvaluatorResult> =>
  older("unordered", "trajectory_unordered_match", given, "ignore");

/** An older form of `createTrajectoryMatchEvaluator` with `subset`, comparing names only. */
export const trajectorySubset = (given: Trajectories): Promise<EvaluatorResult> => older("subset", "trajectory_subset", given, "ignore");

/** An older form of `createTrajectoryMatchEvaluator` with `superset`, comparing names only. */
export const trajectorySuperset = (given: Trajectories): Promise<EvaluatorResult> =>
  older("superset", "trajectory_superset", given, "ignore");

/** Checks whether two runs of a graph took the same steps in the same order: each step is a call, each turn of the graph a message. */
export async function graphTrajectoryStrictMatch(given: { outputs: GraphTrajectory; referenceOutputs: GraphTrajectory }): Promise<EvaluatorResult> {
  const { outputs, referenceOutputs } = given;
  if (!outputs || !referenceOutputs) {
    throw new EvaluationError({ message: "Strict trajectory match requires both outputs and referenceOutputs" });
  }
  const step = (name: string): Turn => ({ role: "step", calls: [{ name, args: () => ({}) }] });
  const turns = ({ steps }: GraphTrajectory): Turn[] => steps.flatMap((turn) => [{ role: "turn", calls: undefined }, ...turn.map(step)]);
  const score = await judged("strict", turns(outputs), turns(referenceOutputs), () => () => true);
  return { key: "graph_trajectory_strict_match", score, comment: undefined, metadata: undefined };
}
