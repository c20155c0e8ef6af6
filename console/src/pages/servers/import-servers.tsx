import { useSignal } from "@preact/signals";
import type { ImportableFile } from "../../../../src/hub/control/settings/edit-servers.ts";
import { act, show } from "../../hub/act.ts";
import { hub } from "../../hub/control.ts";
import { useLive } from "../../hub/live.ts";
import { servers } from "../../hub/shared.ts";
import { BackTo, Panel } from "../../parts/blocks.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { Button } from "../../parts/button.tsx";
import { plural, visible } from "../../parts/words.tsx";
import { navigate, pathTo } from "../../router/route.tsx";

/** Takes over what other clients on this computer are configured with. */
export function ImportServers({ onDone = () => navigate(pathTo("servers")) }: { readonly onDone?: () => void }) {
  const files = useLive(() => hub.servers.importable(), ["config"]);
  const left = useSignal<ReadonlySet<string>>(new Set());
  return (
    <div class="stack">
      <div>
        <BackTo to={pathTo("servers")}>Servers</BackTo>
        <h2 class="title">Import servers</h2>
        <p class="muted">What the MCP clients of this computer are configured with. Their files stay as they are.</p>
      </div>
      <Loaded from={files}>
        {(list) => {
          const offered = list.filter((file) => file.servers.length > 0 || file.problem !== undefined);
          const chosen = offered
            .flatMap((file) => file.servers.map(({ name }) => name))
            .filter((name) => !left.value.has(name));
          if (offered.length === 0)
            return (
              <Empty title="Nothing to import">
                <p class="muted">No client of this computer has a server that is not here already.</p>
              </Empty>
            );
          return (
            <>
              {offered.map((file) => (
                <FilePanel
                  key={file.path}
                  file={file}
                  left={left.value}
                  onToggle={(name) => {
                    const next = new Set(left.value);
                    if (!next.delete(name)) next.add(name);
                    left.value = next;
                  }}
                />
              ))}
              <div class="row">
                <Button
                  kind="main"
                  disabled={chosen.length === 0}
                  onClick={() =>
                    act(async () => {
                      const { added, needs } = await hub.servers.import({ names: chosen });
                      servers.reload();
                      show("done", [`Imported ${plural(added.length, "server")}.`, ...needs].join("\n"));
                      onDone();
                    })
                  }
                >
                  Import {plural(chosen.length, "server")}
                </Button>
              </div>
            </>
          );
        }}
      </Loaded>
    </div>
  );
}

interface FilePanelProps {
  readonly file: ImportableFile;
  readonly left: ReadonlySet<string>;
  onToggle(name: string): void;
}

function FilePanel({ file, left, onToggle }: FilePanelProps) {
  return (
    <Panel title={visible(file.title)} aside={<span class="small muted mono clip">{visible(file.path)}</span>} bare>
      {file.problem !== undefined && <p class="panel-body bad">{visible(file.problem)}</p>}
      <ul class="lines">
        {file.servers.map(({ name, address, notes }) => (
          <li key={name}>
            <label class="row grow">
              <input type="checkbox" checked={!left.has(name)} onChange={() => onToggle(name)} />
              <span class="grow">
                <span class="mono">{visible(name)}</span> <span class="small muted break">{visible(address)}</span>
                {notes.map((note) => (
                  <span key={note} class="small muted block">
                    {visible(note)}
                  </span>
                ))}
              </span>
            </label>
          </li>
        ))}
        {file.skipped.map(({ name, reason }) => (
          <li key={name} class="muted small">
            {visible(name)}: {visible(reason)}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
