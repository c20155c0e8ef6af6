import { defineConfig } from "vitest/config";

/** A gateway takes most of a gigabyte and most of two cores while it starts: one suite after the other. */
export default defineConfig({
  test: {
    include: ["tests/openclaw/**/*.suite.ts"],
    testTimeout: 60_000,
    hookTimeout: 240_000,
    globalSetup: [`${import.meta.dirname}/../setup/temp-folder.ts`],
    pool: "forks",
    fileParallelism: false,
  },
});
