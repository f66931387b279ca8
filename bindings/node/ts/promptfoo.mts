// The same module for `import`, so that both kinds of module share one.
import promptfoo from "./promptfoo.js";

export default promptfoo.default;
export type * from "./promptfoo.js";
