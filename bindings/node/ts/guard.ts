// Rules before the call. Exported from the package's index.
import { RunStopped } from "./errors.js";
import { native, type RunGuard, unwrap } from "./native.js";
import type { Evaluation } from "./types.js";
import { toJson } from "./values.js";

/** A call that is about to be made. */
export interface GuardedCall {
  /** The tool. */
  name: string;
  /** Its arguments, an object or JSON text; leave them out if they are not known. */
  args?: unknown;
  /** What calls that were requested together share, such as the id of the model's message. */
  group?: string;
}

/** A rule that forbids a call. */
export interface Refusal {
  /** Its name, or its sentence. */
  rule: string;
  /** The place of the rule among all. */
  check: number;
  /** Why the rule exists, if it says so. */
  why?: string;
  /** The numbers of the calls to blame; the refused call has the number that it would have got. */
  calls: number[];
  /** Whether the rule was broken before. */
  violated: boolean;
  /** What to tell the agent. */
  sentence: string;
}

/** A rule that does not hold yet: what must still happen. */
export type OpenRule = Pick<Refusal, "rule" | "check" | "why" | "sentence">;

/** An expected call that may be made next. */
export interface NextCall {
  /** The tool. */
  name: string;
  /** What is demanded of the arguments. */
  args?: unknown;
  /** What is demanded of the output. */
  output?: unknown;
}

/** A rule and its verdict; `null` if that depends on what was not recorded. */
export interface RuleState {
  /** Its name, or its sentence. */
  rule: string;
  /** The verdict. */
  verdict: "satisfied" | "satisfied_so_far" | "open" | "violated" | null;
}

/** What a guard says to a call. */
export interface Decision {
  /** The number of the call, under which its result is recorded; `null` if it was refused. */
  call: number | null;
  /** Whether the run is stopped, so that no further call is allowed. */
  stopped: boolean;
  /** What to tell the agent, or in the mode `warn` its operator; empty if no rule is broken. */
  sentence: string;
  /** The rules that the call breaks. */
  refusals: Refusal[];
}

/** How a guard behaves. */
export interface GuardOptions {
  /** `block` refuses a forbidden call, `warn` lets it pass and says so, `observe` lets it pass. Default: `block`. */
  mode?: "block" | "warn" | "observe";
  /** After this many refusals of an equal call the run is stopped: every further call is refused. Default: 3. */
  maxRefusals?: number;
  /** Called if a rule is broken. */
  onDecision?: (call: GuardedCall, decision: Decision) => void;
}

type Run = (...args: any[]) => unknown;

/**
 * Decides before each call of a running agent whether it may be made.
 *
 * @example
 * ```ts
 * const guard = new Guard(["verify before refund"]);
 * guard.admit({ name: "refund", args: { order: 7 } }).sentence;
 * // '`refund` may not be called now: it breaks the rule "verify before refund".'
 * ```
 */
export class Guard {
  #state: RunGuard;
  #onDecision: GuardOptions["onDecision"];

  /**
   * @param rules - Rules, or the settings of the evaluator `constraints`. Next to these settings, `expected` holds calls as the expectation of
   * a case does; `extra: "others"` allows calls of tools that it does not name.
   * @throws {@link ConfigError} for a rule that is none, with its place.
   */
  constructor(rules: readonly unknown[] | object, options: GuardOptions = {}) {
    this.#state = made("rules", toJson(rules), options);
    this.#onDecision = options.onDecision;
  }

  /** A guard for the rules in a file: a list of rules, settings of `constraints`, or a suite. */
  static fromFile(path: string, options: GuardOptions = {}): Guard {
    return Guard.#over(made("file", path, options), options);
  }

  /** The guard that a snapshot was taken of. */
  static restore(snapshot: string, options: Pick<GuardOptions, "onDecision"> = {}): Guard {
    return Guard.#over(made("snapshot", snapshot, {}), options);
  }

