// Converts the history of a LangGraph.js thread to a graph trajectory.
import { chatMessage } from "./langchain.js";

/** The steps of a graph, by turn. */
export interface GraphTrajectory {
  /** The input of each turn. */
  inputs?: (Record<string, unknown> | null)[];
  /** The result of each turn. */
  results: Record<string, unknown>[];
  /** The nodes of each turn, in order. */
  steps: string[][];
}

/** The trajectory of a thread. */
export interface ExtractedGraphTrajectory {
  /** The input of each turn. */
  inputs: unknown[];
  /** The results and the steps. */
  outputs: GraphTrajectory;
}

/** A task of a snapshot. */
interface SnapshotTask {
  name: string;
  result?: unknown;
  interrupts?: readonly unknown[];
  state?: unknown;
}

/** The parts of a LangGraph snapshot that we use. */
export interface Snapshot {
  /** The state. */
  values?: any;
  /** The next nodes. */
  next?: readonly string[];
  /** The tasks of the snapshot. */
  tasks?: readonly any[];
  /** Its metadata. */
  metadata?: any;
  /** Its configuration. */
  config?: any;
}

/** The parts of a graph that we use. */
export interface LangGraph {
  /** The snapshots of a thread, latest first. */
  getStateHistory(config: any): AsyncIterable<Snapshot>;
}

const isInterrupted = (snapshot: Snapshot | undefined): boolean =>
  snapshot?.tasks?.some((task: SnapshotTask) => (task.interrupts?.length ?? 0) > 0) ?? false;

/** Creates the trajectory from snapshots, latest first. */
export function extractLangGraphTrajectoryFromSnapshots(snapshots: readonly Snapshot[]): ExtractedGraphTrajectory {
  const inputs: unknown[] = [];
  const results: Record<string, unknown>[] = [];
  const steps: string[][] = [];
  for (const [index, snapshot] of snapshots.entries()) {
    const isEnd = !snapshot.next?.length;
    if (isEnd || isInterrupted(snapshot)) {
      results.push(isInterrupted(snapshot) ? {} : resultOf(snapshot.values));
      steps.push([]);
    }
    // Snapshots after the end of the last turn belong to no turn yet.
    const turn = steps.at(-1);
    if (!turn) continue;
    turn.push(...nodesOf(snapshot));
    if (snapshot.metadata?.source === "input") {
      const { writes } = snapshot.metadata as { writes?: unknown };
      if (typeof writes === "object" && writes !== null) inputs.push(writes);
      else inputs.push(...(snapshot.tasks ?? []).map((task: SnapshotTask) => ({ [task.name]: task.result })));
    } else if (isInterrupted(snapshots[index + 1])) {
      inputs.push("__resuming__");
    }
  }
  if (inputs.length !== results.length) {
    console.warn("Trajectory parsing may be incomplete: inputs and results have different lengths");
  }
  return { inputs: inputs.reverse(), outputs: { results: results.reverse(), steps: steps.map((turn) => turn.reverse()).reverse() } };
}

/** The result of a turn: the last message, or the whole state if it holds no messages. */
function resultOf(values: unknown): Record<string, unknown> {
  const { messages } = (typeof values === "object" && values !== null && !Array.isArray(values) ? values : {}) as { messages?: unknown };
  return Array.isArray(messages) ? { messages: [chatMessage(messages.at(-1) as object)] } : (values as Record<string, unknown>);
}

/** The nodes of a snapshot, latest first; those of a subgraph have its name as a prefix. */
function nodesOf({ tasks = [], config }: Snapshot): string[] {
  const [graph, within] = String(config?.configurable?.checkpoint_ns ?? "").split(":");
  const prefix = within === undefined ? "" : `${graph}:`;
  return tasks.flatMap((task: SnapshotTask) => [...(task.interrupts?.length ? ["__interrupt__"] : []), `${prefix}${task.name}`]);
}

/** The trajectory of a thread, including subgraphs. */
export async function extractLangGraphTrajectoryFromThread(graph: LangGraph, config: any): Promise<ExtractedGraphTrajectory> {
  return extractLangGraphTrajectoryFromSnapshots(await historyOf(graph, config));
}

async function historyOf(graph: LangGraph, config: unknown): Promise<Snapshot[]> {
  const history: Snapshot[] = [];
  for await (const snapshot of graph.getStateHistory(config)) {
    for (const { state } of (snapshot.tasks ?? []) as SnapshotTask[]) {
      const inner = state as { configurable?: { checkpoint_ns?: string } } | undefined;
      if (inner?.configurable?.checkpoint_ns) history.push(...(await historyOf(graph, inner)));
    }
    history.push(snapshot);
  }
  return history;
}
