import { execFileSync } from "node:child_process";
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { type InputOptions, rolldown } from "rolldown";
import { build } from "vite";
import manifest from "../package.json" with { type: "json" };
import { keepExportedDeclarations } from "./exported-declarations.ts";
import { leanBuiltins } from "./lean-builtins.ts";

/** Which modules are put into one file. */
interface Group {
  readonly name: string;
  readonly test: RegExp | ((id: string) => boolean);
  readonly priority: number;
}

const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc");

rmSync("dist", { recursive: true, force: true });
// The library, module by module, with its types. `npm run check` has checked them.
execFileSync(process.execPath, [tsc, "-p", "tsconfig.build.json", "--noCheck"], { stdio: "inherit" });
keepExportedDeclarations();

// The command line in few files: every module loaded costs start-up time, and a command needs dozens of them.
rmSync("dist/cli", { recursive: true, force: true });
// The keychain's library is native code in a package per system, and may be missing.
const external = [/^node:/, "@napi-rs/keyring"];
/** Syntax that the oldest supported Node does not know, such as `await using`, is compiled away: `>=22.19` is `node22.19`. */
const target = manifest.engines.node.replace(">=", "node");
const common: InputOptions = { platform: "node", external, logLevel: "silent", transform: { target } };

/** What is loaded before a client of `mcp-server` has its first answer, and what its first order needs: a file each. */
const start = await modulesOf(["src/cli/start.ts", "src/cli/commands/mcp-server.ts"]);
const engine = await modulesOf(["src/hub/order-engine.ts"]);
/** What a client of `serve --stdio` waits for before it has its first list. Most other commands need it, too. */
const serve = await modulesOf([
  "src/cli/commands/serve.ts",
  "src/core/files/home.ts",
  "src/core/config/parse-config.ts",
  "src/hub/open-serving.ts",
  "src/hub/engine/open-servers.ts",
  "src/doors/mcp/stdio-door.ts",
]);
/** What a client waits for that begins as it did before. */
const opening = await modulesOf([
  "src/cli/commands/serve.ts",
  "src/hub/open-home.ts",
  "src/doors/mcp/opening/answer-opening.ts",
  "src/doors/mcp/opening/digest-variables.ts",
]);
const link = await modulesOf(["src/sources/servers/connection/link.ts"]);

await writeBundle("dist/cli", { main: "src/cli/main.ts" }, [
  // `--version` needs this one and nothing else.
  { name: "version", test: /\/src\/core\/version\.ts$/, priority: 6 },
  { name: "start", test: (id) => start.has(id), priority: 5 },
  { name: "opening", test: (id) => opening.has(id), priority: 4 },
  { name: "engine", test: (id) => engine.has(id), priority: 3 },
  { name: "serve", test: (id) => serve.has(id), priority: 2 },
  // What the first call to a stdio server needs besides.
  { name: "link", test: (id) => link.has(id), priority: 1 },
]);
for (const file of readdirSync("dist/cli")) writeAsAscii(`dist/cli/${file}`);
chmodSync("dist/cli/main.js", 0o755);

// OpenClaw's plugin: the entry is loaded by every OpenClaw command, the engine only by the gateway's service.
rmSync("dist/plugin", { recursive: true, force: true });
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
await writeBundle("dist/plugin", { index: "src/plugin/index.ts" }, [
  { name: "entry", test: (id) => plugin.has(id), priority: 2 },
  { name: "running", test: (id) => running.has(id), priority: 1 },
]);

// The console's page, which the hub serves.
await build({ configFile: "console/vite.config.ts" });

async function writeBundle(dir: string, input: Record<string, string>, groups: Group[]): Promise<void> {
  const bundle = await rolldown({ ...common, input });
  await bundle.write({
    dir,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js",
    plugins: [leanBuiltins()],
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
    codeSplitting: { groups },
  });
  await bundle.close();
}

/** One character beyond Latin-1 makes V8 keep a whole file with two bytes a character, which it reads more slowly. */
function writeAsAscii(path: string): void {
  const code = readFileSync(path, "utf8");
  const escape = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  writeFileSync(path, code.replaceAll(/[\x80-\uffff]/g, escape));
}

/** Everything that is loaded with these modules, without what they load later. */
async function modulesOf(input: string[]): Promise<ReadonlySet<string>> {
  const probe = await rolldown({ ...common, input });
  const { output } = await probe.generate({ format: "esm" });
  await probe.close();
  const files = output.filter((file) => file.type === "chunk");
  const byName = new Map(files.map((file) => [file.fileName, file]));
  const seen = new Set<string>();
  const visit = (name: string): void => {
    if (seen.has(name)) return;
    seen.add(name);
    for (const imported of byName.get(name)?.imports ?? []) visit(imported);
  };
  for (const file of files) if (file.isEntry) visit(file.fileName);
  return new Set([...seen].flatMap((name) => byName.get(name)?.moduleIds ?? []));
}
