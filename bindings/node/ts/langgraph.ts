// What LangGraph.js remembers of a thread, as a trajectory of its graph.
import { chatMessage } from "./langchain.js";

/** The steps of a graph, by turn. */
export interface GraphTrajectory {
  /** What was put into each turn. */
  inputs?: (Record<string, unknown> | null)[];
  /** What came out of each turn. */
  results: Record<string, unknown>[];
  /** The nodes of each turn, in order. */
  steps: string[][];
}

/** What a thread of a graph comes to. */
export interface ExtractedGraphTrajectory {
  /** What was put into each turn. */
  inputs: unknown[];
  /** What came out, and by which steps. */
  outputs: GraphTrajectory;
}

/** A task of a snapshot. */
interface SnapshotTask {
  name: string;
  result?: unknown;
  interrupts?: readonly unknown[];
  state?: unknown;
}

/** What LangGraph keeps of a moment, as far as it is looked at. */
export interface Snapshot {
  /** The state. */
  values?: any;
  /** The nodes that come next. */
  next?: readonly string[];
  /** The tasks of this moment. */
  tasks?: readonly any[];
  /** How it came about. */
  metadata?: any;
  /** Where it belongs. */
  config?: any;
}

/** A graph, as far as it is asked. */
export interface LangGraph {
  /** The snapshots of a thread, the latest first. */
  getStateHistory(config: any): AsyncIterable<Snapshot>;
}

const isInterrupted = (snapshot: Snapshot | undefined): boolean =>
  snapshot?.tasks?.some((task: SnapshotTask) => (task.interrupts?.length ?? 0) > 0) ?? false;

/** The trajectory of snapshots, which come the latest first. */
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
    // What comes after the last end of a turn belongs to none yet.
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

/** What a turn ended with: of messages the last, of another state all. */
function resultOf(values: unknown): Record<string, unknown> {
  const { messages } = (typeof values === "object" && values !== null && !Array.isArray(values) ? values : {}) as { messages?: unknown };
  return Array.isArray(messages) ? { messages: [chatMessage(messages.at(-1) as object)] } : (values as Record<string, unknown>);
}

/** The nodes of a snapshot, the latest first; those of a graph within a graph have its name before theirs. */
function nodesOf({ tasks = [], config }: Snapshot): string[] {
  const [graph, within] = String(config?.configurable?.checkpoint_ns ?? "").split(":");
  const prefix = within === undefined ? "" : `${graph}:`;
  return tasks.flatMap((task: SnapshotTask) => [...(task.interrupts?.length ? ["__interrupt__"] : []), `${prefix}${task.name}`]);
}

/** The trajectory of a thread, with the graphs that run within its graph. */
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
