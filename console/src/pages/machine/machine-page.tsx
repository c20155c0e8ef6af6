import type { MachineState } from "../../../../src/hub/control/settings/machine-state.ts";
import { act } from "../../hub/act.ts";
import { hub } from "../../hub/control.ts";
import { useLive } from "../../hub/live.ts";
import { Panel } from "../../parts/blocks.tsx";
import { Loaded } from "../../parts/states.tsx";
import { CopyButton, Switch } from "../../parts/button.tsx";
import { visible } from "../../parts/words.tsx";
import { Link, pathTo } from "../../router/route.tsx";
import { Capabilities } from "./capabilities.tsx";
import { GatewayPairing } from "./gateway-pairing.tsx";
import { McpStatus, RestartHint, ToolsMark } from "./machine-marks.tsx";

/** What may this computer do, and for whom? */
export function MachinePage() {
  const machine = useLive(() => hub.machine.read(), ["config", "status", "tools-changed"]);
  return (
    <Loaded from={machine}>
      {(state) => (
        <div class="stack">
          <Switches state={state} onChange={machine.reload} />
          <Capabilities state={state} onChange={machine.reload} />
          <GatewayPairing state={state} onChange={machine.reload} />
        </div>
      )}
    </Loaded>
  );
}

interface MachineProps {
  readonly state: MachineState;
  onChange(): void;
}

function Switches({ state, onChange }: MachineProps) {
  const { host, settings, tools } = state;
  const set = async (change: Partial<MachineState["settings"]>, what: string): Promise<void> => {
    const word = Object.values(change).includes(true) ? "on" : "off";
    const when = "enableMcpServer" in change ? " after a restart" : "";
    await act(() => hub.machine.set(change), `Saved: ${what} ${word}${when}.`);
    onChange();
  };
  return (
    <Panel title="This computer" bare>
      <div class="lines">
        <div>
          <span class="grow">
            Tools of this computer
            <span class="small muted block">
              Notifications, the clipboard, the screen, commands: each with its own consent.
            </span>
          </span>
          <ToolsMark tools={tools} />
          {host !== "node" && (
            <Switch
              label="Tools of this computer"
              on={settings.enabled}
              onChange={(enabled) => set({ enabled }, "the tools of this computer are")}
            />
          )}
        </div>
        <div>
          <span class="grow">
            {host === "node" ? "Local MCP server" : "MCP endpoint"}
            <code class="small block break">{visible(state.endpoint)}</code>
            <span class="small muted block">
              MCP clients on this computer reach everything at this address, with{" "}
              <Link class="text-link" to={pathTo("settings", "tokens")}>
                a token
              </Link>
              .
            </span>
          </span>
          <CopyButton text={state.endpoint} what="the endpoint" />
          <McpStatus status={state.status} />
          {host === "node" && (
            <Switch
              label="Local MCP server"
              on={settings.enableMcpServer}
              onChange={(enableMcpServer) => set({ enableMcpServer }, "the local MCP server is")}
            />
          )}
        </div>
        <div>
          <span class="grow">
            Gateway node
            <span class="small muted block">
              An OpenClaw gateway may call this computer's tools, once its owner approves.
              {settings.enableNodeMode && !tools.afterRestart && " It needs the tools of this computer to be on."}
            </span>
          </span>
          <Switch
            label="Gateway node"
            on={settings.enableNodeMode}
            onChange={(enableNodeMode) => set({ enableNodeMode }, "the gateway node is")}
          />
        </div>
        {host === "node" && !settings.enableMcpServer && !settings.enableNodeMode && (
          <div class="warn">
            <span>
              With both switches off, <code>clawport node</code> does not start.
            </span>
          </div>
        )}
        <RestartHint state={state} />
      </div>
    </Panel>
  );
}
