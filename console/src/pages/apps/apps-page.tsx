import type { ListedAppSession } from "../../../../src/hub/control/queries/list-apps.ts";
import { hub } from "../../hub/control.ts";
import { slowly, useLive } from "../../hub/live.ts";
import { status } from "../../hub/shared.ts";
import { Code } from "../../parts/blocks.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { StateMark } from "../../parts/state-mark.tsx";
import { Ago, plural, visible } from "../../parts/words.tsx";
import { Link, pathTo } from "../../router/route.tsx";

/** Which apps are here? */
export function AppsPage() {
  const apps = useLive(() => hub.apps.list(), ["apps", "tools-changed", "audit"], [], slowly);
  return (
    <Loaded from={apps}>
      {(list) =>
        list.length === 0 ? (
          <NoApps />
        ) : (
          <ul class="stack">
            {list.map((app) => (
              <App key={app.id} app={app} />
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}

function NoApps() {
  const address = status.value?.appsAddress;
  return (
    <Empty title="No app is connected">
      <p class="muted">A running app, a web page or a program of yours, can offer tools for as long as it runs.</p>
      {address === undefined ? (
        <>
          <p>
            The app proxy is off. Add <code>apps: {"{ serve: true }"}</code> to the configuration and restart the hub.
          </p>
          <Link class="button" to={pathTo("settings")}>
            Open the configuration
          </Link>
        </>
      ) : (
        <Code label="An app in a few lines" text={sample(address)} />
      )}
    </Empty>
  );
}

function App({ app }: { readonly app: ListedAppSession }) {
  const isConnected = app.bridge === "connected";
  return (
    <li class="panel">
      <div class="panel-head">
        <h2 class="grow clip">
          {visible(app.name)} <span class="muted small">{visible(app.version)}</span>
        </h2>
        <StateMark tone={isConnected ? "ok" : "warn"}>{isConnected ? "bridge connected" : "bridge lost"}</StateMark>
      </div>
      <div class="panel-body stack-small">
        <p class="muted">
          {plural(app.tools.length, "tool")}, {plural(app.callsInFlight, "call")} in flight · session{" "}
          <code>{app.id.slice(0, 12)}</code> {isConnected ? "" : "is kept and "}expires <Ago at={app.expiresAt} />
        </p>
        <div class="row row-wrap">
          {app.tools.slice(0, 40).map((tool) => (
            <span key={tool} class="tag mono">
              {visible(tool)}
            </span>
          ))}
        </div>
      </div>
    </li>
  );
}

function sample(address: string): string {
  return `import { openApp } from "clawport/app";

await openApp({
  proxyUrl: "${address}",
  deviceName: "notes",
  tools: [{ name: "hello", description: "Says hello.", run: () => "Hello!" }],
});`;
}
