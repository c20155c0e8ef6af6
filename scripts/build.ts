import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { build } from "vite";
import { modulesOf, writeBundle } from "./bundle.ts";
import { bundleCommandLine } from "./bundle-command-line.ts";
import { keepExportedDeclarations } from "./exported-declarations.ts";
import { writePluginPackage } from "./write-plugin-package.ts";

const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc");

rmSync("dist", { recursive: true, force: true });
// The library, module by module, with its types. `npm run check` has checked them.
execFileSync(process.execPath, [tsc, "-p", "tsconfig.build.json", "--noCheck"], { stdio: "inherit" });
keepExportedDeclarations();

rmSync("dist/cli", { recursive: true, force: true });
await bundleCommandLine("dist/cli");

// OpenClaw's plugin: the entry is loaded by every OpenClaw command, the engine only by the gateway's service.
rmSync("dist/plugin", { recursive: true, force: true });
writePluginPackage("dist/openclaw-plugin");
const plugin = await modulesOf(["src/plugin/index.ts"]);
/** What the service loads when it starts; every file of its own would cost the gateway time. */
const running = await modulesOf([
  "src/plugin/running-plugin.ts",
  "src/plugin/plugin-log.ts",
  "src/hub/engine/open-http.ts",
  "src/core/telemetry/metrics.ts",
  "src/core/telemetry/clawport-metrics.ts",
  "src/core/telemetry/process-metrics.ts",
  "src/core/telemetry/open-telemetry.ts",
]);
/** What servers and `/mcp` need, and what signing in needs besides. */
const servers = await modulesOf([
  "src/hub/engine/open-servers.ts",
  "src/sources/servers/connection/link.ts",
  "src/sources/servers/connection/http-transports.ts",
  "src/hub/control/local-control.ts",
  "src/hub/control/remote-control.ts",
  "src/hub/control/settings/config-editor.ts",
  ...[
    "mcp-command",
    "ask-before-order",
    "auth",
    "call-text",
    "chat-sign-in",
    "connect",
    "servers",
    "switch-servers",
  ].map((name) => `src/hub/presentation/${name}.ts`),
  ...["guard/approvals", "guard/pins", "audit/recover-open-calls", "audit/audit-line", "usage/usage-files"].map(
    (name) => `src/catalog/${name}.ts`,
  ),
  ...["prune-folder", "save-media"].map((name) => `src/core/files/${name}.ts`),
]);
const signIn = await modulesOf(["src/sources/servers/oauth/server-auth.ts", "src/hub/sign-in/step-up.ts"]);
const nats = await modulesOf(
  ["nats-connection", "nats-bus", "nats-session-store"].map((name) => `src/sources/apps/nats/${name}.ts`),
);
const orders = await modulesOf([
  "src/hub/order-engine.ts",
  ...["model/open-model", "model/model-backend", "model/sample-model", "gateway/gateway-backend"].map(
    (name) => `src/sources/agent/${name}.ts`,
  ),
]);
// In few files: OpenClaw copies and removes each of them at every change of its configuration.
await writeBundle("dist/openclaw-plugin/dist/plugin", { index: "src/plugin/index.ts" }, [
  { name: "entry", test: (id) => plugin.has(id), priority: 6 },
  { name: "running", test: (id) => running.has(id), priority: 5 },
  { name: "servers", test: (id) => servers.has(id), priority: 4 },
  { name: "sign-in", test: (id) => signIn.has(id), priority: 3 },
  { name: "nats", test: (id) => nats.has(id), priority: 2 },
  { name: "orders", test: (id) => orders.has(id), priority: 1 },
  { name: "later", test: () => true, priority: 0 },
]);

// `openclaw mcp-server` runs the command line. One file, for the same reason.
await writeBundle("dist/openclaw-plugin/dist/cli", { main: "src/cli/plugin-main.ts" }, "one file");

// The console's page, which the hub serves.
await build({ configFile: "console/vite.config.ts" });
