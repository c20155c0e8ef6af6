import { countText } from "../../core/count-text.ts";
import { isFault } from "../../core/fault.ts";
import { hubMcpUrl } from "../../core/http/hub-routes.ts";
import { sanitizeLine } from "../../core/peer-text.ts";
import type { CallerStatus, HubStatus } from "../control/hub-control.ts";
import { auditLossText } from "../control/insight/find-attention.ts";
import type { Attention } from "../control/insight/insight-control.ts";
import { spanText } from "./server-text.ts";
import { runStatus } from "./servers.ts";
import type { VerbContext, VerbResult } from "./verb.ts";

/** `status` without a server: the hub first, then each server. */
export async function runHubStatus(context: VerbContext, isHub: boolean): Promise<VerbResult> {
  const hub = isHub ? await context.control.status.read() : null;
  const { status, agent } = context.control;
  const attention = isHub ? await ifKnown(status.attention()) : undefined;
  const servers = await runStatus(context);
  const rows = hub === null ? noHubRows(context) : hubRows(hub, context.now());
  const lines = rows.flatMap(([title, value]) => (value === undefined ? [] : [`  ${title.padEnd(16)}${value}`]));
  const needs = (attention ?? []).map((each) => `  ${needText(each, context.prefix)}`);
  const parts = [
    [context.heading?.("Hub") ?? "Hub", ...lines].join("\n"),
    ...(needs.length === 0 ? [] : [[context.heading?.("Needs you") ?? "Needs you", ...needs].join("\n")]),
    servers.text,
  ];
  const more = isHub && { attention, series: await ifKnown(status.series(60)), agent: await ifKnown(agent.read()) };
  return { ok: true, data: { hub, ...more, ...(servers.data as object) }, text: parts.join("\n\n") };
}

/** Undefined from a hub that was started before an update, and does not know the question yet. */
async function ifKnown<T>(asked: Promise<T>): Promise<T | undefined> {
  return asked.catch((error: unknown) => {
    if (isFault(error, "not-found")) return undefined;
    throw error;
  });
}

/** What needs the user, with the command that shows or settles it. The message about a pairing has its own. */
function needText({ kind, subject, message }: Attention, prefix: string): string {
  const commands: Readonly<Record<Attention["kind"], string | undefined>> = {
    approval: `approve ${subject}`,
    "sign-in": `auth ${subject}`,
    "server-down": `logs ${subject}`,
    pin: "pins",
    refused: "approvals",
    audit: "doctor",
    pairing: undefined,
  };
  const command = commands[kind];
  return sanitizeLine(message) + (command === undefined ? "" : ` (run \`${prefix} ${sanitizeLine(command)}\`)`);
}

type Rows = readonly (readonly [title: string, value: string | undefined])[];

function noHubRows({ prefix }: VerbContext): Rows {
  return [["Status", `Not running (run \`${prefix} up\`)`]];
}

function hubRows(hub: HubStatus, now: number): Rows {
  const { address, appsAddress, version, pid, uptimeMs, calls, failedCalls, sessions, refusedTokens } = hub;
  const failed = failedCalls === 0 ? "" : ` (${failedCalls} failed)`;
  return [
    ["Address", address === undefined ? undefined : hubMcpUrl(address)],
    ["Apps", appsAddress],
    ["Running", `for ${spanText(uptimeMs)} (PID ${pid}, version ${version})`],
    ["Recording", hub.recording === undefined ? undefined : recordingText(hub.recording, now)],
    ["Sessions", sessions === undefined ? undefined : String(sessions)],
    ["Callers", callersText(hub.callers, now)],
    ["Surfaces", hub.surfaces === undefined || hub.surfaces.length === 0 ? undefined : surfacesText(hub.surfaces)],
    ["Calls", `${calls}${failed}`],
    ["Audit", hub.auditLoss && auditLossText(hub.auditLoss)],
    ["Refused tokens", refusedTokens === undefined ? undefined : refusedText(refusedTokens, now)],
  ];
}

/** What is being recorded, since when and for whom. */
export function recordingText(recording: NonNullable<HubStatus["recording"]>, now: number): string {
  return recording
    .map(({ what, since, caller }) => `${what}, for ${spanText(now - Date.parse(since))}, by ${sanitizeLine(caller)}`)
    .join("; ");
}

const mostShown = 5;
/** The next line, in the column of the values. */
const belowEachOther = `\n${" ".repeat(18)}`;

function callersText(callers: readonly CallerStatus[], now: number): string {
  if (callers.length === 0) return "none yet";
  const rest = callers.length - mostShown;
  const shown = callers.slice(0, mostShown).map(({ door, token, client, calls, lastCall }) => {
    const names = [door, token, client].flatMap((name) => (name === undefined ? [] : sanitizeLine(name.slice(0, 60))));
    return `${names.join("/")} (${countText(calls, "call")}, ${spanText(now - Date.parse(lastCall))} ago)`;
  });
  return [...shown, ...(rest > 0 ? [`${rest} more`] : [])].join(belowEachOther);
}

function surfacesText(surfaces: NonNullable<HubStatus["surfaces"]>): string {
  const shown = surfaces.slice(0, mostShown).map(({ caller, client, surface, why }) => {
    const names = [caller, client].flatMap((name) => (name === undefined ? [] : sanitizeLine(name.slice(0, 60))));
    return `${names.join("/")} ${surface} (${sanitizeLine(why)})`;
  });
  const rest = surfaces.length - mostShown;
  return [...shown, ...(rest > 0 ? [`${rest} more`] : [])].join(belowEachOther);
}

function refusedText({ wrong, missing, last }: NonNullable<HubStatus["refusedTokens"]>, now: number): string {
  if (wrong + missing === 0) return "none";
  const who = last?.userAgent === undefined ? "" : `by ${sanitizeLine(last.userAgent.slice(0, 60))}, `;
  const latest = last === undefined ? "" : ` (last wrong one: ${who}${spanText(now - Date.parse(last.at))} ago)`;
  return `${wrong} wrong, ${missing} missing${latest}`;
}
