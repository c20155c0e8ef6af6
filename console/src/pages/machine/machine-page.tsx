import type { MachineState } from "../../../../src/hub/control/settings/settings-control.ts";
import { act } from "../../hub/act.ts";
import { hub } from "../../hub/control.ts";
import { useLive } from "../../hub/live.ts";
import { Loaded, Panel } from "../../parts/blocks.tsx";
import { CopyButton, Switch } from "../../parts/button.tsx";
import { StateMark, type Tone } from "../../parts/state-mark.tsx";
import { visible } from "../../parts/words.tsx";
import { Capabilities } from "./capabilities.tsx";
import { GatewayPairing } from "./gateway-pairing.tsx";
import { TokenPanel } from "./token-panel.tsx";

/** What may this computer do, and for whom? */
export function MachinePage() {
  const machine = useLive(() => hub.machine.read(), ["config", "status", "tools-changed"]);
  return (
    <Loaded from={machine}>
      {(state) => (
        <div class="stack">
          <Switches state={state} onChange={machine.reload} />
          <TokenPanel state={state} onChange={machine.reload} />
          <Capabilities state={state} onChange={machine.reload} />
          <GatewayPairing state={state} onChange={machine.reload} />
        </div>
      )}
    </Loaded>
  );
}

const statusTones: Readonly<Record<string, Tone>> = { Listening: "ok", Disabled: "off" };

interface MachineProps {
  readonly state: MachineState;
  onChange(): void;
}

function Switches({ state, onChange }: MachineProps) {
  const { settings } = state;
  const set = async (change: Partial<MachineState["settings"]>, done: string): Promise<void> => {
    await act(() => hub.machine.set(change), done);
    onChange();
  };
  const onOff = (on: boolean): string => (on ? "on" : "off");
  return (
    <Panel
      title="This computer over local MCP"
      aside={
        <span data-mcp-status="">
          <StateMark tone={statusTones[state.status] ?? "warn"}>{state.status}</StateMark>
        </span>
      }
      bare
    >
      <div class="lines">
        <div>
          <span class="grow">
            Tools of this computer
            <span class="small muted block">
              Notifications, the clipboard, the screen, commands: each with its own consent.
            </span>
          </span>
          <Switch
            label="Tools of this computer"
            on={settings.enabled}
            onChange={(enabled) => set({ enabled }, `The tools of this computer are ${onOff(enabled)}.`)}
          />
        </div>
        <div>
          <span class="grow">
            Local MCP server
            <span class="small muted block">MCP clients on this computer reach everything at the endpoint.</span>
          </span>
          <Switch
            label="Local MCP server"
            on={settings.enableMcpServer}
            onChange={(enableMcpServer) =>
              set({ enableMcpServer }, `The local MCP server is ${onOff(enableMcpServer)}.`)
            }
          />
        </div>
        <div>
          <span class="grow">
            Gateway node
            <span class="small muted block">
              An OpenClaw gateway may call this computer's tools, once its owner approves.
            </span>
          </span>
          <Switch
            label="Gateway node"
            on={settings.enableNodeMode}
            onChange={(enableNodeMode) => set({ enableNodeMode }, `The gateway node is ${onOff(enableNodeMode)}.`)}
          />
        </div>
        <div>
          <span class="muted">Endpoint</span>
          <code class="grow break">{visible(state.endpoint)}</code>
          <CopyButton text={state.endpoint} what="the endpoint" />
        </div>
        {state.needsRestart && (
          <div class="warn">
            Changes take effect after a restart: run <code>clawport stop</code>, then <code>clawport up</code>.
          </div>
        )}
      </div>
    </Panel>
  );
}
