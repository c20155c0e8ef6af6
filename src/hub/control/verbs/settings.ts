import { surfaceSettings } from "../../../doors/mcp/surface/choose-surface.ts";
import { flag, oneOf, optional, text, texts } from "../input.ts";
import { gatewayMs, serverMs, verb } from "../verb.ts";

const name = text();

export const newToken = {
  name,
  views: optional(texts("It gives access to these sources only.")),
  metrics: optional(flag("It gives access to the metrics only.")),
  surface: optional(oneOf(surfaceSettings, "Which surface its clients get.")),
};

export const tokens = {
  list: verb({
    needs: "look",
    summary: "The main token first, then the named ones. Never the tokens themselves.",
    on: "folder",
    run: async (folder) => (await import("../tokens.ts")).listTokens(folder),
  }),
  add: verb({
    needs: "change",
    summary: "Adds a token, and shows it once.",
    on: "folder",
    input: newToken,
    run: async (folder, input) => (await import("../tokens.ts")).addToken(folder, input),
  }),
  remove: verb({
    needs: "change",
    summary: "Removes a token.",
    on: "folder",
    input: { name },
    run: async (folder, input) => (await import("../tokens.ts")).removeToken(folder, input.name),
  }),
  reset: verb({
    needs: "change",
    summary: "Replaces the main token. The new one is in the file at `path`: it is not sent anywhere.",
    on: "folder",
    run: async (folder) => (await import("../tokens.ts")).resetToken(folder),
  }),
};

export const recorded = { arguments: flag("Whether the audit also has the arguments of calls, masked and shortened.") };

export const configuration = {
  place: verb({
    needs: "look",
    summary: "The file that the active configuration was read from, or that would be read if it existed.",
    run: (hub) => Promise.resolve(hub.place),
  }),
  recorded: verb({
    needs: "look",
    summary: "What the audit records of a call beside its outcome: in this process, and after a restart.",
    run: async (hub) => (await import("../settings/edit-audit.ts")).readRecorded(hub),
  }),
  record: verb({
    needs: "person",
    summary: "Changes what the audit records of a call. It takes effect after a restart.",
    on: "file",
    input: recorded,
    run: async (file, input) => (await import("../settings/edit-audit.ts")).setRecorded(file, input),
  }),
  read: verb({
    needs: "look",
    summary: "The configuration as it is written, with literal secrets masked.",
    run: async (hub) => (await import("../config-text.ts")).readShownConfig(hub.place, hub.env),
  }),
  reload: verb({
    needs: "change",
    summary: "Applies what the file says now.",
    withinMs: serverMs,
    run: (hub) => hub.reload(),
  }),
  schema: verb({
    needs: "look",
    summary: "The JSON Schema of the file.",
    run: async () => (await import("../../../core/config/config-schema.ts")).configJsonSchema(),
  }),
  validate: verb({
    needs: "look",
    summary: "What is wrong with a text. Masked values are taken from the file.",
    input: { text: text() },
    run: async (hub, input) => (await import("../settings/edit-config-text.ts")).validateConfig(hub, input.text),
  }),
  hide: verb({
    needs: "look",
    summary: "The same text with these tools hidden from all clients. Writes nothing.",
    input: { text: text(), tools: texts() },
    run: async (_, input) => (await import("../settings/hide-tools.ts")).hideTools(input.text, input.tools),
  }),
  write: verb({
    needs: "person",
    summary:
      "Replaces the file and applies it. Faults with `conflict` if it is no longer the one with this hash, and with `config` if the text can't be used.",
    on: "file",
    withinMs: serverMs,
    input: { text: text(), baseHash: text() },
    run: async (file, input) => (await import("../settings/edit-config-text.ts")).writeConfig(file, input),
  }),
};

const capability = text("Its name, such as `clipboard.read`.");

export const switches = {
  enabled: optional(flag("A hub offers the tools of this computer.")),
  enableMcpServer: optional(flag("A node serves MCP clients.")),
  enableNodeMode: optional(flag()),
};
export const consent = { capability, mode: oneOf(["off", "ask", "session", "always", "default"]) };
export const pairing = { gateway: optional(text()), token: optional(text()), password: optional(text()) };

export const machine = {
  read: verb({
    needs: "look",
    summary: "This computer: its switches, and what it can do.",
    run: (hub) => hub.readMachine(),
  }),
  set: verb({
    needs: "person",
    summary: "Changes the switches in the configuration.",
    on: "file",
    input: switches,
    run: async (file, input) => (await import("../settings/edit-machine.ts")).setSwitches(file, input),
  }),
  consent: verb({
    needs: "person",
    summary: "Changes what needs consent. `default` removes the setting.",
    on: "file",
    input: consent,
    run: async (file, input) => (await import("../settings/edit-machine.ts")).setConsent(file, input),
  }),
  forget: verb({
    needs: "change",
    summary: "Forgets what was decided about a capability.",
    input: { capability },
    run: async (hub, input) => (await import("../settings/machine-state.ts")).forgetConsent(hub, input.capability),
  }),
  revealToken: verb({
    needs: "person",
    summary: "The main token.",
    run: async (hub) => (await import("../tokens.ts")).revealMainToken(hub),
  }),
  pairing: verb({
    needs: "look",
    summary: "What the gateway knows of this computer. Asks the gateway.",
    withinMs: gatewayMs,
    run: async (hub) => (await import("../settings/pair-machine.ts")).readPairing(hub),
  }),
  pair: verb({
    needs: "person",
    summary: "Connects this computer to a gateway, whose owner then has to approve it. The token is needed once.",
    withinMs: gatewayMs,
    input: pairing,
    run: async (hub, input) => (await import("../settings/pair-machine.ts")).pairMachine(hub, input),
  }),
};

export const clients = {
  list: verb({
    needs: "look",
    summary: "The MCP clients on this machine, and whether they use the hub.",
    run: async (hub) => (await import("../settings/edit-clients.ts")).listClients(hub),
  }),
  preview: verb({
    needs: "look",
    summary: "What installing would change.",
    input: { id: text() },
    run: async (hub, { id }) => (await import("../settings/edit-clients.ts")).previewClient(hub, id),
  }),
  install: verb({
    needs: "person",
    summary: "Enters the hub into the client's file. Keeps a backup.",
    input: { id: text() },
    run: async (hub, { id }) => (await import("../settings/edit-clients.ts")).installClient(hub, id),
  }),
  uninstall: verb({
    needs: "person",
    summary: "Removes the hub from the client's file. Keeps a backup.",
    input: { id: text() },
    run: async (hub, { id }) => (await import("../settings/edit-clients.ts")).uninstallClient(hub, id),
  }),
};
