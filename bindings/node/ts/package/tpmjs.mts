// The same module for `import`, so that both kinds of module share one.
import tpmjs from "./tpmjs.js";

export * from "./tpmjs.js";
export default tpmjs.default;
