// Re-exports the CommonJS module, so that `import` and `require` share one instance.
import promptfoo from "./promptfoo.js";

export default promptfoo.default;
export type * from "./promptfoo.js";
