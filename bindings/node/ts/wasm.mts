/**
 * The engine for browsers and other places without Node: one case or one run at a time.
 *
 * @packageDocumentation
 */
import type {
  Actual,
  Call,
  Calls,
  CallsOptions,
  Case,
  Evaluation,
  EvaluatorEntry,
  EvaluatorName,
  Guard,
  GuardedCall,
  GuardedCallParts,
  GuardOptions,
  Malformed,
  ReadCall,
} from "./index.js";

/** An evaluator and its purpose. */
export interface EvaluatorSummary {
  /** The evaluator. */
  id: string;
  /** Its purpose. */
  summary: string;
}

/** An evaluation, with both sides as parsed. */
export interface ReadEvaluation {
  /** The evaluation, with its alignment. */
  result: Evaluation;
  /** The actual calls, in the common format. */
  actual: readonly Call[];
}

/** A guard of a running agent; see `Guard` of `rightcall`. */
export interface EngineGuard
  extends Pick<Guard, "admit" | "may" | "observe" | "result" | "verdicts" | "next" | "open" | "reminder" | "snapshot" | "finish"> {
  /** Why the run was stopped; `undefined` if it is not stopped. */
  readonly stopped: string | undefined;
  /** Frees its memory; it must not be used afterwards. */
  free(): void;
}

/** The engine. */
export interface Engine {
  /** All evaluators. */
  evaluators(): EvaluatorSummary[];
  /** Judges one case; see `evaluate` of `rightcall`. */
  evaluate(evaluator: EvaluatorName | EvaluatorEntry, judged: Case): Evaluation;
  /** The same for user input: settings, expected and actual calls as JSON text. */
  evaluateText(id: string, settings: string, expected: string, actual: string): ReadEvaluation;
  /** The calls of one run; see `calls` of `rightcall`. */
  calls(source: Actual | string | Uint8Array, options?: CallsOptions): Calls;
  /** A guard for rules, settings of `constraints`, or expected calls. The setting `schema` is not available. */
  guard(rules: readonly unknown[] | object, options?: Pick<GuardOptions, "mode" | "maxRefusals">): EngineGuard;
  /** Restores a guard from its snapshot. */
  guardOf(snapshot: string): EngineGuard;
}

/** An error of an evaluation. */
export class EngineError extends Error {
  /** The place in the case, a JSON pointer. */
  readonly pointer: string | undefined;

  /** @internal */
  constructor({ message, pointer, help }: { message: string; pointer?: string; help?: string }) {
    super(help === undefined ? message : `${message} (${help})`);
    this.name = "EngineError";
    this.pointer = pointer;
  }
}

// The types for browsers would require all of the DOM's types.
declare const WebAssembly: { instantiate(bytes: ArrayBuffer | Uint8Array, imports: object): Promise<{ instance: { exports: object } }> };

interface Exports {
  memory: { buffer: ArrayBuffer };
  room(bytes: number): number;
  answer(): number;
  answered(): number;
}

/**
 * Starts the engine.
 *
 * @example
 * ```ts
 * const engine = await load(await fetch(new URL("rightcall/rightcall.wasm", import.meta.url)).then((it) => it.arrayBuffer()));
 * engine.evaluate("trajectory", { expected: ["find"], actual: [{ name: "find" }] }).score; // 1
 * ```
 *
 * @param bytes - The file `rightcall/rightcall.wasm`.
 */
