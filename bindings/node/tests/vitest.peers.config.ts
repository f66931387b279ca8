import { defineConfig } from "vitest/config";

export default defineConfig({ test: { include: ["peers/**/*.test.ts"], testTimeout: 600_000 } });
