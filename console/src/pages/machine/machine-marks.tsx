import type { MachineState } from "../../../../src/hub/control/settings/machine-state.ts";
import { StateMark, type Tone } from "../../parts/state-mark.tsx";

const statusTones: Readonly<Record<MachineState["status"], Tone>> = {
  Listening: "ok",
  "Stopped — save and restart to start": "warn",
  Disabled: "off",
};

/** Whether MCP clients are served. */
export function McpStatus({ status }: Pick<MachineState, "status">) {
  return (
    <span data-mcp-status="">
      <StateMark tone={statusTones[status]}>{status}</StateMark>
    </span>
  );
}

/** Whether the tools of this computer are among what clients get. */
export function ToolsMark({ tools }: Pick<MachineState, "tools">) {
  const { offered, afterRestart } = tools;
  const word = offered ? "On" : "Off";
  return (
    <span data-machine-tools="">
      <StateMark tone={offered === afterRestart ? (offered ? "ok" : "off") : "warn"}>
        {offered === afterRestart ? word : `${word}, ${afterRestart ? "on" : "off"} after a restart`}
      </StateMark>
    </span>
  );
}

/** What to run for saved changes to take effect. */
export function RestartHint({ state }: { readonly state: MachineState }) {
  if (!state.needsRestart) return null;
  return (
    <div class="warn">
      The change of the MCP server takes effect after a restart: run <code>clawport stop</code>, then{" "}
      <code>clawport node</code>.
    </div>
  );
}