  static #over(state: RunGuard, options: GuardOptions): Guard {
    const guard = new Guard([], options);
    guard.#state = state;
    return guard;
  }

  /** The guard as JSON: its rules, and the run so far. */
  snapshot(): string {
    return this.#state.snapshot();
  }

  /** Why the run was stopped; `undefined` while it goes on. */
  get stopped(): string | undefined {
    return this.#state.stopped() ?? undefined;
  }

  /** The rules that a next call would violate; none if it may be made. Nothing is recorded. */
  may(call: GuardedCall): Refusal[] {
    return unwrap(this.#state.may(toJson(call)));
  }

  /** Decides about a call that is about to be made. An allowed call is part of the run from here on; a refused one is not. */
  admit(call: GuardedCall): Decision {
    const decision = unwrap<Decision>(this.#state.admit(toJson(call)));
    if (decision.sentence !== "") this.#onDecision?.(call, decision);
    return decision;
  }

  /** Adds a call that is made anyway; its number. */
  observe(call: GuardedCall): number {
    return unwrap(this.#state.observe(toJson(call)));
  }

  /**
   * Records what came of a call, in any order, once per call.
   *
   * @param call - Its number.
   * @param result - What the tool returned and whether it failed, as far as that is known.
   */
  result(call: number, result: { output?: unknown; failed?: boolean } = {}): void {
    const output = "output" in result ? toJson(result.output ?? null) : undefined;
    unwrap(this.#state.result(call, output, result.failed));
  }

  /** Each rule and its verdict. */
  verdicts(): RuleState[] {
    return unwrap(this.#state.verdicts());
  }

  /**
   * The calls that may be made next, if the rules hold `expected` calls, with arguments and outputs as they are written there. Variables
   * that are bound have their values.
   */
  next(): NextCall[] {
    return unwrap(this.#state.next());
  }

  /** What must still happen. */
  open(): OpenRule[] {
    return unwrap(this.#state.open());
  }

  /** What to tell an agent that wants to end: what must still happen. The first call alone returns it. */
  reminder(): string | undefined {
    return this.#state.reminder() ?? undefined;
  }

  /** Ends the run: what the evaluator `constraints` makes of it. */
  finish(): Evaluation {
    return unwrap(this.#state.finish());
  }

  /**
   * Wraps a tool, sync or async, so that it asks the guard first. The first parameter is the arguments. A refused call does not run the
   * tool: its result is the sentence for the agent.
   *
   * @typeParam T - The type of the tool.
   * @param name - Its name in the rules.
   * @param run - The tool.
   * @throws {@link RunStopped} by the tool, once the guard has stopped the run.
   */
  tool<T extends (...args: any[]) => unknown>(name: string, run: T): T {
    const guard = this;
    return function (this: unknown, ...given: Parameters<T>): unknown {
      const decision = guard.admit({ name, args: given[0] ?? {} });
      if (decision.stopped) throw new RunStopped({ message: decision.sentence });
      if (decision.call === null) return decision.sentence;
      return guard.#recorded(decision.call, () => run.apply(this, given));
    } as T;
  }

  /**
   * Wraps the tools of a table, each under its key: functions as {@link Guard.tool} does, and the tools of the AI SDK, which have a function
   * `execute`. Calls that the model requested in one message of the AI SDK are parallel. There a stopped run returns its sentence too, since
   * the SDK makes a result of what a tool throws; end it by `stopWhen: () => guard.stopped !== undefined`.
   *
   * @typeParam T - The type of the table.
   * @param table - Such as the `tools` of the AI SDK.
   */
  tools<T extends Record<string, unknown>>(table: T): T {
    const wrapped = Object.entries(table).map(([name, tool]) => {
      if (typeof tool === "function") return [name, this.tool(name, tool as Run)];
      const { execute } = (tool ?? {}) as { execute?: unknown };
      if (typeof execute !== "function") return [name, tool];
      return [name, { ...(tool as object), execute: this.#execute(name, execute as Run) }];
    });
    return Object.fromEntries(wrapped) as T;
  }

  /** Wraps the function of a tool of the AI SDK. */
  #execute(name: string, run: Run): Run {
    const guard = this;
    return function (this: unknown, ...given: any[]): unknown {
      const [args, options] = given as [unknown, { messages?: unknown[] } | undefined];
      // The messages before the one with the calls: parallel calls have the same.
      const before = options?.messages;
      const group = Array.isArray(before) ? `message ${before.length}` : undefined;
      const decision = guard.admit({ name, args: args ?? {}, ...(group !== undefined && { group }) });
      if (decision.call === null) return decision.sentence;
      return guard.#recorded(decision.call, () => run.apply(this, given));
    };
  }

  /** Runs a tool, and records its result. */
  #recorded(call: number, run: () => unknown): unknown {
    const done = (output: unknown): unknown => {
      try {
        this.result(call, { output, failed: false });
      } catch {
        // No JSON: rules that look at the output find it not recorded.
        this.result(call, { failed: false });
      }
      return output;
    };
    const failed = (error: unknown): never => {
      this.result(call, { failed: true });
      throw error;
    };
    let output: unknown;
    try {
      output = run();
    } catch (error) {
      return failed(error);
    }
    return output instanceof Promise ? output.then(done, failed) : done(output);
  }
}

function made(source: "rules" | "file" | "snapshot", given: string, { mode = "block", maxRefusals = 3 }: GuardOptions): RunGuard {
  const state = native.guard(source, given, mode, maxRefusals);
  return typeof state === "string" ? unwrap<never>(state) : state;
}
