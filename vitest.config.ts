import { defineConfig } from "vitest/config";
import { HeaviestFirst } from "./tests/setup/heaviest-first.ts";

/** Tests of functions: they share a process, since starting one for each file took most of their time. */
const functions = { include: ["src/**/*.test.ts"], exclude: ["src/plugin/**"] };

export default defineConfig({
  test: {
    // Limits are for what hangs. A busy machine must not reach them.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    pool: "forks",
    // They wait for processes and timers half of the time: more workers than cores. With six, one test of the tray failed.
    maxWorkers: 4,
    sequence: { sequencer: HeaviestFirst },
    globalSetup: ["./tests/setup/announce-run.ts", "./tests/setup/temp-folder.ts", "./tests/setup/build-programs.ts"],
    reporters: ["default", "./tests/setup/closing-line.ts"],
    projects: [
      { extends: true, test: { name: "functions", isolate: false, ...functions } },
      {
        extends: true,
        test: {
          name: "system",
          include: ["tests/**/*.test.ts", "src/plugin/**/*.test.ts"],
          exclude: ["tests/openclaw/**", "node_modules/**"],
        },
      },
    ],
  },
});
