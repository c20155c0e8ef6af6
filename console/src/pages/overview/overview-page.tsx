import type { Attention } from "../../../../src/hub/control/queries/find-attention.ts";
import { hub } from "../../hub/control.ts";
import { useLive } from "../../hub/live.ts";
import { servers, status } from "../../hub/shared.ts";
import { Panel } from "../../parts/blocks.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Shape } from "../../parts/state-mark.tsx";
import { visible } from "../../parts/words.tsx";
import { Link, pathTo } from "../../router/route.tsx";
import { DoorsAndSources } from "./doors-and-sources.tsx";
import { CallChart } from "./call-chart.tsx";
import { Prose } from "../../parts/prose.tsx";

/** Is everything all right? First what needs the user, then the live picture. */
export function OverviewPage() {
  const attention = useLive(
    () => hub.status.attention(),
    ["status", "servers", "approvals", "tools-changed", "config"],
  );
  return (
    <div class="stack">
      {servers.value?.length === 0 && <FirstSteps />}
      <Loaded from={attention}>{(list) => <NeedsYou list={list} />}</Loaded>
      <CallChart />
      <Loaded from={status}>{(now) => <DoorsAndSources now={now} />}</Loaded>
    </div>
  );
}

function FirstSteps() {
  return (
    <div class="panel">
      <Empty title="No servers yet">
        <p class="muted">
          Connect the MCP servers you use, and let your clients reach all of them here, under one guard.
        </p>
        <div class="row row-wrap">
          <Link class="button button-main" to={pathTo("welcome")}>
            Set up Clawport
          </Link>
          <Link class="button" to={pathTo("servers", "+add")}>
            Add a server
          </Link>
          <Link class="button" to={pathTo("servers", "+import")}>
            Import from other clients
          </Link>
        </div>
      </Empty>
    </div>
  );
}

function NeedsYou({ list }: { readonly list: readonly Attention[] }) {
  if (list.length === 0)
    return (
      <Panel title="Needs you" bare>
        <div class="lines">
          <div>
            <Shape tone="ok" />
            <span>Nothing. Everything runs.</span>
          </div>
        </div>
      </Panel>
    );
  return (
    <Panel title="Needs you" bare>
      <ul class="lines" data-attention="">
        {list.map((each) => {
          const { to, label } = wayOut(each);
          return (
            <li key={`${each.kind} ${each.subject}`}>
              <Shape tone={each.kind === "server-down" || each.kind === "audit" ? "bad" : "warn"} />
              <span class="grow break">
                <Prose text={each.message} />
              </span>
              <Link class="button" to={to} aria-label={`${label}: ${visible(each.message)}`}>
                {label}
                <Icon name="right" size={12} />
              </Link>
            </li>
          );
        })}
      </ul>
    </Panel>
  );
}

/** The one button of each thing that needs the user. */
function wayOut({ kind, subject }: Attention): { readonly to: string; readonly label: string } {
  switch (kind) {
    case "sign-in":
      return { to: pathTo("servers", subject), label: "Sign in" };
    case "server-down":
      return { to: pathTo("servers", subject), label: "See why" };
    case "approval":
    case "refused":
      return { to: pathTo("approvals", subject), label: "Review" };
    case "pin":
      return { to: pathTo("approvals", "changed", subject), label: "See diff" };
    case "pairing":
      return { to: pathTo("machine"), label: "Pair" };
    case "audit":
      return { to: pathTo("settings", "health"), label: "See why" };
  }
}
