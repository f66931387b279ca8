import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { include: ["src/**/*.test.ts"], setupFiles: ["rightcall/vitest"], testTimeout: 120_000, fileParallelism: false },
});
