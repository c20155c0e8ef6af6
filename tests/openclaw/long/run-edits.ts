import { randomUUID } from "node:crypto";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { until } from "../../support/until.ts";
import { type GatewayChat, openChat } from "../bench/gateway-chat.ts";
import { openBench, type OpenClawBench } from "../bench/open-bench.ts";
import { installPlugin, packPlugin } from "../bench/pack-plugin.ts";
import { startWebServer } from "../bench/web-server.ts";
import { startBusyLoops } from "./busy-loops.ts";

export interface EditsOptions {
  /** Changes, one after the other: every other one is an edit of the file, the others are `/mcp connect`. */
  readonly changes: number;
  /** Processes that keep the machine busy meanwhile. */
  readonly busyLoops: number;
}

export interface EditsReport {
  /** Answers to `/mcp connect` that do not say that the server was added. */
  readonly refused: readonly string[];
  /** Servers whose tools the agent is not offered in the end. */
  readonly missing: readonly string[];
  /** Lines of the gateway's log that tell of a reload that went wrong. */
  readonly complaints: readonly string[];
  /**
   * How often the gateway took more than five seconds to put away an old copy of the plugin. A machine can be too busy for
   * it: the one call that then still runs is OpenClaw's own removal of the copied files.
   */
  readonly forcedRetirements: number;
  /** Lines that tell of a call, or of a clean-up, of the plugin itself that had not ended by then. */
  readonly leftRunning: readonly string[];
  /** How long `/mcp connect` took to answer. */
  readonly medianMs: number;
  readonly maxMs: number;
  /** From the last change until the agent is offered all tools. */
  readonly settledMs: number;
}

const settleMs = 600_000;
const complaint = /retired registry generation|config reload failed|cleanup timed out|was reloaded or/;

/** OpenClaw waits for our calls and our clean-up first, and names them if they do not end; then it removes its copy. */
const ofThePlugin =
  /still has active calls|cleanup did not settle|cleanup failed|forced retirement(?!.*: 1 still-running call\(s\), 0 retained)/;

/**
 * Changes the configured servers of a real gateway again and again. After an edit of the file it waits until the gateway
 * has taken it up: OpenClaw itself fails the commands that are on their way when its configuration changes.
 */
export async function runEdits({ changes, busyLoops }: EditsOptions): Promise<EditsReport> {
  await using web = await startWebServer();
  const tarball = await packPlugin();
  await using bench = await openBench({
    config: { plugins: { allow: ["mcp-client"], slots: { memory: "none" } } },
    async prepare(program, env) {
      await installPlugin(program, tarball, env);
      edit(env, (config) => {
        const own = { servers: { first: { url: web.url } }, maxConcurrentServers: changes + 1 };
        config.plugins.entries["mcp-client"] = { enabled: true, config: own };
      });
    },
  });
  await using chat = await openChat(bench.url, bench.token);
  const names = ["first"];
  await until(async () => (await missingOf(bench, chat, names)).length === 0, "the first server", settleMs);

  using _ = startBusyLoops(busyLoops);
  const refused: string[] = [];
  const times: number[] = [];
  for (let number = 1; number <= changes; number++) {
    const name = `s${number}`;
    names.push(name);
    if (number % 2 === 1) {
      edit(
        bench.env,
        (config) => (config.plugins.entries["mcp-client"].config.servers[name] = { url: `${web.url}?${name}` }),
      );
      await until(() => isTakenUp(bench, name), `${name} to be taken up`, settleMs);
      continue;
    }
    const begun = performance.now();
    const answer = await chat.say(`/mcp connect ${web.url}?${name} --name ${name}`).catch(String);
    times.push(performance.now() - begun);
    if (!answer.includes(`${name}__search`)) refused.push(`${name}: ${answer}`);
  }
  const begun = performance.now();
  let missing: readonly string[] = names;
  const areThere = async (): Promise<boolean> => (missing = await missingOf(bench, chat, names)).length === 0;
  await until(areThere, "all tools", settleMs).catch(() => {});
  const log = await readFile(join(bench.folder, "gateway.log"), "utf8");
  times.sort((one, other) => one - other);
  return {
    refused,
    missing,
    complaints: log.split("\n").filter((line) => complaint.test(line)),
    forcedRetirements: log.split("\n").filter((line) => line.includes("forced retirement")).length,
    leftRunning: log.split("\n").filter((line) => ofThePlugin.test(line)),
    medianMs: Math.round(times[times.length >> 1] ?? 0),
    maxMs: Math.round(times.at(-1) ?? 0),
    settledMs: Math.round(performance.now() - begun),
  };
}

async function isTakenUp({ folder }: OpenClawBench, name: string): Promise<boolean> {
  await wait(100);
  const log = await readFile(join(folder, "gateway.log"), "utf8");
  return new RegExp(`config hot reload applied \\([^)]*mcp\\.servers\\.${name}\\b`).test(log);
}

/** Which servers the model is not offered the tools of in a new chat. */
async function missingOf(
  { model }: OpenClawBench,
  chat: GatewayChat,
  names: readonly string[],
): Promise<readonly string[]> {
  await wait(500);
  // OpenClaw gives up runs that a change of its configuration overtakes.
  await chat.say("hello", `agent:main:${randomUUID()}`).catch(() => undefined);
  const offered = new Set((model.requests.at(-1)?.tools ?? []).map((tool) => tool.function.name));
  return names.filter((name) => !offered.has(`${name}__search`));
}

/** In one go, so that no write of the gateway comes between. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a configuration of another program
function edit(env: Readonly<Record<string, string>>, change: (config: any) => void): void {
  const path = env["OPENCLAW_CONFIG_PATH"] ?? "";
  const config: unknown = JSON.parse(readFileSync(path, "utf8"));
  change(config);
  writeFileSync(`${path}.new`, JSON.stringify(config, undefined, 2));
  renameSync(`${path}.new`, path);
}
