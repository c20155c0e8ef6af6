import type { Readable, Writable } from "node:stream";
import { Fault } from "../../core/fault.ts";
import { hubMcpUrl } from "../../core/http/hub-routes.ts";
import { readVersion } from "../../core/version.ts";
import { untilAborted } from "../../core/wait.ts";
import type { AnsweredOpening } from "../../doors/mcp/opening/answer-opening.ts";
import type { OpeningKey } from "../../doors/mcp/opening/opening-file.ts";
import type { OpeningRecorder } from "../../doors/mcp/opening/record-opening.ts";
import type { StdioDoorOptions } from "../../doors/mcp/stdio-door.ts";
import type { SurfaceSetting } from "../../doors/mcp/surface/choose-surface.ts";
import type { Engine } from "../../hub/engine/engine.ts";
import type { RelayOptions } from "../../hub/relay.ts";
import type { CommandContext } from "../command-context.ts";
import { defineCommand } from "../command.ts";
import { surfaceOption, trustOption } from "../options.ts";

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
  async run(context) {
    const { options } = context;
    if ((options.stdio === true) === (options.http === true)) {
      const what = options.stdio ? "Choose one" : "Choose how to serve";
      throw new Fault("usage", `${what}: \`clawport serve --stdio\` or \`clawport serve --http\`.`);
    }
    if (options.stdio && options.port !== undefined)
      throw new Fault("usage", "--port needs --http; it has no effect with --stdio.");
    if (options.as !== undefined && (options.http || options.only !== undefined || options.alone))
      throw new Fault("usage", "--as goes with --stdio alone: leave out --http, --only and --alone.");
    const only = options.only?.split(",").map((name) => name.trim());
    const waitMs = (options.wait ?? defaultWaitSeconds) * 1000;
    const given = options.surface as SurfaceSetting | undefined;
    const key = options.stdio ? await openingKey(context) : undefined;
    const opening = key && (await answerFirst(context, key));
    if (opening?.hasEnded) return;
    const client = options.as === undefined ? undefined : await clientOf(context, options.as);
    const surface = given ?? client?.surface;
    const host = client === undefined ? context : await inStateFolder(context);
    if (
      options.stdio &&
      options.alone !== true &&
      (await serveFromHub(host, { only, client, surface }, waitMs, opening?.messages))
    )
      return;
    const { openServing } = await import("../../hub/open-serving.ts");
    const http = options.http ? { port: options.port, surface } : undefined;
    const engine = await openServing(host, { only, trust: options.trust === true, ...(http && { http }) });
    try {
      const { catalog, guard, telemetry, config, settled, results } = engine;
      const view = catalog.view("all", { alphabet: config.hub.toolNames === "short" ? "narrow" : "wide" });
      const { openSurfaces } = await import("../../hub/engine/open-surfaces.ts");
      const surfaces = openSurfaces(engine, surface);
      const parts = {
        view,
        guard,
        telemetry,
        maxFrameBytes: config.hub.maxBodyBytes,
        results,
      };
      const fallbackInstructions = options.stdio
        ? await explainNothing(context, Object.keys(config.servers).length > 0, () => catalog.sources().length > 0)
        : undefined;
      if (options.http) return await serveHttp(context, engine, waitMs);
      const ready = settled(waitMs);
      const recorder = key && (await recordFor(context, engine, key));
      if (recorder) void ready.then(() => view.onChange(() => recorder.discard()));
      const shown = { ...parts, surfaces, fallbackInstructions, ready, recorder, answered: opening?.messages };
      await serveStdin(context, shown, waitMs);
      await recorder?.close();
    } finally {
      await engine.close();
    }
  },
});

/**
 * What the first answers of this process depend on; undefined if they depend on more: on a hub, or on a configuration that
 * is not that of the state folder.
 */
async function openingKey(context: CommandContext): Promise<OpeningKey | undefined> {
  const { homePath, mayHaveHub } = await import("../../hub/open-home.ts");
  const { globals, options, cwd } = context;
  if (globals.config !== undefined || (options.alone !== true && mayHaveHub(context))) return undefined;
  const { stampConfig } = await import("../../doors/mcp/opening/opening-file.ts");
  const home = homePath(context);
  const place = { cwd: options.as === undefined ? cwd : home, home };
  return { version: info.version, options: { ...options }, ...place, config: stampConfig(place) };
}

/** A client that begins as it did before has its first answers before the rest of this program is loaded. */
async function answerFirst(context: CommandContext, key: OpeningKey): Promise<AnsweredOpening> {
  const { answerOpening } = await import("../../doors/mcp/opening/answer-opening.ts");
  return answerOpening(key, context.env, { input: context.stdin as Readable, output: context.stdout });
}

