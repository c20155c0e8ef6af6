import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import type { OpenClawApi, OpenClawConfig, OpenClawService } from "../src/plugin/openclaw-api.ts";

/**
 * What the built plugin costs OpenClaw's gateway: CPU time of `register` and of the service's start, and memory once the
 * servers are idle. Run it after `npm run build`, on a quiet machine: `node --expose-gc scripts/measure-plugin.ts [servers]`.
 */
const count = Number(process.argv[2] ?? 20);
const folder = mkdtempSync(join(tmpdir(), "measure-plugin-"));
const server = resolve("tests/servers/fixtures/tiny-stdio.sh");
const servers = Object.fromEntries(
  Array.from({ length: count }, (_, index) => [
    `s${index}`,
    { command: "sh", args: [server], share: false, env: { NUMBER: String(index) } },
  ]),
);
const config: OpenClawConfig = {
  plugins: { entries: { "mcp-client": { enabled: true, config: { hub: { port: 0 }, servers } } } },
};
const logger = { info: () => {}, warn: () => {}, error: console.error };
const services: OpenClawService[] = [];
const nothing = (): void => {};
const api: OpenClawApi = {
  rootDir: folder,
  config,
  logger,
  runtime: { config: { current: () => config, mutateConfigFile: async ({ mutate }) => mutate(config) } },
  registerService: (service) => void services.push(service),
  registerCommand: nothing,
  registerTool: nothing,
  registerReload: nothing,
  registerCli: nothing,
  registerTrustedToolPolicy: nothing,
  registerAgentToolResultMiddleware: nothing,
  on: nothing,
};

const bare = process.memoryUsage().rss;
const before = process.cpuUsage();
const milliseconds = (): string => {
  const { user, system } = process.cpuUsage(before);
  return ((user + system) / 1000).toFixed(0);
};
const entry = pathToFileURL(resolve("dist/openclaw-plugin/dist/plugin/index.js")).href;
const { default: plugin } = (await import(entry)) as { default: { register(api: OpenClawApi): void } };
plugin.register(api);
console.log(`register: ${milliseconds()} ms of CPU`);
await services[0]?.start({ config, stateDir: folder, logger });
console.log(`register and start: ${milliseconds()} ms of CPU`);
await wait(10_000);
globalThis.gc?.();
console.log(
  `${count} idle servers: ${((process.memoryUsage().rss - bare) / 2 ** 20).toFixed(0)} MB more than at the start`,
);
process.emit("SIGTERM");
await services[0]?.stop();
rmSync(folder, { recursive: true, force: true });
