import { Fault } from "../../core/fault.ts";
import { webOrigin, isLoopbackHost } from "../../core/http/addresses.ts";
import { untilAborted } from "../../core/wait.ts";
import type { NatsSettings } from "../../hub/engine/apps/open-shared-apps.ts";
import { defineCommand } from "../command.ts";
import { trustOption } from "../options.ts";

const rate = { type: "number", value: "<n>", range: [1, 1_000_000] } as const;

export const command = defineCommand({
  name: "proxy",
  summary: "let running apps offer their tools to MCP clients, until Ctrl-C",
  args: [
    {
      name: "what",
      description: "with --nats, list the shared sessions or the running instances instead",
      optional: true,
      values: ["sessions", "instances"],
    },
  ],
  options: {
    host: { type: "string", value: "<address>", description: "listen on this address (default: 127.0.0.1)" },
    port: {
      type: "number",
      value: "<port>",
      range: [0, 65_535],
      description: "listen on this port; 0 for any free port (default: 8000)",
    },
    "public-url": { type: "string", value: "<url>", description: "the address that apps and clients use from outside" },
    "allow-origin": {
      type: "string",
      multiple: true,
      value: "<origin>",
      description: "let web pages of this origin connect",
    },
    "allow-host": { type: "string", multiple: true, value: "<name>", description: "another host name of the proxy" },
    "trust-forwarded": { type: "boolean", description: "trust X-Forwarded-Proto from a proxy on another machine" },
    "requests-per-second": { ...rate, description: "limit of MCP requests per session (default: 500)" },
    "token-requests-per-second": {
      ...rate,
      description: "limit of MCP requests of all sessions together (default: 50000)",
    },
    "sessions-per-second": { ...rate, description: "limit of sessions opened or changed (default: 100)" },
    "most-held": {
      type: "number",
      value: "<megabytes>",
      range: [1, 1_000_000],
      description: "memory for the data of all apps together (default: an eighth of the heap)",
    },
    memory: { type: "boolean", description: "keep the sessions in memory only" },
    nats: {
      type: "string",
      value: "<url>",
      description: "share sessions and calls with other instances over this NATS (or OPENCLAW_PROXY_NATS_URL)",
    },
    drain: {
      type: "number",
      value: "<seconds>",
      range: [0, 3600],
      description: "with --nats, how long calls may take to finish when this instance stops (default: 25)",
    },
    "nats-prefix": { type: "string", value: "<name>", description: "prefix of its subjects (default: clawport)" },
    "nats-credentials": { type: "string", value: "<file>", description: "credentials of a NATS user" },
    "nats-ca": { type: "string", value: "<file>", description: "certificate authority of the NATS servers" },
    heartbeat: {
      type: "number",
      value: "<seconds>",
      range: [1, 3600],
      description: "how often an app must send a heartbeat (default: 15)",
    },
    ...trustOption,
  },
  examples: ["clawport proxy", "clawport proxy --host 0.0.0.0 --public-url https://tools.example.com"],
  async run(context) {
    const { openPlace } = await import("../../hub/open-place.ts");
    const { openHost } = await import("../../hub/hosts.ts");
    const { parseProxySettings, readProxyEnv, requireTokens, requireTokensOfOnePlace } =
      await import("../../hub/engine/apps/proxy-settings.ts");
    const { reachableHost } = await import("../../hub/engine/listen-address.ts");
    const { options, log } = context;
    const names = {
      publicUrl: publicUrlOf(options["public-url"]),
      allowedOrigins: (options["allow-origin"] ?? []).map(parseOrigin),
      allowedHosts: (options["allow-host"] ?? []).map(parseHost),
    };
    const { host = "127.0.0.1", port = 8000, heartbeat = 15 } = options;
    const proxyEnv = await readProxyEnv(context);
    requireTokensOfOnePlace(proxyEnv);
    const settings = parseProxySettings(proxyEnv.env);
    const place = await openPlace(context, options.trust === true);
    const { home, configuration } = place;
    const { natsOptionsOf, openSharedApps } = await import("../../hub/engine/apps/open-shared-apps.ts");
    const nats = natsOptionsOf(natsFlags(options) ?? configuration.config.apps.nats, proxyEnv.env);
    const [what] = context.args;
    if (what === "sessions" || what === "instances") {
      const { listShared } = await import("../proxy-lists.ts");
      return listShared(context, what, nats);
    }
    requireTokens({ host, ...names }, settings, log);

    const stopping = context.stopSignal();
    const { createMemorySessionStore } = await import("../../sources/apps/store/session-store.ts");
    const { openSessionStore } = await import("../../hub/engine/apps/open-session-store.ts");
    const beside = "start this one with --memory and its own --port";
    if (nats !== undefined && options.memory) throw new Fault("usage", "Use either --memory or --nats.");
    const shared = nats && (await openSharedApps(nats, log));
    const proxy = await openHost("proxy", place, {
      settings,
      maxHeld: options["most-held"] === undefined ? undefined : options["most-held"] * 1024 * 1024,
      openStore: async () => {
        if (shared !== undefined) return shared.openStore();
        return options.memory ? createMemorySessionStore() : openSessionStore(home, log, beside);
      },
      openBus: shared && (() => shared.openBus()),
      problem: shared && (() => shared.problem()),
      watchBus: shared && ((metrics) => shared.watchBus(metrics)),
      host,
      port,
      ...names,
      trustForwarded: options["trust-forwarded"],
      requestsPerSecond: options["requests-per-second"],
      tokenRequestsPerSecond: options["token-requests-per-second"],
      sessionsPerSecond: options["sessions-per-second"],
      heartbeatMs: heartbeat * 1000,
    });
    try {
      const { address, port: taken } = proxy.apps ?? {};
      if (context.json) context.answer({ address, port: taken, pid: process.pid }, "");
      else {
        const here = `http://${reachableHost(host)}:${taken}`;
        context.say(`The app proxy is at ${here}. Apps open sessions at ${here}/v1/chat/sessions.`);
        const isNamed = names.publicUrl !== undefined || names.allowedHosts.length > 0;
        if (!isLoopbackHost(host) && !isNamed)
          context.say(
            "Requests from other machines are refused until you name the proxy's host: add --public-url or --allow-host.",
          );
      }
      await untilAborted(stopping);
      if (shared !== undefined) {
        const seconds = options.drain ?? 25;
        context.say(
          `\nHanding the apps over to other instances, within ${seconds} seconds. Press Ctrl-C again to stop at once.`,
        );
        await proxy.apps?.drain(seconds * 1000);
      } else context.say("\nStopping: calls in progress have 5 seconds to finish. Press Ctrl-C again to stop at once.");
    } finally {
      await proxy.close();
      await shared?.close();
    }
  },
});

