import { readFile } from "node:fs/promises";
import type { Home } from "../../core/files/home.ts";
import { hubMcpUrl } from "../../core/http/hub-routes.ts";
import { isListening } from "../../core/http/is-listening.ts";
import type { World } from "../../core/process/world.ts";
import { Secret } from "../../core/secrets/secret.ts";
import { mainTokenPath } from "../../doors/mcp/main-token.ts";
import type { ServerStatus } from "../../sources/servers/server-status.ts";
import { createRemoteControl } from "../control/remote-control.ts";
import { findRunningHub, type HubRecord } from "../hub-record.ts";
import type { Finding } from "./finding.ts";

export interface HubFacts {
  readonly running: HubRecord | undefined;
  readonly host: string;
  readonly port: number;
  readonly version: string;
}

/** Whether the hub runs, and if it doesn't, whether its port is free for it. */
export async function checkHub({ running, host, port, version }: HubFacts): Promise<Finding[]> {
  if (running === undefined) {
    const stranger = await isListening(host, port);
    return [
      { level: "info", what: "the hub does not run", fix: "clawport up" },
      stranger
        ? {
            level: "warn",
            what: `port ${port} is held by another program: the hub will take the next free one`,
            fix: `clawport up --port <port>  (who holds it: ss -ltnp 'sport = :${port}')`,
          }
        : { level: "ok", what: `port ${port} is free` },
    ];
  }
  const where = `${hubMcpUrl(running.address)} (process ${running.pid})`;
  const { hostname, port: actual } = new URL(running.address);
  if (!(await isListening(hostname.replaceAll(/[[\]]/g, ""), Number(actual))))
    return [{ level: "fail", what: `the hub at ${where} does not answer`, fix: `kill ${running.pid} && clawport up` }];
  const findings: Finding[] = [{ level: "ok", what: `the hub runs at ${where}` }];
  if (running.version !== version)
    findings.push({
      level: "warn",
      what: `the running hub is version ${running.version}, this is ${version}`,
      fix: `kill ${running.pid} && clawport up`,
    });
  return findings;
}

/** What the running hub says of its servers; nothing where none runs or it does not answer, which has its own check. */
export async function askHub(home: Home, env: World["env"]): Promise<readonly ServerStatus[]> {
  const running = await findRunningHub(home);
  // Read as it is: the way the other commands read it also mends its permissions.
  const token = await readFile(mainTokenPath({ home, env }), "utf8").catch(() => undefined);
  if (running === undefined || token === undefined) return [];
  const control = createRemoteControl({ address: running.address, token: new Secret(token.trim()) });
  try {
    return await control.servers();
  } catch {
    return [];
  } finally {
    control.close();
  }
}
