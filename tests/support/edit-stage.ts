import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "../../src/core/config/load-config.ts";
import { openHome } from "../../src/core/files/home.ts";
import { writeFileAtomic } from "../../src/core/files/write-file-atomic.ts";
import { createLiveLog } from "../../src/core/log.ts";
import { watchedConfigFile } from "../../src/hub/engine/config-source.ts";
import { type Engine, openEngine } from "../../src/hub/engine/engine.ts";
import { type FakeGateway, startFakeGateway } from "./fake-gateway.ts";
import { testSource } from "./test-source.ts";

export interface Stage extends AsyncDisposable {
  readonly engine: Engine;
  readonly gateways: readonly FakeGateway[];
  readonly lines: readonly string[];
  readonly folder: string;
  edit(config: object): Promise<void>;
  names(): Promise<readonly string[]>;
  /** The text of a tool's answer, or the status of the response if it is not 200. */
  call(name: string, args?: object): Promise<string>;
}

/** Exec approvals that allow everything. */
export const loose = { version: 1, defaults: { security: "full", ask: "off" } };

/** Everything a hub has, with a test source, programs that only say how they were called, and two gateways. */
export async function openStage(config: object): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), "edit-"));
  const home = await openHome(join(folder, "state"));
  const gateways = [await startFakeGateway(), await startFakeGateway()];
  await writeProgram(join(folder, "ffmpeg"), `printf '%s ' "$@" > ${join(folder, "ffmpeg.args")}; exit 1`);
  await writeFileAtomic(home.file("machine", "exec-approvals.json"), JSON.stringify(loose));
  const path = home.file("clawport.json5");
  await writeFile(path, JSON.stringify(config));
  const env = {
    PATH: `${folder}:${process.env["PATH"]}`,
    HOME: folder,
    PULSE_SERVER: "unix:/nowhere",
    OPENCLAW_GATEWAY_URL: gateways[0]!.url,
    OPENCLAW_GATEWAY_TOKEN: "gateway-token",
  };
  const lines: string[] = [];
  const log = createLiveLog({ level: "info", format: "human", write: (line) => lines.push(line) });
  const loaded = await loadConfig({ path, env });
  const configuration = { config: loaded.config, file: { ...loaded, location: "state-folder" as const } };
  const engine = await openEngine({
    home,
    configuration: watchedConfigFile({ home, configuration, env, log }),
    env,
    homedir: folder,
    log,
    version: "1.2.3",
    sources: {
      given: [testSource({ id: "notes", tools: ["add"] })],
      servers: { start: "at-once" },
      machine: "as-configured",
    },
    doors: { http: { port: 0 }, gatewayNode: "as-configured" },
    runsScripts: true,
  });
  const token = (await readFile(engine.http!.tokenPath, "utf8")).trim();
  const ask = async (method: string, params: object) => {
    const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const response = await fetch(`${engine.http!.address}/mcp`, { method: "POST", headers, body });
    const { result } = (await response.json()) as { result?: Answer };
    return result ?? { tools: [], content: [{ text: String(response.status) }] };
  };
  return {
    engine,
    gateways,
    lines,
    folder,
    edit: (edited) => writeFile(path, JSON.stringify(edited)),
    names: async () => (await ask("tools/list", {})).tools.map(({ name }) => name),
    call: async (name, args = {}) => (await ask("tools/call", { name, arguments: args })).content[0]?.text ?? "",
    async [Symbol.asyncDispose]() {
      await engine.close();
      for (const gateway of gateways) await gateway[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface Answer {
  readonly tools: readonly { readonly name: string }[];
  readonly content: readonly { readonly text: string }[];
}

async function writeProgram(path: string, script: string): Promise<void> {
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
}
