// Rules that are checked before each call. Exported from the package's index.
import { ConfigError, RunStopped } from "./errors.js";
import { checkCall } from "./live.js";
import { native, type RunGuard, unwrap, unwrapCalls } from "./native.js";
import { check, checkOptions, checks } from "./options.js";
import type { Evaluation } from "./types.js";
import { kindOf, toJson } from "./values.js";

/** A call that is about to be made. */
export interface GuardedCall {
  /** The tool. */
  name: string;
  /** Its arguments, an object or JSON text; omit them if unknown. */
  args?: unknown;
  /** An id shared by calls that were requested together, such as the id of the model's message. */
  group?: string;
}

/** A call as the methods of a guard take it: an object, or its tool, arguments and group. */
export type GuardedCallParts = [call: GuardedCall] | [name: string, args?: unknown, options?: Pick<GuardedCall, "group">];

/** The result of a call. */
export interface GuardedResult {
  /** The tool's return value, if known. */
  output?: unknown;
  /** Whether the call failed, if known. */
  failed?: boolean;
}

/** A part of a call's arguments that the schema of its tool forbids. */
export interface ArgumentViolation {
  /** The JSON pointer within the arguments, empty for all of them. */
  pointer: string;
  /** What is wrong: `arguments.amount is "7", the schema asks for a number`. */
  sentence: string;
}

/** A rule that forbids a call. */
export interface Refusal {
  /** Its name, or its text. */
  rule: string;
  /** The index of the rule. */
  check: number;
  /** The reason for the rule, if it has one. */
  why?: string;
  /** The indices of the calls to blame; the refused call has the index that it would have had. */
  calls: number[];
  /** The arguments that the schema of the tool forbids, if the setting `schema` refused the call. */
  violations?: ArgumentViolation[];
  /** Whether the rule was already violated before. */
  violated: boolean;
  /** The message for the agent. */
  sentence: string;
}

/** A rule that is still open: some call must still happen. */
export type OpenRule = Pick<Refusal, "rule" | "check" | "why" | "sentence">;

/** An expected call that may come next. */
export interface NextCall {
  /** The tool. */
  name: string;
  /** The required arguments. */
  args?: unknown;
  /** The required output. */
  output?: unknown;
}

/** A rule with its verdict; `null` if the verdict depends on data that were not recorded. */
export interface RuleState {
  /** Its name, or its text. */
  rule: string;
  /** The verdict. */
  verdict: "satisfied" | "satisfied_so_far" | "open" | "violated" | null;
}

/** The decision of a guard about a call. */
export interface Decision {
  /** The index of the call, for recording its result; `null` if it was refused. */
  call: number | null;
  /** Whether the run is stopped, which refuses every further call. */
  stopped: boolean;
  /** The message for the agent, or in `warn` mode for its operator; empty if no rule is broken. */
  sentence: string;
  /** The rules that the call breaks. */
  refusals: Refusal[];
}

/** The options of a guard. */
export interface GuardOptions {
  /** `block` refuses a forbidden call, `warn` allows it with a warning, `observe` allows it. Default: `block`. */
  mode?: "block" | "warn" | "observe";
  /** After this many refusals of an equal call, the run is stopped: every further call is refused. Default: 3. */
  maxRefusals?: number;
  /** Called if a rule is broken. */
  onDecision?: (call: GuardedCall, decision: Decision) => void;
}

type Run = (...args: any[]) => unknown;

