import type { Readable, Writable } from "node:stream";
import { Fault } from "../../core/fault.ts";
import { quoted } from "../../core/text/peer-text.ts";
import { defineCommand } from "../command.ts";

export const command = defineCommand({
  name: "proxy-stdio",
  summary: "serve one app session of a proxy to an MCP client over stdin and stdout",
  options: {
    "proxy-base-url": {
      type: "string",
      value: "<url>",
      description: "the proxy's address (default: OPENCLAW_PROXY_SERVER_URL, else http://127.0.0.1:8000)",
    },
    session: {
      type: "string",
      value: "<id>",
      description: "the session (default: OPENCLAW_PROXY_SESSION_ID, else the client's mcpSessionId)",
    },
  },
  examples: [
    "clawport proxy-stdio",
    "clawport proxy-stdio --session <id> --proxy-base-url https://tools.example.com",
    "OPENCLAW_PROXY_OPENCLAW_TOKEN=<the shared token, or the session's> clawport proxy-stdio --session <id>",
  ],
  async run(context) {
    const { forwardStdio } = await import("../../doors/apps/forward-stdio.ts");
    const { parseProxySettings, readProxyEnv, requireSafeTarget } =
      await import("../../hub/engine/apps/proxy-settings.ts");
    const { "proxy-base-url": given, session } = context.options;
    const proxyEnv = await readProxyEnv(context);
    const settings = parseProxySettings(proxyEnv.env);
    const address = given ?? settings.serverUrl;
    if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol)) {
      throw new Fault("usage", `the proxy's address must look like http://127.0.0.1:8000, not ${quoted(address)}`);
    }
    requireSafeTarget(proxyEnv, { address: given, session });
    const input = context.stdin as Readable;
    context.stopSignal().addEventListener("abort", () => input.destroy(), { once: true });
    await forwardStdio({
      input,
      output: context.stdout as unknown as Writable,
      log: context.log,
      proxyUrl: new URL(address),
      token: settings.openclawToken,
      sessionId: session ?? (proxyEnv.env["OPENCLAW_PROXY_SESSION_ID"] || undefined),
    });
  },
});
