import { untilAborted } from "../../core/wait.ts";
import type { Hub } from "../../hub/hub.ts";
import type { CommandContext } from "../command-context.ts";
import { defineCommand } from "../command.ts";
import { trustOption } from "../options.ts";

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
    const { loadTrustedConfigOf } = await import("../../hub/require-trust.ts");
    const { openHomeOf } = await import("../../hub/open-home.ts");
    const { readVersion } = await import("../../core/version.ts");
    const { options, env, log } = context;
    const home = await openHomeOf(context);
    const configuration = await loadTrustedConfigOf(context, home, options.trust === true);
    const level = context.logLevel;
    log.change({ level: level ?? configuration.config.log.level, format: configuration.config.log.format });

    const stopping = context.stopSignal();
    const { openHub } = await import("../../hub/hub.ts");
    const hub = await openHub({
      home,
      configuration,
      env,
      log,
      level,
      version: readVersion(),
      host: options.host,
      port: options.port,
      allowRemote: options["allow-remote"],
      askers: context.json ? [] : [await context.createAsker()],
    });
    try {
      await hub.settled(startTimeoutMs);
      await announce(context, hub);
      await untilAborted(stopping);
      if (hub.drainMs !== undefined) {
        context.say(`\nHanding the apps over to other instances, for up to ${hub.drainMs / 1000} seconds.`);
        await hub.drainApps();
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

async function announce(context: CommandContext, hub: Hub): Promise<void> {
  const { renderAnnouncement } = await import("../output/announcement.ts");
  const { url, port, wantedPort, tokenPath, remoteNames, record } = hub;
  const holder = port === wantedPort ? undefined : await describeHolder(wantedPort);
  const servers = await hub.servers();
  const names = new Set(servers.map(({ name }) => name));
  const others = hub.sources().filter(({ id }) => !names.has(id));
  const sources = [
    ...others.map((source) => ({ id: source.id, kind: source.kind, tools: source.tools().length })),
    ...servers.map((server) => ({
      id: server.name,
      kind: "server",
      tools: server.tools,
      state: server.state,
      problem: problems[server.state],
    })),
  ];
  const data = {
    url,
    address: record.address,
    port,
    tokenPath,
    remoteNames,
    pid: record.pid,
    version: record.version,
    ...(hub.appsAddress === undefined ? {} : { apps: hub.appsAddress }),
    sources,
  };
  const program = context.env["npm_lifecycle_event"] === undefined ? "clawport" : "npx clawport";
  if (context.json) context.answer(data, "");
  else context.say(renderAnnouncement({ ...data, wantedPort, holder, program }, context.style));
}

/** What each state of a server means for its tools; the others mean that they can be called. */
const problems: Readonly<Record<string, string>> = {
  degraded: "degraded",
  connecting: "connecting",
  reconnecting: "not connected",
  "needs-sign-in": "needs sign-in",
  stopped: "stopped",
  disconnected: "disconnected",
  disabled: "off",
  unusable: "invalid configuration",
};