export async function load(bytes: ArrayBuffer | Uint8Array): Promise<Engine> {
  const { instance } = await WebAssembly.instantiate(bytes, {});
  const { memory, room, answer, answered } = instance.exports as unknown as Exports;
  // JSON never contains raw line breaks inside strings, so they can separate lines.
  const ask = <T,>(asked: string, lines: string[] = [], rest: string | Uint8Array = ""): T => {
    const head = new TextEncoder().encode([asked, ...lines.map((it) => it.replace(/[\r\n]/g, " ")), ""].join("\n"));
    const tail = typeof rest === "string" ? new TextEncoder().encode(rest) : rest;
    const place = room(head.length + tail.length);
    const question = new Uint8Array(memory.buffer, place, head.length + tail.length);
    question.set(head);
    question.set(tail, head.length);
    const length = answer();
    const text = new TextDecoder().decode(new Uint8Array(memory.buffer, answered(), length));
    const { ok, error } = JSON.parse(text) as { ok?: T; error?: { message: string } };
    if (error) throw new EngineError(error);
    return ok as T;
  };
  const judge = (id: string, settings: string, expected: string, actual: string) =>
    ask<{ result: Evaluation; read: { actual?: ReadEvaluation["actual"] } }>(
      "evaluate",
      [id, settings],
      `{"expected":${expected},"actual":${actual}}`,
    );
  const json = (it: unknown) => JSON.stringify(it, refuse) ?? "null";
  const guardWith = (number: number): EngineGuard => {
    const of = <T,>(asked: string, given: string = "", detail: string = "") => ask<T>(`guard ${asked}`, [String(number), detail], given);
    return {
      admit: (...call) => of("admit", json(callOf(call))),
      may: (...call) => of("may", json(callOf(call))),
      observe: (...call) => of("observe", json(callOf(call))),
      result: (call, { failed, ...rest } = {}) =>
        of("result", "output" in rest ? json(rest.output ?? null) : "", `${typeof call === "object" ? call.call : call} ${failed ?? ""}`),
      verdicts: () => of("verdicts"),
      next: () => of("next"),
      open: () => of("open"),
      reminder: () => of<string | null>("reminder") ?? undefined,
      get stopped() {
        return of<string | null>("stopped") ?? undefined;
      },
      snapshot: () => of("snapshot"),
      finish: () => of("finish"),
      free: () => of("free"),
    };
  };
  return {
    evaluators: () => ask("evaluators"),
    evaluate(evaluator, { expected, actual }) {
      const { evaluator: id, ...settings } = typeof evaluator === "string" ? { evaluator } : evaluator;
      return judge(id, json(settings), json(expected), json(actual)).result;
    },
    evaluateText(id, settings, expected, actual) {
      const { result, read } = judge(id, settings, expected, actual);
      return { result, actual: read.actual ?? [] };
    },
    calls(source, { format = "", map, tools } = {}) {
      const isFile = source instanceof Uint8Array;
      const given = isFile || typeof source === "string" ? source : json(source);
      const { calls, malformed } = ask<{ calls: ReadCall[]; malformed: Malformed[] }>(
        isFile ? "calls of a file" : "calls",
        [map === undefined ? format : json(map), tools === undefined ? "" : json(tools)],
        given,
      );
      return Object.defineProperty(calls, "malformed", { value: malformed }) as Calls;
    },
    guard: (rules, { mode = "block", maxRefusals = 3 } = {}) => guardWith(ask("guard", [mode, String(maxRefusals)], json(rules))),
    guardOf: (snapshot) => guardWith(ask("guard of a snapshot", ["", ""], snapshot)),
  };
}

/** The call in the form of an object. */
const callOf = ([call, args, options]: GuardedCallParts): GuardedCall => (typeof call === "string" ? { name: call, args, ...options } : call);

/** Rejects values that JSON would lose, because they must not count as equal. Bytes become base64 text. */
function refuse(this: any, key: string, value: unknown): unknown {
  const original: unknown = this[key];
  const isLost = typeof original === "function" || typeof original === "symbol" || original instanceof Map || original instanceof Set || original instanceof RegExp;
  const isOdd = typeof value === "number" && !Number.isFinite(value);
  if (original instanceof Uint8Array) return btoa(Array.from(original, (byte) => String.fromCharCode(byte)).join(""));
  if (isLost || isOdd) throw new EngineError({ message: `JSON cannot hold the value of \`${key}\`` });
  return value;
}
