// The originals' comparison of arguments for values that JSON cannot represent. The engine compares all other values. Not exported from the
// package.

const keysOf = (it: unknown): string[] => Object.keys(it as object);
const isObject = (it: unknown): it is Record<string, unknown> => typeof it === "object" && it !== null;
const isPlain = (it: unknown): it is Record<string, unknown> => {
  const prototype: unknown = isObject(it) && Object.getPrototypeOf(it);
  return prototype === Object.prototype || prototype === null;
};

/** Evalite in exact mode: dates by time, arrays and plain objects by contents, everything else by identity. */
export function evaliteEqual(one: unknown, other: unknown): boolean {
  if (one === other || (Number.isNaN(one) && Number.isNaN(other))) return true;
  if (one instanceof Date && other instanceof Date) return one.getTime() === other.getTime();
  if (Array.isArray(one) && Array.isArray(other)) return one.length === other.length && Array.from(one).every((it, index) => evaliteEqual(it, other[index]));
  if (!isPlain(one) || !isPlain(other)) return false;
  const keys = keysOf(one);
  return keys.length === keysOf(other).length && keys.every((key) => Object.hasOwn(other, key) && evaliteEqual(one[key], other[key]));
}

/** Evalite in flexible mode: values are compared by this text; `undefined` if there is none. It throws where Evalite does. */
export function evaliteText(value: unknown): string | undefined {
  return JSON.stringify(sorted(value));
}

function sorted(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  if (!isObject(value)) return value;
  // Holes stay holes; JSON writes them as null.
  if (Array.isArray(value)) return value.map(sorted);
  const made: Record<string, unknown> = {};
  // A key `__proto__` would set the prototype and is not written.
  for (const key of keysOf(value).sort()) made[key] = sorted(value[key]);
  return made;
}

/** tpmjs: objects are compared by their own keys, so all objects without keys are equal. Other values are compared by identity. */
export function tpmjsEqual(one: unknown, other: unknown): boolean {
  const [keys, others] = [keysOf(one), keysOf(other)];
  keys.sort();
  others.sort();
  if (keys.length !== others.length || JSON.stringify(keys) !== JSON.stringify(others)) return false;
  return keys.every((key) => {
    const [a, b] = [(one as Record<string, unknown>)[key], (other as Record<string, unknown>)[key]];
    return isObject(a) && isObject(b) ? tpmjsEqual(a, b) : a === b;
  });
}

type Arguments = Record<string, any>;
type ArgumentsRule = "exact" | "ignore" | "subset" | "superset" | string[] | ((actual: Arguments, reference: Arguments) => unknown);

/** agentevals: null and undefined are equal; objects and arrays are compared by their keys and values. */
function agentevalsEqual(one: unknown, other: unknown): boolean {
  if (one === other || ((one === null || one === undefined) && (other === null || other === undefined))) return true;
  if (!isObject(one) || !isObject(other)) return false;
  if (Array.isArray(one) && Array.isArray(other)) return one.length === other.length && one.every((it, index) => agentevalsEqual(it, other[index]));
  const keys = keysOf(one);
  return keys.length === keysOf(other).length && keys.every((key) => keysOf(other).includes(key) && agentevalsEqual(one[key], other[key]));
}

/** True if the other object has all members of this one. */
const isPart = (one: Arguments, other: Arguments) => Object.entries(one).every(([key, it]) => key in other && agentevalsEqual(other[key], it));

const RULES: Record<string, (actual: Arguments, reference: Arguments) => boolean> = {
  exact: agentevalsEqual,
  subset: isPart,
  superset: (actual, reference) => isPart(reference, actual),
};

/** agentevals: the comparison of a tool's arguments. An unknown mode ignores them. */
export function argumentsMatcher(mode: string, overrides: Record<string, ArgumentsRule> | undefined) {
  const ignored = () => true;
  return (tool: unknown): ((actual: Arguments, reference: Arguments) => unknown) => {
    const name = String(tool ?? "");
    const rule = overrides && name in overrides ? overrides[name] : mode;
    if (typeof rule === "function") return rule;
    if (Array.isArray(rule)) return (actual, reference) => rule.every((path) => agentevalsEqual(at(actual, path), at(reference, path)));
    const chosen = typeof rule === "string" ? rule : mode;
    return (Object.hasOwn(RULES, chosen) ? RULES[chosen] : undefined) ?? ignored;
  };
}

/** The value at a dotted path. */
const at = (value: unknown, path: string): unknown =>
  path.split(".").reduce<unknown>((inner, key) => (isObject(inner) && key in inner ? inner[key] : undefined), value);
