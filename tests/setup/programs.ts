import { join } from "node:path";

/** The programs beside the command line that tests start as processes of their own. */
export const fixtures = [
  "tests/agent/media-server.ts",
  "tests/agent/sampling-server.ts",
  "tests/apps/app-child.ts",
  "tests/cli/fixtures/changing-server.ts",
  "tests/cli/fixtures/shelf-server.ts",
  "tests/console/page/fixtures/studio-server.ts",
  "tests/core/lock-child.ts",
  "tests/core/state-child.ts",
  "tests/doors/long/waiting-server.ts",
  "tests/guard/audit-child.ts",
  "tests/guard/counting-server.ts",
  "tests/guard/files-server.ts",
  "tests/guard/named-tools-server.ts",
  "tests/guard/scripted-server.ts",
  "tests/oauth/fixtures/store-child.ts",
  "tests/openclaw/fixtures/notes-server.ts",
  "tests/results/flood-server.ts",
  "tests/results/large-server.ts",
  "tests/sandbox/fixtures/hostile-server.ts",
  "tests/sandbox/fixtures/needy-server.ts",
  "tests/servers/fixtures/engine-child.ts",
  "tests/servers/fixtures/exact-echo.ts",
  "tests/servers/fixtures/gated-stdio.ts",
  "tests/servers/fixtures/leaky-stdio.ts",
  "tests/servers/fixtures/rogue-stdio.ts",
  "tests/servers/fixtures/schema-server.ts",
  "tests/servers/fixtures/sleepy-server.ts",
  "tests/servers/fixtures/trace-server.ts",
  "tests/support/mcp/stdio-child.ts",
] as const;

type Program = "src/cli/main.ts" | (typeof fixtures)[number];

const root = join(import.meta.dirname, "../..");

/** As deep in the checkout as `dist/cli`, so that the program finds what lies beside its own code. */
export const programsFolder = join(root, ".cache", "programs");

/** The name of a compiled program. That of the command line stays: it finds itself by it. */
export function programName(source: Program): string {
  return source === "src/cli/main.ts" ? "main" : source.replace(/\.ts$/, "").replaceAll("/", ".");
}

/** A program in its compiled form, which is made once a run (`build-programs.ts`); outside of a run, its source. */
export function program(source: Program): string {
  const isCompiled = process.env["CLAWPORT_TEST_PROGRAMS"] === "compiled";
  return isCompiled ? join(programsFolder, `${programName(source)}.js`) : join(root, source);
}
