import { hubMcpUrl } from "../../core/http/hub-routes.ts";
import { sanitizeLine } from "../../core/peer-text.ts";
import { clientBlocks, exportTokenLine } from "./client-blocks.ts";
import type { Style } from "./style.ts";

export interface AnnouncementFacts {
  readonly url: string;
  readonly port: number;
  readonly wantedPort: number;
  readonly tokenPath: string;
  readonly remoteNames: readonly string[];
  readonly version: string;
  /** Where apps connect, if the hub is their proxy too. */
  readonly apps?: string | undefined;
  /** Configured servers that are not among the sources. */
  readonly missing: readonly string[];
  readonly sources: readonly { readonly id: string; readonly kind: string; readonly tools: number }[];
}

/** What `clawport up` prints once the hub is ready: its address, its token, and what to paste into which client. */
export function renderAnnouncement(facts: AnnouncementFacts, style: Style): string {
  const { url, port, wantedPort, tokenPath, version } = facts;
  const row = (name: string, value: string): string => `  ${style.dim(name.padEnd(8))}${value}`;
  const head = [
    style.bold(`Clawport ${version} is ready.`),
    "",
    row("MCP", style.cyan(url)),
    row("token", tokenPath),
    ...(facts.apps === undefined ? [] : [row("apps", style.cyan(facts.apps))]),
    row("sources", sourcesText(facts.sources)),
  ];
  if (facts.missing.length > 0)
    head.push(
      "",
      style.yellow(`Configured but not running: ${facts.missing.join(", ")}. Run \`clawport doctor\` to see why.`),
    );
  if (wantedPort !== 0 && port !== wantedPort)
    head.push("", style.yellow(`Port ${wantedPort} is in use by another program, so the hub uses port ${port}.`));
  if (facts.remoteNames.length > 0)
    head.push(
      "",
      style.yellow("Other machines can connect, unencrypted, and call every tool if they have a token. They use"),
      ...facts.remoteNames.map((name) => `  ${hubMcpUrl(`http://${name}:${port}`)}`),
    );
  const blocks = clientBlocks({ url, tokenPath }).map(({ client, file, text }) =>
    [style.bold(file === undefined ? client : `${client}: ${file}`), indented(text)].join("\n"),
  );
  return [
    ...head,
    "",
    style.dim("Paste one of these. For those with CLAWPORT_TOKEN, first add this line to your shell's start-up file:"),
    indented(exportTokenLine(tokenPath)),
    "",
    blocks.join("\n\n"),
    "",
    "Ctrl-C stops the hub.",
  ].join("\n");
}

function sourcesText(sources: AnnouncementFacts["sources"]): string {
  if (sources.length === 0) return "none yet";
  return sources.map(({ id, tools }) => `${sanitizeLine(id)} (${toolsText(tools)})`).join(", ");
}

/** A server without tools may still be starting: the announcement does not wait for slow ones. */
function toolsText(tools: number): string {
  if (tools === 0) return "no tools yet";
  return tools === 1 ? "1 tool" : `${tools} tools`;
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, "  ");
}
