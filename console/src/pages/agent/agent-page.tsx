import { useMemo } from "preact/hooks";
import type { AgentState } from "../../../../src/hub/control/settings/read-agent.ts";
import { hub } from "../../hub/control.ts";
import { useLive } from "../../hub/live.ts";
import { Code, Panel } from "../../parts/blocks.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { StateMark } from "../../parts/state-mark.tsx";
import { visible } from "../../parts/words.tsx";
import type { PageProps } from "../page-table.ts";
import { Conversations, ConversationView } from "./conversations.tsx";
import { OrderBox } from "./order-box.tsx";
import { Prose } from "../../parts/prose.tsx";

const backendWords: Readonly<Record<AgentState["backend"], string>> = {
  gateway: "OpenClaw's gateway",
  model: "a model",
  commands: "commands only",
  none: "no agent",
};

/** What is the agent working on? */
export function AgentPage({ rest: [place, key] }: PageProps) {
  const agent = useLive(() => hub.agent.read(), ["config", "status"]);
  const isChosen = place !== undefined && key !== undefined;
  const newKey = useMemo(() => `console-${Date.now().toString(36)}`, [place, key]);
  return (
    <Loaded from={agent}>
      {(state) => (
        <div class="stack">
          <Panel
            title="Orders are taken by"
            aside={
              <StateMark tone={state.backend === "none" ? "off" : state.backend === "commands" ? "warn" : "ok"}>
                {backendWords[state.backend]}
              </StateMark>
            }
          >
            <p class="break">
              {state.name !== undefined && <code>{visible(state.name)} </code>}
              <span class="muted">
                <Prose text={state.why} />
              </span>
            </p>
          </Panel>
          {state.backend === "none" ? (
            <NoAgent />
          ) : (
            <div class="columns agent-columns">
              <div class="stack">
                {isChosen && <ConversationView place={place === "openclaw" ? "openclaw" : "model"} sessionKey={key} />}
                <OrderBox key={key ?? newKey} sessionKey={key ?? newKey} />
              </div>
              <Conversations chosen={key} />
            </div>
          )}
        </div>
      )}
    </Loaded>
  );
}

function NoAgent() {
  return (
    <Empty title="No agent takes orders">
      <p class="muted">Name a model in the configuration, or start OpenClaw's gateway on this computer. For example:</p>
      <Code label="An agent in the configuration" text={'agent: { model: "anthropic/claude-sonnet-4-5" }'} />
    </Empty>
  );
}
