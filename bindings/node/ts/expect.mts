// The same module for `import`, so that both kinds of module share one.
export * from "./expect.js";
