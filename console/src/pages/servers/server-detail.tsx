import { protocolText } from "../../../../src/core/server-states.ts";
import type { ServerStatus } from "../../../../src/sources/servers/server-status.ts";
import { act } from "../../hub/act.ts";
import { hub } from "../../hub/control.ts";
import { slowly, useLive } from "../../hub/live.ts";
import { approvals, servers } from "../../hub/shared.ts";
import { BackTo, Code, Panel } from "../../parts/blocks.tsx";
import { Loaded } from "../../parts/states.tsx";
import { Button, Confirmed } from "../../parts/button.tsx";
import { Hints } from "../../parts/hints.tsx";
import { serverWords, StateMark } from "../../parts/state-mark.tsx";
import { Ago, plural, visible } from "../../parts/words.tsx";
import { Link, navigate, pathTo } from "../../router/route.tsx";
import { SignIn } from "./sign-in.tsx";
import { Prose } from "../../parts/prose.tsx";

/** One server: its state in words, what to do about it, its tools and its log. */
export function ServerDetail({ server }: { readonly server: ServerStatus }) {
  const { tone, word } = serverWords(server);
  const isOff = server.state === "disabled";
  const needsSignIn = server.state === "needs-sign-in";
  const why = needsSignIn ? undefined : (server.reason ?? (server.state === "ready" ? undefined : server.lastError));
  const held = (approvals.value?.changed ?? []).filter(({ source }) => source === server.name);
  return (
    <div class="stack">
      <div>
        <BackTo to={pathTo("servers")}>Servers</BackTo>
        <div class="row row-wrap">
          <h2 class="title mono break">{visible(server.name)}</h2>
          <StateMark tone={tone}>{word}</StateMark>
        </div>
        {why !== undefined && (
          <p class={`break ${tone === "bad" ? "bad" : "muted"}`}>
            <Prose text={why} />
          </p>
        )}
      </div>
      {(needsSignIn || (server.auth === "OAuth" && server.state !== "needs-key")) && <SignIn server={server} />}
      {held.length > 0 && (
        <div class="hint-box row row-wrap">
          <span class="grow">
            {plural(held.length, "definition")} changed and {held.length === 1 ? "is" : "are"} held back until you
            approve.
          </span>
          <Link class="button" to={pathTo("approvals", "changed", held[0]?.name ?? "")}>
            See diff
          </Link>
        </div>
      )}
      <Actions server={server} isOff={isOff} />
      <Facts server={server} />
      {!isOff && <ToolsOf server={server} />}
      {!isOff && server.address.startsWith("stdio:") && <Log server={server} />}
    </div>
  );
}

function Actions({ server, isOff }: { readonly server: ServerStatus; readonly isOff: boolean }) {
  const { name } = server;
  const isOpen = server.state === "ready" || server.state === "degraded";
  const done = (text: string) => async (what: () => Promise<unknown>) => {
    await act(what, text);
    servers.reload();
  };
  return (
    <div class="row row-wrap">
      {!isOff && (
        <Button
          icon="reload"
          onClick={() =>
            done(`${name} is connected.`)(async () => {
              if (isOpen) await hub.servers.disconnect({ name });
              await hub.servers.connect({ name });
            })
          }
        >
          {isOpen ? "Reconnect" : "Connect"}
        </Button>
      )}
      {isOpen && (
        <Button onClick={() => done(`The lists of ${name} are fresh.`)(() => hub.servers.refresh({ name }))}>
          Refresh lists
        </Button>
      )}
      <Button
        onClick={() => done(`${name} is ${isOff ? "on" : "off"}.`)(() => hub.servers.enable({ name, on: isOff }))}
      >
        {isOff ? "Enable" : "Disable"}
      </Button>
      <Confirmed
        label="Remove…"
        question={`Remove ${name} from the configuration? Its tools disappear for all clients.`}
        yes={`Remove ${name}`}
        onYes={async () => {
          if (!(await act(() => hub.servers.remove({ name }), `${name} is removed.`))) return;
          navigate(pathTo("servers"));
          servers.reload();
        }}
      />
    </div>
  );
}

function Facts({ server }: { readonly server: ServerStatus }) {
  const lists = [
    plural(server.tools, "tool"),
    plural(server.resources, "resource"),
    plural(server.prompts, "prompt"),
  ].join(", ");
  const rows: readonly (readonly [string, preact.ComponentChildren])[] = [
    ["Address", <span class="mono">{visible(server.address)}</span>],
    ["Transport", server.address.startsWith("stdio:") ? "stdio" : "HTTP"],
    ["Offers", lists],
    ["Protocol", server.version && protocolText(server)],
    ["Server", infoText(server.serverInfo)],
    ["Sign-in", server.auth === "None" ? undefined : server.auth],
    ["Signed in until", server.signedInUntil && <Ago at={server.signedInUntil} />],
    ["Process", server.pid && <span class="num">{server.pid}</span>],
    ["Last use", server.lastUse && <Ago at={server.lastUse} />],
    ["Heartbeat", server.lastHeartbeat && <Ago at={server.lastHeartbeat} />],
    ["Next try", server.nextAttempt && <Ago at={server.nextAttempt} />],
    [
      "Last error",
      server.state !== "needs-sign-in" && server.lastError !== server.reason && server.lastError && (
        <Prose text={server.lastError} />
      ),
    ],
  ];
  return (
    <dl class="facts">
      {rows
        .filter(([, value]) => value !== undefined && value !== "" && value !== false)
        .map(([name, value]) => (
          <>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </>
        ))}
    </dl>
  );
}

function infoText(info: unknown): string | undefined {
  if (typeof info !== "object" || info === null) return undefined;
  const { name, version } = info as { name?: unknown; version?: unknown };
  return visible([name, version].filter((part) => typeof part === "string").join(" "));
}

const shownTools = 8;

function ToolsOf({ server }: { readonly server: ServerStatus }) {
  const page = useLive(
    () => hub.tools.search({ source: server.name, limit: shownTools }),
    ["tools-changed", "servers"],
    [server.name],
  );
  const total = page.value?.total ?? 0;
  const all = `${pathTo("tools")}?source=${encodeURIComponent(server.name)}`;
  return (
    <Panel
      title="Tools"
      aside={
        total > shownTools && (
          <Link class="small" to={all}>
            All {total}
          </Link>
        )
      }
      bare
    >
      <Loaded from={page}>
        {({ tools }) =>
          tools.length === 0 ? (
            <p class="panel-body muted">
              It offers no tools{server.state === "ready" ? "." : " while it is not connected."}
            </p>
          ) : (
            <ul class="lines">
              {tools.map((tool) => (
                <li key={tool.name}>
                  <div class="grow">
                    <div class="row row-wrap">
                      <Link class="mono break" to={pathTo("tools", tool.name)}>
                        {visible(tool.name)}
                      </Link>
                      <Hints annotations={tool.annotations} />
                    </div>
                    <p class="small muted two-lines">{visible(tool.description)}</p>
                  </div>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  );
}

function Log({ server }: { readonly server: ServerStatus }) {
  const log = useLive(() => hub.servers.logs({ name: server.name }), ["servers", "audit"], [server.name], slowly);
  return (
    <Panel
      title="Log"
      aside={<Button local kind="quiet" icon="reload" label="Read the log again" onClick={log.reload} />}
    >
      <Loaded from={log}>
        {(text) =>
          text === "" ? <p class="muted">It has written nothing to stderr.</p> : <Code text={text} label="Log" />
        }
      </Loaded>
    </Panel>
  );
}
