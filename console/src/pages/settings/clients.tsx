import { useSignal } from "@preact/signals";
import type { ClientEntry } from "../../../../src/hub/control/settings/edit-clients.ts";
import { act, show } from "../../hub/act.ts";
import { hub } from "../../hub/control.ts";
import { useLive } from "../../hub/live.ts";
import { Code, Diff } from "../../parts/blocks.tsx";
import { Loaded } from "../../parts/states.tsx";
import { Button, CopyButton } from "../../parts/button.tsx";
import { StateMark, type Tone } from "../../parts/state-mark.tsx";
import { visible } from "../../parts/words.tsx";

const states: Readonly<Record<ClientEntry["state"], readonly [Tone, string]>> = {
  installed: ["ok", "connected to Clawport"],
  "not-installed": ["off", "on this computer"],
  absent: ["off", "not found"],
  unknown: ["warn", "can't tell"],
};

/** The MCP clients of this computer, and how each gets to the hub. */
export function Clients({ onlyHere = false, onChange }: { readonly onlyHere?: boolean; onChange?(): void }) {
  const clients = useLive(() => hub.clients.list(), ["config"]);
  const reload = (): void => {
    clients.reload();
    onChange?.();
  };
  return (
    <Loaded from={clients}>
      {(list) => {
        const here = list.filter(({ state }) => state !== "absent");
        const others = list.filter(({ state }) => state === "absent");
        return (
          <div class="stack">
            {here.length === 0 && <p class="muted">No MCP client that Clawport knows was found on this computer.</p>}
            {here.length > 0 && <ClientList list={here} onChange={reload} />}
            {!onlyHere && others.length > 0 && (
              <details>
                <summary class="muted">{others.length} more that were not found here</summary>
                <ClientList list={others} onChange={reload} />
              </details>
            )}
          </div>
        );
      }}
    </Loaded>
  );
}

function ClientList({ list, onChange }: { readonly list: readonly ClientEntry[]; onChange(): void }) {
  return (
    <ul class="panel lines">
      {list.map((client) => (
        <Client key={client.id} client={client} onChange={onChange} />
      ))}
    </ul>
  );
}

function Client({ client, onChange }: { readonly client: ClientEntry; onChange(): void }) {
  const [tone, word] = states[client.state];
  const diff = useSignal<string | undefined>(undefined);
  const isOpen = useSignal(false);
  const isInstalled = client.state === "installed";

  async function install(): Promise<void> {
    await act(async () => {
      const { backup, next } = await hub.clients.install({ id: client.id });
      diff.value = undefined;
      show(
        "done",
        [`${client.title} is connected.`, next, backup && `The old file: ${backup}`].filter(Boolean).join("\n"),
      );
    });
    onChange();
  }
  return (
    <li class="client" data-client={client.id}>
      <div class="row row-wrap">
        <span class="grow">
          {visible(client.title)}
          <span class="small muted block break">{visible(client.problem ?? client.file)}</span>
        </span>
        <StateMark tone={tone}>{word}</StateMark>
        <Button local kind="quiet" expanded={isOpen.value} onClick={() => (isOpen.value = !isOpen.value)}>
          By hand
        </Button>
        {isInstalled ? (
          <Button
            onClick={async () => {
              await act(() => hub.clients.uninstall({ id: client.id }), `${client.title} no longer uses Clawport.`);
              onChange();
            }}
          >
            Disconnect
          </Button>
        ) : (
          <Button
            kind="main"
            disabled={client.problem !== undefined}
            onClick={() =>
              act(async () => {
                const preview = await hub.clients.preview({ id: client.id });
                diff.value = preview.diff.map(({ mark, text }) => `${mark} ${text}`).join("\n");
              })
            }
          >
            Connect
          </Button>
        )}
      </div>
      {diff.value !== undefined && !isInstalled && (
        <div class="stack-small">
          <p class="muted break">This is added to {visible(client.file)}. A backup is kept.</p>
          <Diff text={diff.value} label="What changes" />
          <div class="row">
            <Button kind="main" onClick={install}>
              Write it
            </Button>
            <Button local onClick={() => (diff.value = undefined)}>
              Cancel
            </Button>
          </div>
        </div>
      )}
      {isOpen.value && (
        <div class="stack-small">
          <p class="muted break">
            Paste this into {visible(client.file)}. {visible(client.next)}
          </p>
          <Code text={client.block} label={`Block for ${client.title}`} />
          <CopyButton text={client.block} what="the block" label="Copy" />
        </div>
      )}
    </li>
  );
}