interface NatsFlags {
  readonly nats?: string | undefined;
  readonly "nats-prefix"?: string | undefined;
  readonly "nats-credentials"?: string | undefined;
  readonly "nats-ca"?: string | undefined;
}

function natsFlags(flags: NatsFlags): NatsSettings | undefined {
  if (flags.nats === undefined) return undefined;
  return {
    url: flags.nats,
    prefix: flags["nats-prefix"],
    credentials: flags["nats-credentials"],
    ca: flags["nats-ca"],
  };
}

function publicUrlOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const isWeb = /^https?:$/.test(URL.parse(text)?.protocol ?? "");
  if (!isWeb) throw wrongName("--public-url", "an address", "https://tools.example.com", text);
  return text;
}

function parseOrigin(text: string): string {
  const origin = webOrigin(text);
  if (origin === undefined) throw wrongName("--allow-origin", "an origin", "https://app.example.com", text);
  return origin;
}

function parseHost(text: string): string {
  const isName = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i.test(text);
  if (!isName) throw wrongName("--allow-host", "a name", "tools.example.com", text);
  return text.toLowerCase();
}

function wrongName(option: string, what: string, example: string, text: string): Fault {
  return new Fault("usage", `${option} must be ${what} like ${example}, not ${JSON.stringify(text)}`);
}