async function recordFor(
  context: CommandContext,
  engine: Engine,
  key: OpeningKey,
): Promise<OpeningRecorder | undefined> {
  const { findConfigOf, readConfigOf } = await import("../../hub/active-config.ts");
  const host = { ...context, cwd: key.cwd };
  if (findConfigOf(host)?.location !== "state-folder") return undefined;
  const { recordOpening } = await import("../../doors/mcp/opening/record-opening.ts");
  const { manager } = await engine.servers();
  const isKnown = (name: string) => ["sleeping", "ready"].includes(manager.status(name).state);
  return recordOpening({
    key,
    env: context.env,
    envNames: async () => (await readConfigOf(host)).file?.envNames ?? [],
    isComplete: () => manager.names().every(isKnown),
    log: context.log,
  });
}

type ServedClient = NonNullable<RelayOptions["client"]> & Pick<RelayOptions, "surface">;

async function clientOf(context: CommandContext, name: string): Promise<ServedClient> {
  const { requireClientToken } = await import("../../hub/clients/client-token.ts");
  const { listNamedTokens } = await import("../../doors/mcp/named-tokens.ts");
  const { openHomeOf } = await import("../../hub/open-home.ts");
  const place = { home: await openHomeOf(context), log: context.log };
  const token = await requireClientToken(place, name);
  const { [name]: entry } = await listNamedTokens(place);
  return { token, withoutOrders: context.options["no-orders"] === true, surface: entry?.surface };
}

/** Clients start this in the folder their user works in, whose configuration is not the one they were connected to. */
async function inStateFolder(context: CommandContext): Promise<CommandContext> {
  const { homePath } = await import("../../hub/open-home.ts");
  return { ...context, cwd: homePath(context) };
}

/** Offers the servers of the running hub, so that none is started twice. Returns false if no hub is running. */
async function serveFromHub(
  context: CommandContext,
  options: RelayOptions,
  waitMs: number,
  answered: StdioDoorOptions["answered"],
): Promise<boolean> {
  // What a relay needs takes longer to load than everything else.
  const { mayHaveHub } = await import("../../hub/open-home.ts");
  if (!mayHaveHub(context)) return false;
  const { openRelay } = await import("../../hub/relay.ts");
  const relay = await openRelay(context, options);
  if (relay === undefined) return false;
  const { relayGuard: guard } = await import("../../hub/relay.ts");
  try {
    const { view, surfaces, maxFrameBytes } = relay;
    const fallbackInstructions = await explainNothing(context, relay.hasServers, () => view.tools().length > 0);
    const ready = relay.settled(waitMs);
    const parts = { view, guard, surfaces, maxFrameBytes, fallbackInstructions, ready, answered };
    await serveStdin(context, parts, waitMs);
  } finally {
    await relay.close();
  }
  return true;
}

/**
 * A client that gets no tools shows neither why nor where we looked, so stderr and the instructions say it. Returns the
 * instructions while there is nothing to offer.
 */
async function explainNothing(
  context: CommandContext,
  hasServers: boolean,
  hasSources: () => boolean,
): Promise<(() => string | undefined) | undefined> {
  if (hasServers) return undefined;
  const { findConfigOf } = await import("../../hub/active-config.ts");
  const { homePath } = await import("../../hub/open-home.ts");
  const found = findConfigOf(context)?.path;
  const where =
    found === undefined
      ? `there is no clawport.json5 in ${context.cwd} or in ${homePath(context)}`
      : `${found} has none`;
  const why = `no MCP servers are configured: ${where}`;
  context.log.warn(`nothing to serve: ${why}. Run \`clawport connect\` or \`clawport import\` to add servers`);
  const text = `This server offers no tools, because ${why}. Tell the user to run \`clawport connect\` or \`clawport import\`.`;
  return () => (hasSources() ? undefined : text);
}

async function serveStdin(
  context: CommandContext,
  parts: Omit<StdioDoorOptions, "info" | "log" | "input" | "output" | "graceMs">,
  waitMs: number,
): Promise<void> {
  const { serveStdioDoor } = await import("../../doors/mcp/stdio-door.ts");
  const input = context.stdin as Readable;
  context.stopSignal().addEventListener("abort", () => input.destroy(), { once: true });
  const output = context.stdout as unknown as Writable;
  await serveStdioDoor({ ...parts, info, log: context.log, input, output, graceMs: waitMs + 2000 });
}

async function serveHttp(context: CommandContext, { catalog, http, settled }: Engine, waitMs: number): Promise<void> {
  const stopping = context.stopSignal();
  await settled(waitMs);
  const { address = "", port, tokenPath } = http ?? {};
  const url = hubMcpUrl(address);
  const sources = catalog.sources().map((source) => ({ id: source.id, tools: source.tools().length }));
  const offered = sources.map(({ id, tools }) => `${id} (${tools} ${tools === 1 ? "tool" : "tools"})`).join(", ");
  const text = `Serving ${offered || "nothing yet"} at ${url}\nThe token is in ${tokenPath}. Ctrl-C stops.`;
  context.answer({ url, port, tokenPath, sources }, text);
  await untilAborted(stopping);
}

const info = { name: "clawport", title: "Clawport", version: readVersion() };
