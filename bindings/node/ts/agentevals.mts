// Re-exports the CommonJS module, so that `import` and `require` share one instance.
export * from "./agentevals.js";
