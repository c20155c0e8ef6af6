import { useSignal } from "@preact/signals";
import type { MachineState } from "../../../../src/hub/control/settings/machine-state.ts";
import { act } from "../../hub/act.ts";
import { hub } from "../../hub/control.ts";
import { useLive } from "../../hub/live.ts";
import { Panel } from "../../parts/blocks.tsx";
import { Loaded } from "../../parts/states.tsx";
import { Button } from "../../parts/button.tsx";
import { TextField } from "../../parts/field.tsx";
import { Shape, StateMark, type Tone } from "../../parts/state-mark.tsx";
import { visible } from "../../parts/words.tsx";

const tones: Readonly<Record<string, Tone>> = { connected: "ok", paired: "ok", connecting: "busy" };

/** This computer as a node of an OpenClaw gateway. */
export function GatewayPairing({ state, onChange }: { readonly state: MachineState; onChange(): void }) {
  const { gateway, settings } = state;
  if (!settings.enableNodeMode)
    return (
      <Panel title="OpenClaw gateway">
        <p class="muted">Off. Switch on the gateway node to pair this computer with a gateway.</p>
      </Panel>
    );
  return (
    <Panel
      title="OpenClaw gateway"
      aside={gateway && <StateMark tone={tones[gateway.state] ?? "warn"}>{visible(gateway.state)}</StateMark>}
    >
      {gateway !== undefined && (
        <dl class="facts">
          <dt>Gateway</dt>
          <dd class="mono">{visible(gateway.address)}</dd>
          <dt>This node</dt>
          <dd class="mono">{visible(gateway.nodeId)}</dd>
          {gateway.problem !== undefined && (
            <>
              <dt>Problem</dt>
              <dd class="bad">{visible(gateway.problem)}</dd>
            </>
          )}
        </dl>
      )}
      <Pair onChange={onChange} />
      {gateway !== undefined && <Pairing />}
    </Panel>
  );
}

function Pair({ onChange }: { onChange(): void }) {
  const address = useSignal("");
  const token = useSignal("");
  return (
    <details>
      <summary class="muted">Pair with a gateway</summary>
      <form class="stack-small form" onSubmit={(event) => event.preventDefault()}>
        <TextField
          label="Gateway"
          hint="Leave it empty for the one on this computer."
          placeholder="ws://127.0.0.1:18789"
          text={address}
        />
        <TextField label="Token of the gateway" hint="Needed once; it is not kept." secret text={token} />
        <div>
          <Button
            kind="main"
            onClick={async () => {
              await act(
                () =>
                  hub.machine.pair({
                    ...(address.value.trim() && { gateway: address.value.trim() }),
                    ...(token.value && { token: token.value }),
                  }),
                "Asked the gateway. Its owner approves this computer there.",
              );
              token.value = "";
              onChange();
            }}
          >
            Pair
          </Button>
        </div>
      </form>
    </details>
  );
}

/** How far each command has come: declared here, allowed there, approved by the owner. */
function Pairing() {
  const pairing = useLive(() => hub.machine.pairing(), ["status"]);
  return (
    <details>
      <summary class="muted">What the gateway may call</summary>
      <Loaded from={pairing}>
        {({ commands, problem }) => (
          <>
            {problem !== undefined && <p class="bad break">{visible(problem)}</p>}
            <ul class="stack-small">
              {commands.map(({ command, next }) => (
                <li key={command} class="row row-wrap">
                  <Shape tone={next === "" ? "ok" : "off"} />
                  <code>{visible(command)}</code>
                  <span class="small muted break">{next === "" ? "the gateway can call it" : visible(next)}</span>
                </li>
              ))}
            </ul>
          </>
        )}
      </Loaded>
    </details>
  );
}
