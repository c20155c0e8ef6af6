import { hubMcpUrl } from "../../core/http/hub-routes.ts";
import { countText } from "../../core/text/count-text.ts";
import { isListening } from "../../core/http/is-listening.ts";
import { holderOf } from "../../core/http/port-holder.ts";
import { quoted } from "../../core/text/peer-text.ts";
import type { RefusedTokenCounts } from "../../doors/mcp/refused-tokens.ts";
import type { HubStatus } from "../control/queries/hub-status.ts";
import { auditLossText } from "../../catalog/audit/call-words.ts";
import type { HubRecord } from "../state/hub-record.ts";
import type { DoctorFinding } from "./finding.ts";

export interface HubFacts {
  readonly running: HubRecord | undefined;
  readonly host: string;
  readonly port: number;
  readonly version: string;
  readonly status?: HubAnswer | undefined;
}

/** The status of a running hub, or that it did not give one in time. Undefined if none runs, or if it can't be asked. */
export type HubAnswer = Pick<HubStatus, "refusedTokens" | "auditLoss"> | "silent";

/** Whether the hub runs; if not, whether its port is free. */
export async function checkHub({ running, host, port, version, status }: HubFacts): Promise<DoctorFinding[]> {
  if (running === undefined) {
    const isTaken = await isListening(host, port);
    return [
      { level: "info", what: "the hub is not running", fix: "clawport up" },
      isTaken
        ? {
            level: "warn",
            what: `port ${port} is used by ${holderOf(port)}: the hub will use the next free one`,
            fix: `clawport up --port <port>  (see what uses it: ss -ltnp 'sport = :${port}')`,
          }
        : { level: "ok", what: `port ${port} is free` },
    ];
  }
  const where = `${hubMcpUrl(running.address)} (process ${running.pid})`;
  const { hostname, port: actual } = new URL(running.address);
  if (!(await isListening(hostname.replaceAll(/[[\]]/g, ""), Number(actual))))
    return [{ level: "fail", what: `the hub at ${where} does not respond`, fix: `kill ${running.pid} && clawport up` }];
  if (status === "silent") {
    // A process that hangs does not heed a signal that asks it to end.
    const fix = running.host === "openclaw" ? "openclaw gateway restart" : `kill -9 ${running.pid} && clawport up`;
    return [{ level: "fail", what: `the hub at ${where} does not answer`, fix }];
  }
  const findings: DoctorFinding[] = [
    { level: "ok", what: `the hub runs at ${where}` },
    ...checkRefused(status?.refusedTokens),
    ...checkAudit(status?.auditLoss),
  ];
  if (running.version !== version)
    findings.push({
      level: "warn",
      what: `the running hub is version ${running.version}, this is ${version}`,
      fix: `kill ${running.pid} && clawport up`,
    });
  return findings;
}

function checkAudit(loss: HubStatus["auditLoss"]): DoctorFinding[] {
  const what = loss && auditLossText(loss);
  if (what === undefined) return [];
  return [{ level: loss?.isFailing ? "fail" : "warn", what, fix: "df -h  (free some space, then see: clawport logs)" }];
}

/** A client that has a valid token since must not be complained about for as long as the hub runs. */
const recentMs = 10 * 60_000;

export function checkRefused(refused: RefusedTokenCounts | undefined, now = Date.now()): DoctorFinding[] {
  if (refused === undefined || refused.wrong === 0) return [];
  const { wrong, last } = refused;
  const who = last?.userAgent === undefined ? "" : `, the last by ${quoted(last.userAgent, 120)}`;
  const what = `the hub has refused ${countText(wrong, "request")} with a wrong token since it started${who}`;
  if (last !== undefined && now - Date.parse(last.at) > recentMs) return [{ level: "info", what }];
  return [{ level: "warn", what, fix: "clawport clients  (give that client a valid token)" }];
}
