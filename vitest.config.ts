import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "tests/**/*.test.ts"],
    exclude: ["tests/openclaw/**", "node_modules/**"],
    testTimeout: 20_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 15_000 } },
    pool: "forks",
    maxWorkers: 2,
    globalSetup: ["./tests/setup/temp-folder.ts"],
    reporters: ["default", "./tests/setup/closing-line.ts"],
  },
});
