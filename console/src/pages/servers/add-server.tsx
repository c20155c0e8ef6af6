import { useSignal } from "@preact/signals";
import { type Fault, toFault } from "../../../../src/core/fault.ts";
import type { NewServer } from "../../../../src/hub/control/settings/edit-servers.ts";
import { show } from "../../hub/act.ts";
import { hub } from "../../hub/control.ts";
import { servers } from "../../hub/shared.ts";
import { BackTo, Opened } from "../../parts/blocks.tsx";
import { FaultBox } from "../../parts/states.tsx";
import { Button } from "../../parts/button.tsx";
import { Field, TextField } from "../../parts/field.tsx";
import { Segments } from "../../parts/segments.tsx";
import { serverWords } from "../../parts/state-mark.tsx";
import { navigate, pathTo, query, setQuery } from "../../router/route.tsx";

type Way = "url" | "command" | "json";
const ways: readonly (readonly [Way, string])[] = [
  ["url", "Address"],
  ["command", "Command"],
  ["json", "Pasted JSON"],
];

/** The three ways to add a server. */
export function AddServer() {
  const way = (ways.find(([id]) => id === query.value.get("by"))?.[0] ?? "url") satisfies Way;
  const name = useSignal("");
  const url = useSignal("");
  const apiKey = useSignal("");
  const command = useSignal("");
  const variables = useSignal("");
  const json = useSignal("");
  const fault = useSignal<Fault | undefined>(undefined);

  function server(force: boolean): NewServer {
    const common = { ...(name.value.trim() === "" ? {} : { name: name.value.trim() }), ...(force ? { force } : {}) };
    if (way === "url") {
      const key = apiKey.value.trim();
      return { ...common, url: url.value.trim(), ...(key === "" ? {} : { apiKey: key }) };
    }
    if (way === "json") return { json: json.value, ...(force ? { force } : {}) };
    const [program = "", ...args] = wordsOf(command.value);
    const env = variablesOf(variables.value);
    return { ...common, command: program, args, ...(Object.keys(env).length === 0 ? {} : { env }) };
  }

  async function add(force: boolean): Promise<void> {
    fault.value = undefined;
    try {
      const { added, servers: states } = await hub.servers.add(server(force));
      servers.reload();
      const [first] = added;
      if (first === undefined) return;
      const status = states.find((each) => each.name === first);
      show("done", `Added ${added.join(", ")}${status === undefined ? "" : `: ${serverWords(status).word}`}.`);
      navigate(pathTo("servers", first));
    } catch (error) {
      fault.value = toFault(error);
    }
  }

  return (
    <form
      class="stack form"
      onSubmit={(event) => {
        event.preventDefault();
        void add(false);
      }}
    >
      <div>
        <BackTo to={pathTo("servers")}>Servers</BackTo>
        <h2 class="title">Add a server</h2>
      </div>
      <Segments label="How to add it" choices={ways} value={way} onChoose={(by) => setQuery({ by })} />
      {way === "url" && (
        <>
          <TextField
            label="Address"
            hint="If it needs a sign-in, you get a button for that next."
            placeholder="https://mcp.example.com/mcp"
            required
            text={url}
          />
          <TextField
            label="API key"
            hint="Optional. Sent as a bearer token, and kept in the owner-only configuration."
            secret
            text={apiKey}
          />
        </>
      )}
      {way === "command" && (
        <>
          <TextField
            label="Command"
            hint="As you would type it. It runs on this computer with your rights."
            placeholder="npx -y @modelcontextprotocol/server-filesystem ~/notes"
            required
            text={command}
          />
          <Field label="Environment" hint="Optional. One NAME=value a line.">
            {(id) => (
              <textarea
                id={id}
                class="area"
                rows={3}
                value={variables.value}
                onInput={(e) => (variables.value = e.currentTarget.value)}
              />
            )}
          </Field>
        </>
      )}
      {way === "json" && (
        <Field label="JSON" hint="A block from a server's documentation: one server, or several under mcpServers.">
          {(id) => (
            <textarea
              id={id}
              class="area"
              rows={12}
              required
              placeholder={'{ "mcpServers": { "files": { "command": "npx", "args": ["…"] } } }'}
              value={json.value}
              onInput={(e) => (json.value = e.currentTarget.value)}
            />
          )}
        </Field>
      )}
      {way !== "json" && (
        <TextField
          label="Name"
          hint="Optional. The names of its tools begin with it."
          placeholder="notes"
          text={name}
        />
      )}
      {fault.value !== undefined && (
        <Opened>
          <FaultBox fault={fault.value} />
        </Opened>
      )}
      {/* Enter adds it, too. */}
      <button type="submit" hidden />
      <div class="row row-wrap">
        <Button kind="main" onClick={() => add(false)}>
          Add server
        </Button>
        {fault.value !== undefined && <Button onClick={() => add(true)}>Add without connecting</Button>}
      </div>
    </form>
  );
}

/** Splits a command line at spaces; quotes keep words together. */
function wordsOf(line: string): readonly string[] {
  const words = line.match(/(?:[^\s"']|"(?:\\.|[^"\\])*"|'[^']*')+/g) ?? [];
  return words.map((word) =>
    word.replaceAll(
      /"((?:\\.|[^"\\])*)"|'([^']*)'/g,
      (_, double?: string, single?: string) => double?.replaceAll(/\\(.)/g, "$1") ?? single ?? "",
    ),
  );
}

function variablesOf(text: string): Readonly<Record<string, string>> {
  const pairs = text.split("\n").map((line) => /^\s*([A-Za-z_]\w*)=(.*)$/.exec(line));
  return Object.fromEntries(pairs.flatMap((pair) => (pair === null ? [] : [[pair[1] ?? "", pair[2] ?? ""]])));
}
