import { serverWord } from "../../core/server-states.ts";
import { hubMcpUrl } from "../../core/http/hub-routes.ts";
import { untilAborted } from "../../core/wait.ts";
import type { Engine } from "../../hub/engine/engine.ts";
import type { ServerStatus } from "../../sources/servers/server-status.ts";
import type { CommandContext } from "../command-context.ts";
import { defineCommand } from "../command.ts";
import { trustOption } from "../options.ts";
import { programName } from "../output/pasteable.ts";

/** How long the announcement waits for servers to connect. The hub already serves clients meanwhile. */
const startTimeoutMs = 2000;

export const command = defineCommand({
  name: "up",
  summary: "start the hub and run it until Ctrl-C",
  options: {
    port: {
      type: "number",
      value: "<port>",
      range: [0, 65_535],
      description: "listen on this port; 0 for any free port (default: from the configuration, else 8765)",
    },
    host: {
      type: "string",
      value: "<address>",
      description: "listen on this address (default: from the configuration, else 127.0.0.1)",
    },
    "allow-remote": { type: "boolean", description: "let other machines connect, if the address allows it" },
    ...trustOption,
  },
  examples: ["clawport up", "clawport up --port 9000", "clawport up --config ./work.json5 --json"],
  async run(context) {
    const { openPlace } = await import("../../hub/open-place.ts");
    const { openHost } = await import("../../hub/hosts.ts");
    const { host, port, "allow-remote": allowRemote, trust = false } = context.options;
    const place = await openPlace(context, trust);
    const stopping = context.stopSignal();
    const askers = context.json ? [] : [await context.createAsker()];
    const hub = await openHost("up", { ...place, askers }, { host, port, allowRemote });
    try {
      await hub.settled(startTimeoutMs);
      await announce(context, hub);
      await untilAborted(stopping);
      const { apps } = hub;
      if (apps?.drainMs !== undefined) {
        context.say(`\nHanding the apps over to other instances, for up to ${apps.drainMs / 1000} seconds.`);
        await apps.drain(apps.drainMs);
      }
      context.say("\nStopping: calls in progress have 5 seconds to finish. Press Ctrl-C again to stop at once.");
    } finally {
      await hub.close();
    }
  },
});

async function describeHolder(port: number): Promise<string> {
  const { holderOf } = await import("../../core/http/port-holder.ts");
  return holderOf(port);
}

async function announce(context: CommandContext, hub: Engine): Promise<void> {
  const { renderAnnouncement } = await import("../output/announcement.ts");
  const { http, record, apps } = hub;
  if (http === undefined || record === undefined) throw new TypeError("a hub has an HTTP door");
  const { address, port, wantedPort, tokenPath, remoteNames } = http;
  const holder = port === wantedPort ? undefined : await describeHolder(wantedPort);
  const servers = await (await hub.servers()).servers.list();
  const names = new Set(servers.map(({ name }) => name));
  const others = hub.catalog.sources().filter(({ id, isUnlisted }) => !names.has(id) && !isUnlisted);
  const sources = [
    ...others.map((source) => ({ id: source.id, kind: source.kind, tools: source.tools().length })),
    ...servers.map((server) => ({
      id: server.name,
      kind: "server",
      tools: server.tools,
      state: server.state,
      problem: problemOf(server),
    })),
  ];
  const data = {
    url: hubMcpUrl(address),
    address,
    port,
    tokenPath,
    remoteNames,
    pid: record.pid,
    version: record.version,
    ...(apps && { apps: apps.address }),
    sources,
  };
  const program = programName(context);
  if (context.json) context.answer(data, "");
  else context.say(renderAnnouncement({ ...data, wantedPort, holder, program }, context.style));
}

/** Undefined if its tools can be called. */
function problemOf(server: ServerStatus): string | undefined {
  return ["ready", "queued", "sleeping"].includes(server.state) ? undefined : serverWord(server).toLowerCase();
}
