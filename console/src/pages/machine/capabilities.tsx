import type { MachineCapability, MachineState } from "../../../../src/hub/control/settings/machine-state.ts";
import { act } from "../../hub/act.ts";
import { connection, mayChange } from "../../hub/events.ts";
import { hub } from "../../hub/control.ts";
import { Panel } from "../../parts/blocks.tsx";
import { Button } from "../../parts/button.tsx";
import { StateMark } from "../../parts/state-mark.tsx";
import { plural, visible } from "../../parts/words.tsx";
import { Prose } from "../../parts/prose.tsx";

const riskWords: Readonly<Record<MachineCapability["risk"], string>> = {
  read: "reads",
  "sensitive-read": "reads private things",
  write: "changes things",
  exec: "runs commands",
};

const consentWords: readonly (readonly [MachineCapability["consent"], string])[] = [
  ["off", "off"],
  ["ask", "ask each time"],
  ["session", "ask once a session"],
  ["always", "always allow"],
];

/** Everything this computer can do for a caller, and whether you are asked first. */
export function Capabilities({ state, onChange }: { readonly state: MachineState; onChange(): void }) {
  if (!state.tools.offered)
    return (
      <Panel title="Capabilities">
        <p class="muted">
          {state.tools.afterRestart
            ? "On after the restart. Then each of them is shown here, with its consent."
            : "Off. Switch on the tools of this computer to let clients use them; anything delicate asks you first."}
        </p>
      </Panel>
    );
  const usable = state.capabilities.filter(({ unavailable }) => unavailable === undefined).length;
  return (
    <Panel
      title="Capabilities"
      aside={
        <span class="small muted">
          {usable} of {state.capabilities.length} available
        </span>
      }
      bare
    >
      <ul class="lines">
        {state.capabilities.map((capability) => (
          <Capability key={capability.name} capability={capability} onChange={onChange} />
        ))}
      </ul>
    </Panel>
  );
}

function Capability({ capability, onChange }: { readonly capability: MachineCapability; onChange(): void }) {
  const { name, title, risk, consent, standard, unavailable, grants } = capability;
  async function choose(mode: MachineCapability["consent"]): Promise<void> {
    await act(
      () => hub.machine.consent({ capability: name, mode: mode === standard ? "default" : mode }),
      `${title}: ${mode}.`,
    );
    onChange();
  }
  return (
    <li>
      <span class="grow">
        <span class="row row-wrap">
          <span>{visible(title)}</span>
          <code class="muted">{name}</code>
          <span class={`tag${risk === "exec" || risk === "sensitive-read" ? " warn" : ""}`}>{riskWords[risk]}</span>
        </span>
        {unavailable === undefined ? (
          <span class="small muted block">{visible(capability.description)}</span>
        ) : (
          <span class="small block">
            <StateMark tone="off">
              <span class="wrap">
                <Prose text={[unavailable.reason, unavailable.fix].filter(Boolean).join("; ")} />
              </span>
            </StateMark>
          </span>
        )}
      </span>
      {grants.length > 0 && (
        <Button
          kind="quiet"
          onClick={async () => {
            await act(() => hub.machine.forget({ capability: name }), "Forgotten: you will be asked again.");
            onChange();
          }}
        >
          Forget {plural(grants.length, "answer")}
        </Button>
      )}
      <select
        class="select"
        aria-label={`Consent for ${title}`}
        value={consent}
        disabled={connection.value.state === "lost" || !mayChange.value}
        onChange={(event) => void choose(event.currentTarget.value as MachineCapability["consent"])}
      >
        {consentWords.map(([mode, word]) => (
          <option key={mode} value={mode}>
            {word}
            {mode === standard ? " (default)" : ""}
          </option>
        ))}
      </select>
    </li>
  );
}
