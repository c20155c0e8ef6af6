import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readAudit } from "../../src/catalog/audit/read-audit.ts";
import { sleep } from "../../src/core/wait.ts";
import { metaKeys } from "../../src/mcp/messages/envelope.ts";
import { makePlace, type Place, type RunningHub, startHub } from "../support/cli/run-clawport.ts";
import { until } from "../support/until.ts";
import { program } from "../setup/programs.ts";

export interface KillsOptions {
  readonly kills: number;
  readonly clients: number;
  /** What the audit is configured with in each life of the hub. */
  readonly audit: (life: number) => object;
  /** How many calls are answered before the hub is killed, at a random moment of the next 40 ms. */
  readonly answersPerLife: number;
}

export interface KillsReport {
  readonly kills: number;
  readonly executions: number;
  readonly executedTwice: number;
  readonly executedWithoutLine: number;
  readonly answered: number;
  readonly answeredWithoutLine: number;
  readonly lines: number;
  readonly callsWithTwoLines: number;
  readonly processesLeft: number;
}

const serverFile = program("tests/guard/counting-server.ts");

/**
 * Kills a hub with SIGKILL again and again while clients call a tool of a real server through it. Each call names itself
 * as the client, so that its audit line can be told from all others.
 */
export async function runKills(
  options: KillsOptions,
  onEnd?: (place: Place) => Promise<unknown>,
): Promise<KillsReport> {
  await using place = await makePlace();
  const executionsFile = join(place.folder, "executions");
  const answered = new Set<string>();
  const clients: Promise<void>[] = [];
  let hub: RunningHub | undefined;
  let isOver = false;

  async function runClient(name: string): Promise<void> {
    for (let count = 0; !isOver; count++) {
      const target = hub;
      const id = `${name}-${count}`;
      const wasAnswered = target !== undefined && (await callCount(target, id).catch(() => false));
      if (wasAnswered) answered.add(id);
      else await sleep(5);
    }
  }

  try {
    for (let life = 0; life < options.kills; life++) {
      const servers = { counting: { command: process.execPath, args: [serverFile, executionsFile] } };
      await mkdir(place.home, { recursive: true });
      const config = { servers, audit: options.audit(life) };
      await writeFile(join(place.home, "clawport.json5"), JSON.stringify(config));
      hub = await startHub(place, "--port", "0");
      const enough = answered.size + options.answersPerLife;
      if (life === 0) for (let index = 0; index < options.clients; index++) clients.push(runClient(`client${index}`));
      await until(() => answered.size >= enough, "answers of the hub", 60_000);
      await sleep(Math.random() * 40);
      hub.child.kill("SIGKILL");
      await hub.ended;
    }
  } finally {
    isOver = true;
    hub?.child.kill("SIGKILL");
    await Promise.all(clients);
  }

  await until(async () => (await processesWith(executionsFile)) === 0, "the servers to end").catch(() => {});
  // The next start writes the lines of calls that were under way.
  const last = await startHub(place, "--port", "0");
  last.child.kill("SIGTERM");
  await last.ended;
  const executions = (await readFile(executionsFile, "utf8")).split("\n").filter(Boolean);
  const audited = new Set<string>();
  let lines = 0;
  for await (const { client, tool } of readAudit({ file: join(place.home, "audit", "calls.jsonl") })) {
    if (tool !== "counting__count" && tool !== "count") continue;
    lines++;
    if (client !== undefined) audited.add(client);
  }
  await onEnd?.(place);
  return {
    kills: options.kills,
    executions: executions.length,
    executedTwice: executions.length - new Set(executions).size,
    executedWithoutLine: executions.filter((id) => !audited.has(id)).length,
    answered: answered.size,
    answeredWithoutLine: [...answered].filter((id) => !audited.has(id)).length,
    lines,
    callsWithTwoLines: lines - audited.size,
    processesLeft: await processesWith(executionsFile),
  };
}

/** Whether the call was answered with a result. Throws if the connection was lost, or no hub listens. */
async function callCount({ ready }: RunningHub, id: string): Promise<boolean> {
  const token = (tokens[ready.tokenPath] ??= (await readFile(ready.tokenPath, "utf8")).trim());
  const meta = {
    [metaKeys.protocolVersion]: "2026-07-28",
    [metaKeys.clientInfo]: { name: id, version: "1" },
    [metaKeys.clientCapabilities]: {},
  };
  const params = { name: "counting__count", arguments: { id }, _meta: meta };
  const response = await fetch(ready.url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${token}`,
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "counting__count",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params }),
  });
  const text = await response.text();
  return text.includes('"content"');
}

const tokens: Record<string, string> = {};

/** How many processes have this word on their command line. */
async function processesWith(word: string): Promise<number> {
  const pids = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")));
  return lines.filter((line) => line.split("\0").includes(word)).length;
}
