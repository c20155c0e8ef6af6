import { count, flag, optional, text, textMap, texts } from "../input.ts";
import { serverMs, verb } from "../verb.ts";

const name = text("The server's name in the configuration.");

/** What another program's documentation says to paste, too. */
export const newServer = {
  name: optional(text("Taken from the address or the command unless given. Not for `json`, which has names.")),
  url: optional(text()),
  command: optional(text()),
  args: optional(texts()),
  json: optional(text("One server, or several by name, as JSON or JSON5.")),
  apiKey: optional(text()),
  headers: optional(textMap()),
  env: optional(textMap()),
  force: optional(flag("Adds it without trying to connect first.")),
};

export const servers = {
  list: verb({
    needs: "look",
    summary: "Every configured server, including those that are disabled or disconnected.",
    run: async (hub) => (await import("../queries/call-series.ts")).withLastUse(hub, await hub.servers.list()),
  }),
  connect: verb({
    needs: "change",
    summary: "Connects a configured server and fetches its lists.",
    withinMs: serverMs,
    input: { name },
    run: (hub, input) => hub.servers.connect(input.name),
  }),
  disconnect: verb({
    needs: "change",
    summary: "Closes the connection until the next connect. The configuration stays as it is.",
    input: { name },
    run: (hub, input) => hub.servers.disconnect(input.name),
  }),
  refresh: verb({
    needs: "change",
    summary: "Fetches the lists of one server again, or of all. If one of many fails, its status says so.",
    withinMs: serverMs,
    input: { name: optional(name) },
    run: (hub, input) => hub.servers.refresh(input.name),
  }),
  logs: verb({
    needs: "look",
    summary: "The last output of the server on stderr.",
    input: { name },
    run: (hub, input) => hub.servers.logs(input.name),
  }),
  add: verb({
    needs: "person",
    summary: "Adds a server to the configuration: an address, a command, or a block to paste.",
    withinMs: serverMs,
    input: newServer,
    run: async (hub, server) => (await import("../settings/edit-servers.ts")).addServer(hub, server),
  }),
  remove: verb({
    needs: "person",
    summary: "Removes a server from the configuration.",
    withinMs: serverMs,
    input: { name },
    run: async (hub, input) => (await import("../settings/edit-servers.ts")).removeServer(hub, input.name),
  }),
  enable: verb({
    needs: "person",
    summary: "Switches a server on or off in the configuration.",
    on: "file",
    withinMs: serverMs,
    input: { name, on: flag() },
    run: async (file, input) => (await import("../settings/edit-servers.ts")).enableServer(file, input),
  }),
  importable: verb({
    needs: "look",
    summary: "Servers that other programs are configured with, from files of the user only.",
    run: async (hub) => (await import("../settings/edit-servers.ts")).listImportable(hub),
  }),
  import: verb({
    needs: "person",
    summary: "Adds servers of other programs to the configuration.",
    withinMs: serverMs,
    input: { names: texts() },
    run: async (hub, input) => (await import("../settings/edit-servers.ts")).importServers(hub, input.names),
  }),
};

export const toolQuery = {
  query: optional(text()),
  source: optional(text()),
  offset: optional(count()),
  limit: optional(count("50 unless given, at most 200.")),
  closest: optional(flag("If no tool has all of the words, those that come closest in meaning.")),
};

export const tools = {
  list: verb({
    needs: "look",
    summary: "All tools, or those of one source.",
    input: { source: optional(text()) },
    run: async (hub, { source }) => (await import("../queries/list-tools.ts")).listTools(hub, source),
  }),
  find: verb({
    needs: "look",
    summary: "One tool, with its schema.",
    input: { name: text("Its name in the catalog.") },
    run: async (hub, input) => (await import("../queries/list-tools.ts")).findTool(hub, input.name),
  }),
  search: verb({
    needs: "look",
    summary: "A page of the tools: all, or those that have all of the words.",
    input: toolQuery,
    run: async (hub, query) => (await import("../queries/search-tools.ts")).searchTools(hub, query),
  }),
};

export const apps = {
  list: verb({
    needs: "look",
    summary: "Apps that are connected to the app proxy, or were a moment ago. Empty if no app proxy is open.",
    run: async (hub) => (await import("../queries/list-apps.ts")).listApps(hub),
  }),
};
