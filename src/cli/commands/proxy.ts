import { Fault } from "../../core/fault.ts";
import { webOrigin } from "../../core/http/addresses.ts";
import { untilAborted } from "../../core/wait.ts";
import { defineCommand } from "../command.ts";

const rate = { type: "number", value: "<n>", range: [1, 1_000_000] } as const;

export const command = defineCommand({
  name: "proxy",
  summary: "let running apps offer their tools to MCP clients, until Ctrl-C",
  options: {
    host: { type: "string", value: "<address>", description: "listen on this address; 127.0.0.1 unless given" },
    port: {
      type: "number",
      value: "<port>",
      range: [0, 65_535],
      description: "listen here; 8000 unless given, 0 for any free port",
    },
    "public-url": { type: "string", value: "<url>", description: "how apps and clients reach the proxy from outside" },
    "allow-origin": { type: "string", multiple: true, value: "<origin>", description: "let web pages of it connect" },
    "allow-host": { type: "string", multiple: true, value: "<name>", description: "another name it is reached under" },
    "trust-forwarded": { type: "boolean", description: "believe X-Forwarded-Proto of a proxy on another machine" },
    "requests-per-second": { ...rate, description: "MCP requests one session takes; 500" },
    "token-requests-per-second": { ...rate, description: "those of all sessions together; 50000" },
    "sessions-per-second": { ...rate, description: "sessions opened or changed; 100" },
    "most-held": {
      type: "number",
      value: "<megabytes>",
      range: [1, 1_000_000],
      description: "what all apps together may make the proxy hold; an eighth of its heap",
    },
    memory: { type: "boolean", description: "forget the sessions when the proxy ends" },
    heartbeat: {
      type: "number",
      value: "<seconds>",
      range: [1, 3600],
      description: "how often an app has to show that it lives; 15",
    },
  },
  examples: ["clawport proxy", "clawport proxy --host 0.0.0.0 --public-url https://tools.example.com"],
  async run(context) {
    const { loadConfigOf } = await import("../../hub/active-config.ts");
    const { openHomeOf } = await import("../../hub/open-home.ts");
    const { openProxy } = await import("../../hub/open-proxy.ts");
    const { parseProxySettings, readProxyEnv, requireTokens } = await import("../../hub/proxy-settings.ts");
    const { readVersion } = await import("../../core/version.ts");
    const { reachableHost } = await import("../../hub/listen-address.ts");
    const { isLoopbackHost } = await import("../../core/http/addresses.ts");
    const { options, log } = context;
    const names = {
      publicUrl: publicUrlOf(options["public-url"]),
      allowedOrigins: (options["allow-origin"] ?? []).map(parseOrigin),
      allowedHosts: (options["allow-host"] ?? []).map(parseHost),
    };
    const { host = "127.0.0.1", port = 8000, heartbeat = 15 } = options;
    const settings = parseProxySettings(await readProxyEnv(context));
    const { config } = await loadConfigOf(context);
    log.change({ level: context.logLevel ?? config.log.level, format: config.log.format });
    requireTokens({ host, ...names }, settings, log);

    const stopping = context.stopSignal();
    const { createMemorySessionStore } = await import("../../sources/apps/store/session-store.ts");
    const { openSessionStore } = await import("../../hub/open-session-store.ts");
    const home = await openHomeOf(context);
    const beside = "start this one with --memory and a --port of its own";
    const proxy = await openProxy({
      home,
      config,
      env: context.env,
      settings,
      mostHeld: options["most-held"] === undefined ? undefined : options["most-held"] * 1024 * 1024,
      openStore: () =>
        options.memory ? Promise.resolve(createMemorySessionStore()) : openSessionStore(home, log, beside),
      version: readVersion(),
      log,
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
      const { address } = proxy;
      if (context.json) context.answer({ address, port: proxy.port, pid: process.pid }, "");
      else {
        const here = `http://${reachableHost(host)}:${proxy.port}`;
        context.say(`The app proxy is at ${here}. Apps open sessions at ${here}/v1/chat/sessions.`);
        const isNamed = names.publicUrl !== undefined || names.allowedHosts.length > 0;
        if (!isLoopbackHost(host) && !isNamed)
          context.say("Others are refused until it knows the name they call it by: add --public-url or --allow-host.");
      }
      await untilAborted(stopping);
      context.say("\nStopping: calls in progress have 5 seconds to finish. Ctrl-C again ends at once.");
    } finally {
      await proxy.close();
    }
  },
});

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
  return new Fault("usage", `${option} has to be ${what} like ${example}, not ${JSON.stringify(text)}`);
}
