import { chmodSync } from "node:fs";
import { join } from "node:path";
import { modulesOf, writeBundle, writeParts } from "./bundle.ts";

/** The command line in few files: every module loaded costs start-up time, and a command needs dozens of them. */
export async function bundleCommandLine(dir: string): Promise<void> {
  /** What is loaded before a client of `mcp-server` has its first answer, and what its first order needs: a file each. */
  const start = await modulesOf(["src/cli/start.ts", "src/cli/commands/mcp-server.ts"]);
  const engine = await modulesOf(["src/hub/order-engine.ts"]);
  /** What a client of `serve --stdio` waits for before it has its first list. Most other commands need it, too. */
  const serve = await modulesOf([
    "src/cli/commands/serve.ts",
    "src/core/files/home.ts",
    "src/core/config/parse-config.ts",
    "src/hub/open-place.ts",
    "src/hub/hosts.ts",
    "src/core/telemetry/open-telemetry.ts",
    "src/hub/engine/open-servers.ts",
    "src/doors/mcp/stdio-door.ts",
    "src/doors/mcp/door-offer.ts",
  ]);
  /** What a client waits for that begins as it did before. */
  const opening = await modulesOf([
    "src/cli/commands/serve.ts",
    "src/hub/state/open-home.ts",
    "src/doors/mcp/first-answers/answer-opening.ts",
    "src/doors/mcp/first-answers/digest-variables.ts",
  ]);
  const link = await modulesOf(["src/sources/servers/connection/link.ts"]);

  // The thread of scripts is a program of its own, beside what starts it.
  await writeBundle(dir, { "script-worker": "src/scripts/machine/script-worker.ts" }, "one file");
  // `--version` needs this file and nothing else; the parts are loaded by it.
  await writeBundle(dir, { main: "src/cli/main.ts" }, "one file", ["./start.ts"]);
  chmodSync(join(dir, "main.js"), 0o755);
  await writeParts(dir, { start: "src/cli/start.ts" }, [
    { name: "start", test: (id) => start.has(id), priority: 5 },
    { name: "opening", test: (id) => opening.has(id), priority: 4 },
    { name: "engine", test: (id) => engine.has(id), priority: 3 },
    { name: "serve", test: (id) => serve.has(id), priority: 2 },
    // What the first call to a stdio server needs besides.
    { name: "link", test: (id) => link.has(id), priority: 1 },
  ]);
}