/**
 * Decides before each call of a running agent whether it is allowed.
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
   * @param rules - Rules, or settings of the evaluator `constraints`. In addition to these settings, `expected` may list calls like the
   * expectation of a case; `extra: "others"` then allows calls of other tools.
   * @throws {@link ConfigError} for an invalid rule, with its place.
   */
  constructor(rules: readonly unknown[] | object, options: GuardOptions = {}) {
    if (typeof rules !== "object" || rules === null) {
      const help = 'write ["verify before refund"]';
      throw new ConfigError({ message: `rules: expected a list of rules or settings of \`constraints\`, found ${kindOf(rules)}`, help });
    }
    this.#state = made("rules", toJson(rules), options);
    this.#onDecision = options.onDecision;
  }

  /** Creates a guard with the rules in a file: a list of rules, settings of `constraints`, or a suite. */
  static fromFile(path: string, options: GuardOptions = {}): Guard {
    return Guard.#over(made("file", path, options), options);
  }

  /** Restores a guard from a snapshot. */
  static restore(snapshot: string, options: Pick<GuardOptions, "onDecision"> = {}): Guard {
    return Guard.#over(made("snapshot", snapshot, {}), options);
  }

  static #over(state: RunGuard, options: GuardOptions): Guard {
    const guard = new Guard([], options);
    guard.#state = state;
    return guard;
  }

  /** The guard as JSON: its rules and the run so far. */
  snapshot(): string {
    return this.#state.snapshot();
  }

  /** Why the run was stopped; `undefined` if it is not stopped. */
  get stopped(): string | undefined {
    return this.#state.stopped() ?? undefined;
  }

  /** The rules that this call would violate; empty if it is allowed. It is not recorded. */
  may(...call: GuardedCallParts): Refusal[] {
    return unwrap(this.#state.may(toJson(callOf(call))));
  }

  /**
   * Decides about a call before it is made. An allowed call becomes part of the run; a refused one does not.
   *
   * @param call - The call, or its tool and its arguments: `admit("refund", { order: 7 })`.
   */
  admit(...call: GuardedCallParts): Decision {
    const asked = callOf(call);
    const decision = unwrap<Decision>(this.#state.admit(toJson(asked)));
    if (decision.sentence !== "") this.#onDecision?.(asked, decision);
    return decision;
  }

  /** Records a call without a decision; returns its index. */
  observe(...call: GuardedCallParts): number {
    return unwrap(this.#state.observe(toJson(callOf(call))));
  }

  /**
   * Records the result of a call, in any order, once for each call.
   *
   * @param call - Its index, or the decision that allowed it.
   * @param result - The tool's return value and whether it failed, if known: `{ output, failed }`.
   */
  result(call: number | Decision, result: GuardedResult = {}): void {
    const index: unknown = typeof call === "object" && call !== null ? call.call : call;
    check(index, [checks.count[0], "the index of a call"], "call", index === null ? "a refused call has no result" : undefined);
    checkResult(result);
    const output = "output" in result ? toJson(result.output ?? null) : undefined;
    unwrap(this.#state.result(index as number, output, result.failed));
  }

  /** Each rule with its verdict. */
  verdicts(): RuleState[] {
    return unwrap(this.#state.verdicts());
  }

  /**
   * The calls that may come next, if the rules include `expected` calls, with arguments and outputs as in the expectation. Bound variables
   * are replaced by their values.
   */
  next(): NextCall[] {
    return unwrapCalls(this.#state.next());
  }

  /** The rules that are still open. */
  open(): OpenRule[] {
    return unwrap(this.#state.open());
  }

  /** The message about open rules for an agent that wants to end. Only the first call returns it. */
  reminder(): string | undefined {
    return this.#state.reminder() ?? undefined;
  }

  /** Ends the run; returns the evaluation by `constraints`. */
  finish(): Evaluation {
    return unwrap(this.#state.finish());
  }

  /**
   * Wraps a tool, sync or async, so that it asks the guard first. The first parameter must be the arguments. A refused call does not run
   * the tool: its result is the message for the agent.
   *
   * @typeParam T - The type of the tool.
   * @param name - Its name in the rules.
   * @param run - The tool.
   * @throws {@link RunStopped} from the tool, once the guard has stopped the run.
   */
  tool<T extends (...args: any[]) => unknown>(name: string, run: T): T {
    check(name, [checks.text[0], "the name of a tool"], "name", 'write guard.tool("refund", refund)');
    check(run, [checks.function[0], "the function of a tool"], "run", "guard.tools takes tools of the AI SDK");
    const guard = this;
    return function (this: unknown, ...given: Parameters<T>): unknown {
      const decision = guard.admit({ name, args: given[0] ?? {} });
      if (decision.stopped) throw new RunStopped({ message: decision.sentence });
      if (decision.call === null) return decision.sentence;
      return guard.#recorded(decision.call, () => run.apply(this, given));
    } as T;
  }

  /**
   * Wraps an object of tools; the keys are their names. It accepts functions, as in {@link Guard.tool}, and AI SDK tools, which have a
   * function `execute`. Calls that the model requested in one AI SDK message are parallel. With the AI SDK, a stopped run returns the
   * message too, because the SDK converts exceptions to results; end the run with `stopWhen: () => guard.stopped !== undefined`.
   *
   * @typeParam T - The type of the object.
   * @param table - For example the `tools` of the AI SDK.
   */
  tools<T extends Record<string, unknown>>(table: T): T {
    check(table, [checks.object[0], "an object of tools by name"], "table", "write guard.tools({ refund, verify })");
    const wrapped = Object.entries(table).map(([name, tool]) => {
      if (typeof tool === "function") return [name, this.tool(name, tool as Run)];
      const { execute } = (tool ?? {}) as { execute?: unknown };
      if (typeof execute !== "function") return [name, tool];
      return [name, { ...(tool as object), execute: this.#execute(name, execute as Run) }];
    });
    return Object.fromEntries(wrapped) as T;
  }

  /** Wraps the function of an AI SDK tool. */
  #execute(name: string, run: Run): Run {
    const guard = this;
    return function (this: unknown, ...given: any[]): unknown {
      const [args, options] = given as [unknown, { messages?: unknown[] } | undefined];
      // The messages before the one with the calls; they are the same for parallel calls.
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
        // The output is not JSON, so rules about it treat it as not recorded.
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

/** The call in the form of an object. */
function callOf([call, args, options]: GuardedCallParts): GuardedCall {
  if (typeof call === "string") {
    if (options !== undefined) checkOptions(options, { group: checks.text });
    checkCall({ args }, "");
    return { name: call, args, ...options };
  }
  checkCall(call, "");
  if (args === undefined) return call;
  throw new ConfigError({ message: "expected a call alone, found a second argument", help: 'write admit("refund", { order: 7 }) or admit({ name, args })' });
}

function checkResult(result: GuardedResult): void {
  const isObject = typeof result === "object" && result !== null;
  const other = isObject ? Object.keys(result).find((key) => key !== "output" && key !== "failed") : undefined;
  if (!isObject || other !== undefined) {
    const message = `result: expected \`{ output, failed }\`, found ${other === undefined ? kindOf(result) : `the key \`${other}\``}`;
    throw new ConfigError({ message, help: "write guard.result(call, { output: … })" });
  }
  if (result.failed !== undefined) check(result.failed, checks.flag, "failed");
}

function made(source: "rules" | "file" | "snapshot", given: string, options: GuardOptions): RunGuard {
  checkOptions(options, { mode: checks.text, maxRefusals: checks.count, onDecision: checks.function });
  check(given, [checks.text[0], source === "file" ? "a path" : "JSON text"], source);
  const { mode = "block", maxRefusals = 3 } = options;
  const state = native.guard(source, given, mode, maxRefusals);
  return typeof state === "string" ? unwrap<never>(state) : state;
}
