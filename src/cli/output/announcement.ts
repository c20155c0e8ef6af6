import { countText } from "../../core/text/count-text.ts";
import { hubMcpUrl } from "../../core/http/hub-routes.ts";
import { sanitizeLine } from "../../core/text/peer-text.ts";
import type { Style } from "./style.ts";

export interface AnnouncementFacts {
  readonly url: string;
  readonly port: number;
  readonly wantedPort: number;
  /** Who holds the wanted port, if the hub uses another one. */
  readonly holder?: string | undefined;
  readonly tokenPath: string;
  readonly remoteNames: readonly string[];
  readonly version: string;
  /** Where apps connect, if the hub is their proxy too. */
  readonly apps?: string | undefined;
  readonly sources: readonly AnnouncedSource[];
  /** How the user starts this program: `clawport`, or `npx clawport` in a checkout. */
  readonly program: string;
}

/** A source of tools, or a configured server that is not one yet. */
export interface AnnouncedSource {
  readonly id: string;
  readonly tools: number;
  /** What keeps it from being used, in a few words; undefined if nothing does. */
  readonly problem?: string | undefined;
}

/** More would scroll the address off the screen; `clawport servers` shows them all. */
const maxShown = 8;

/** What `clawport up` prints once the hub is ready, in at most twelve lines on a hub that serves only this machine. */
export function renderAnnouncement(facts: AnnouncementFacts, style: Style): string {
  const { url, port, wantedPort, tokenPath, version, remoteNames, program, sources } = facts;
  const row = (name: string, value: string): string => `  ${style.dim(name.padEnd(9))}${value}`;
  const troubled = sources.filter(({ problem }) => problem !== undefined);
  const hasServers = sources.some(({ id }) => id !== "agent");
  return [
    style.bold(`Clawport ${version} is ready.`),
    "",
    row("MCP", style.cyan(url)),
    row("token", tokenPath),
    ...(facts.apps === undefined ? [] : [row("apps", style.cyan(facts.apps))]),
    row("tools", sourcesText(sources, style)),
    ...(wantedPort !== 0 && port !== wantedPort
      ? [
          row(
            "port",
            style.yellow(`${wantedPort} is in use by ${facts.holder ?? "another program"}, so the hub uses ${port}`),
          ),
        ]
      : []),
    "",
    ...(troubled.length > 0 ? [`See why with \`${program} doctor\`.`] : []),
    ...(hasServers ? [] : [`Add servers:      ${program} import, or ${program} connect <address or command>`]),
    `Connect a client: ${program} install claude-code (others: ${program} clients)`,
    `In your browser:  ${program} console. Ctrl-C stops the hub.`,
    ...(remoteNames.length === 0
      ? []
      : [
          style.yellow("Other machines can connect, unencrypted, and call every tool if they have a token. They use"),
          ...remoteNames.map((name) => `  ${hubMcpUrl(`http://${name}:${port}`)}`),
        ]),
  ].join("\n");
}

/** Those that need attention come first: they must not be the ones left out. */
function sourcesText(sources: readonly AnnouncedSource[], style: Style): string {
  if (sources.length === 0) return "none yet";
  const ordered = sources.toSorted((a, b) => Number(b.problem !== undefined) - Number(a.problem !== undefined));
  const shown = ordered.slice(0, maxShown).map(({ id, tools, problem }) => {
    const name = sanitizeLine(id);
    return problem === undefined ? `${name} (${countText(tools, "tool")})` : style.yellow(`${name} (${problem})`);
  });
  const left = sources.length - shown.length;
  return [...shown, ...(left > 0 ? [`and ${left} more`] : [])].join(", ");
}
