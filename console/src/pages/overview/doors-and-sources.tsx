import type { HubStatus, SourceStatus } from "../../../../src/hub/control/queries/hub-status.ts";
import { callerName } from "../../../../src/catalog/caller.ts";
import { approvals, servers } from "../../hub/shared.ts";
import { Panel } from "../../parts/blocks.tsx";
import { Icon } from "../../parts/icon.tsx";
import { serverWords, StateMark } from "../../parts/state-mark.tsx";
import { Ago, countText, plural, visible } from "../../parts/words.tsx";
import { Link, pathTo } from "../../router/route.tsx";

/** Who calls, through which door, and what they reach. */
export function DoorsAndSources({ now }: { readonly now: HubStatus }) {
  return (
    <div class="flow">
      <Panel title="Doors" bare>
        <Doors now={now} />
      </Panel>
      <div class="flow-guard">
        <Icon name="right" size={20} />
        guard
      </div>
      <Panel
        title="Sources"
        aside={
          <Link class="small" to={pathTo("servers")}>
            All servers
          </Link>
        }
        bare
      >
        <Sources sources={now.sources} />
      </Panel>
    </div>
  );
}

const doorNames: Readonly<Record<string, string>> = {
  "mcp-http": "HTTP",
  "mcp-stdio": "stdio",
  plugin: "OpenClaw plugin",
  node: "OpenClaw node",
  console: "Console",
  cli: "Command line",
  "app-proxy": "Apps",
  server: "Servers",
};

function Doors({ now }: { readonly now: HubStatus }) {
  const doors = Object.entries(Object.groupBy(now.callers, ({ door }) => door));
  const known = new Set(doors.map(([door]) => door));
  return (
    <ul class="lines">
      {!known.has("mcp-http") && now.address !== undefined && (
        <li>
          <StateMark tone="ok">HTTP</StateMark>
          <span class="muted grow">{plural(now.sessions ?? 0, "open session")}, no calls yet</span>
        </li>
      )}
      {doors.map(([door, callers]) => (
        <li key={door} class="door">
          <StateMark tone="ok">
            <span class="door-name">{doorNames[door] ?? door}</span>
          </StateMark>
          <ul>
            {callers.slice(0, 6).map((caller) => (
              <li key={`${caller.token} ${caller.client}`} class="row row-wrap small">
                <Link
                  class="grow break"
                  to={`${pathTo("activity")}?caller=${encodeURIComponent(caller.client ?? caller.token ?? caller.door)}`}
                >
                  {visible(
                    caller.token === undefined && caller.client === undefined
                      ? (doorNames[caller.door] ?? caller.door)
                      : callerName(caller),
                  )}
                </Link>
                <span class="muted num">
                  {plural(caller.calls, "call")}
                  {caller.failedCalls > 0 && <>, {countText(caller.failedCalls)} failed</>}
                </span>
                <span class="muted door-when">
                  <Ago at={caller.lastCall} />
                </span>
              </li>
            ))}
            {callers.length > 6 && <li class="small muted">and {callers.length - 6} more</li>}
          </ul>
        </li>
      ))}
    </ul>
  );
}

const maxSources = 12;

function Sources({ sources }: { readonly sources: readonly SourceStatus[] }) {
  const list = servers.value ?? [];
  const others = sources.filter(({ id }) => !list.some(({ name }) => name === id));
  const held = approvals.value?.changed ?? [];
  if (list.length + others.length === 0) return <p class="panel-body muted">Nothing is connected yet.</p>;
  return (
    <ul class="lines">
      {list.slice(0, maxSources).map((server) => {
        const { tone, word } = serverWords(server);
        const back = held.filter(({ source }) => source === server.name).length;
        return (
          <li key={server.name}>
            <Link class="mono grow clip" to={pathTo("servers", server.name)}>
              {visible(server.name)}
            </Link>
            <span class="muted num small">
              {back > 0
                ? `${back} held back`
                : ["ready", "sleeping"].includes(server.state)
                  ? plural(server.tools, "tool")
                  : ""}
            </span>
            <span class="small state-cell">
              <StateMark tone={tone}>{word}</StateMark>
            </span>
          </li>
        );
      })}
      {list.length > maxSources && (
        <li>
          <Link to={pathTo("servers")}>and {list.length - maxSources} more</Link>
        </li>
      )}
      {others.map(({ id, kind, tools }) => (
        <li key={id}>
          <Link class="mono grow clip" to={`${pathTo("tools")}?source=${encodeURIComponent(id)}`}>
            {visible(id)}
          </Link>
          <span class="muted num small">{plural(tools, "tool")}</span>
          <span class="small state-cell">
            <StateMark tone="ok">{kind === id ? "ready" : kind}</StateMark>
          </span>
        </li>
      ))}
    </ul>
  );
}
