import { defineConfig } from "vitest/config";

/** Real clients from npm are started side by side: most of the time they wait for a silent tool. */
export default defineConfig({
  test: {
    include: ["tests/clients/real/**/*.suite.ts"],
    testTimeout: 240_000,
    hookTimeout: 600_000,
    maxConcurrency: 4,
    globalSetup: [`${import.meta.dirname}/../../setup/temp-folder.ts`],
    pool: "forks",
    maxWorkers: 2,
    reporters: ["default", `${import.meta.dirname}/../../setup/closing-line.ts`],
  },
});
