// Re-exports the CommonJS module, so that `import` and `require` share one instance.
import tpmjs from "./tpmjs.js";

export * from "./tpmjs.js";
export default tpmjs.default;
