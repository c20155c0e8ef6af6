import { defineConfig } from "vitest/config";

/**
 * A gateway takes most of a gigabyte and most of two cores while it starts: one suite after the other. On a busy machine
 * each step takes several times as long, so the limits are generous.
 */
export default defineConfig({
  test: {
    include: ["tests/openclaw/**/*.suite.ts"],
    testTimeout: 180_000,
    hookTimeout: 420_000,
    globalSetup: [
      `${import.meta.dirname}/../setup/temp-folder.ts`,
      `${import.meta.dirname}/../setup/build-programs.ts`,
    ],
    pool: "forks",
    fileParallelism: false,
  },
});
