import { Fault } from "../../core/fault.ts";
import { hubMcpUrl } from "../../core/http/hub-routes.ts";
import { untilAborted } from "../../core/wait.ts";
import type { SurfaceSetting } from "../../doors/mcp/surface/choose-surface.ts";
import type { ServingOptions } from "../../hub/hosts.ts";
import type { CommandContext } from "../command-context.ts";
import { defineCommand } from "../command.ts";
import { surfaceOption, trustOption } from "../options.ts";
import { serveOverStdio } from "../serve-stdio.ts";

/** How long the first list waits for servers that are still connecting. Later tools are announced. */
const defaultWaitSeconds = 3;

export const command = defineCommand({
  name: "serve",
  summary: "offer the configured servers as one MCP server, over stdio or HTTP",
  options: {
    stdio: { type: "boolean", description: "serve the client that starts this command, over stdin and stdout" },
    http: { type: "boolean", description: "serve clients with a token, until Ctrl-C" },
    port: {
      type: "number",
      value: "<port>",
      range: [0, 65_535],
      description: "with --http: listen on this port (default: from the configuration, else 8765)",
    },
    only: { type: "string", value: "<a,b>", description: "only these servers" },
    alone: { type: "boolean", description: "with --stdio: start separate servers even if a hub is running" },
    as: {
      type: "string",
      value: "<client>",
      description: "with --stdio: connect to the hub with the token that `clawport install` made for this client",
    },
    ...surfaceOption,
    "no-orders": { type: "boolean", description: "with --as: leave out order_openclaw" },
    wait: {
      type: "number",
      value: "<seconds>",
      range: [0, 86_400],
      description: `how long the first list of tools waits for slow servers (default: ${defaultWaitSeconds})`,
    },
    ...trustOption,
  },
  examples: [
    "clawport serve --stdio",
    "claude mcp add tools -- clawport serve --stdio --only github,files",
    "clawport serve --http --port 9000",
  ],
  run(context) {
    const { options } = context;
    if ((options.stdio === true) === (options.http === true)) {
      const what = options.stdio ? "Choose one" : "Choose how to serve";
      throw new Fault("usage", `${what}: \`clawport serve --stdio\` or \`clawport serve --http\`.`);
    }
    if (options.stdio && options.port !== undefined)
      throw new Fault("usage", "--port needs --http; it has no effect with --stdio.");
    if (options.as !== undefined && (options.http || options.only !== undefined || options.alone))
      throw new Fault("usage", "--as goes with --stdio alone: leave out --http, --only and --alone.");
    const { as, alone = false, "no-orders": withoutOrders = false, trust = false, port } = options;
    const only = options.only?.split(",").map((name) => name.trim());
    const surface = options.surface as SurfaceSetting | undefined;
    const waitMs = (options.wait ?? defaultWaitSeconds) * 1000;
    return options.stdio
      ? serveOverStdio(context, { only, surface, waitMs, trust, as, alone, withoutOrders })
      : serveHttp(context, { only, http: { port, surface } }, trust, waitMs);
  },
});

async function serveHttp(
  context: CommandContext,
  serving: ServingOptions,
  trust: boolean,
  waitMs: number,
): Promise<void> {
  const { openPlace } = await import("../../hub/open-place.ts");
  const { openHost } = await import("../../hub/hosts.ts");
  await using engine = await openHost("serve", await openPlace(context, trust), serving);
  const stopping = context.stopSignal();
  await engine.settled(waitMs);
  const { address = "", port, tokenPath } = engine.http ?? {};
  const url = hubMcpUrl(address);
  const sources = engine.catalog.sources().map((source) => ({ id: source.id, tools: source.tools().length }));
  const offered = sources.map(({ id, tools }) => `${id} (${tools} ${tools === 1 ? "tool" : "tools"})`).join(", ");
  const text = `Serving ${offered || "nothing yet"} at ${url}\nThe token is in ${tokenPath}. Ctrl-C stops.`;
  context.answer({ url, port, tokenPath, sources }, text);
  await untilAborted(stopping);
}
