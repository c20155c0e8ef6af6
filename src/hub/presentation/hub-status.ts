import { callerName } from "../../catalog/caller.ts";
import { countText } from "../../core/text/count-text.ts";
import { isFault } from "../../core/fault.ts";
import { hubMcpUrl } from "../../core/http/hub-routes.ts";
import { sanitizeLine } from "../../core/text/peer-text.ts";
import type { CallerStatus, HubStatus } from "../control/queries/hub-status.ts";
import { auditLossText } from "../../catalog/audit/call-words.ts";
import type { Attention } from "../control/queries/find-attention.ts";
import { spanText } from "../../core/text/span-text.ts";
import { runStatus } from "./servers.ts";
import type { PresentationContext, Presented } from "./presentation.ts";

/** `status` without a server: the hub first, then each server. */
export async function runHubStatus(context: PresentationContext, isHub: boolean): Promise<Presented> {
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
  const more = isHub && {
    attention,
    series: await ifKnown(status.series({ minutes: 60 })),
    agent: await ifKnown(agent.read()),
  };
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
function needText({ kind, subject, message, remedy }: Attention, prefix: string): string {
  const commands: Readonly<Record<Attention["kind"], string | undefined>> = {
    approval: `approve ${subject}`,
    "sign-in": `auth ${subject}`,
    "server-down": `logs ${subject}`,
    pin: "pins",
    refused: "approvals",
    audit: "doctor",
    pairing: undefined,
  };
  const command = remedy ?? commands[kind];
  // Why is below, with the server.
  const what = kind === "server-down" ? `${subject} has a problem, see below` : message;
  return sanitizeLine(what) + (command === undefined ? "" : ` (run \`${prefix} ${sanitizeLine(command)}\`)`);
}

type Rows = readonly (readonly [title: string, value: string | undefined])[];

function noHubRows({ prefix }: PresentationContext): Rows {
  return [["Status", `Not running (run \`${prefix} up\`)`]];
}

function hubRows(hub: HubStatus, now: number): Rows {
  const { address, appsAddress, version, pid, uptimeMs, calls, failedCalls, refusedCalls, sessions } = hub;
  const { refusedTokens } = hub;
  const others = [failedCalls > 0 && `${failedCalls} failed`, refusedCalls > 0 && `${refusedCalls} refused`];
  const more = others.filter((each) => each !== false).join(", ");
  return [
    ["Address", address === undefined ? undefined : hubMcpUrl(address)],
    ["Apps", appsAddress],
    ["Running", `for ${spanText(uptimeMs)} (PID ${pid}, version ${version})`],
    ["Recording", hub.recording === undefined ? undefined : recordingText(hub.recording, now)],
    ["Sessions", sessions === undefined ? undefined : String(sessions)],
    ["Callers", callersText(hub.callers, now)],
    ["Surfaces", hub.surfaces === undefined || hub.surfaces.length === 0 ? undefined : surfacesText(hub.surfaces)],
    ["Calls", `${calls}${more === "" ? "" : ` (${more})`}`],
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

const maxShown = 5;
/** The next line, in the column of the values. */
const belowEachOther = `\n${" ".repeat(18)}`;

function callersText(callers: readonly CallerStatus[], now: number): string {
  if (callers.length === 0) return "none yet";
  const rest = callers.length - maxShown;
  const shown = callers.slice(0, maxShown).map((caller) => {
    const ago = spanText(now - Date.parse(caller.lastCall));
    return `${sanitizeLine(callerName(caller).slice(0, 120))}, ${countText(caller.calls, "call")}, ${ago} ago`;
  });
  return [...shown, ...(rest > 0 ? [`${rest} more`] : [])].join(belowEachOther);
}

function surfacesText(surfaces: NonNullable<HubStatus["surfaces"]>): string {
  const shown = surfaces.slice(0, maxShown).map(({ caller, client, surface, why }) => {
    const names = [caller, client].flatMap((name) => (name === undefined ? [] : sanitizeLine(name.slice(0, 60))));
    return `${names.join("/")} ${surface} (${sanitizeLine(why)})`;
  });
  const rest = surfaces.length - maxShown;
  return [...shown, ...(rest > 0 ? [`${rest} more`] : [])].join(belowEachOther);
}

function refusedText({ wrong, missing, last }: NonNullable<HubStatus["refusedTokens"]>, now: number): string {
  if (wrong + missing === 0) return "none";
  const who = last?.userAgent === undefined ? "" : `by ${sanitizeLine(last.userAgent.slice(0, 60))}, `;
  const latest = last === undefined ? "" : ` (last wrong one: ${who}${spanText(now - Date.parse(last.at))} ago)`;
  return `${wrong} wrong, ${missing} missing${latest}`;
}
