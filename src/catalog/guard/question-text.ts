import type { Caller } from "../caller.ts";
import type { Opinion } from "../opinion.ts";
import { visibleText } from "./visible-text.ts";
import type { Use } from "./use.ts";

const longestArguments = 2000;
const longestDetail = 20_000;
const longestName = 100;

/** The whole question for a person. What comes from outside is bounded and has nothing hidden in it. */
export function questionText({ what, source, args }: Use, caller: Caller, reasons: readonly Opinion[]): string {
  const lines = [
    `${callerName(caller)} wants to use ${what} of ${visibleText(source.id, longestName)}.`,
    `This is asked because ${reasons.map(({ reason }) => visibleText(reason, 500)).join(", and because ")}.`,
    `Arguments: ${visibleText(JSON.stringify(args) ?? "none", longestArguments)}`,
    ...reasons.flatMap(({ detail }) => (detail === undefined ? [] : [visibleText(detail, longestDetail)])),
  ];
  return lines.join("\n");
}

function callerName({ door, client, sender, agent, token }: Caller): string {
  const who = [
    client && `«${visibleText(client, longestName)}»`,
    sender && `sender ${visibleText(sender, longestName)}`,
    agent && `agent ${visibleText(agent, longestName)}`,
    token && `token ${visibleText(token, longestName)}`,
  ];
  return `${who.filter(Boolean).join(", ") || "Somebody"} (${door})`;
}
