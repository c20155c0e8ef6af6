import type { Readable, Writable } from "node:stream";
import { readVersion } from "../core/version.ts";
import type { AnsweredOpening } from "../doors/mcp/first-answers/answer-opening.ts";
import type { OpeningKey } from "../doors/mcp/first-answers/opening-file.ts";
import type { OpeningRecorder } from "../doors/mcp/first-answers/record-opening.ts";
import type { DoorOfferOptions } from "../doors/mcp/door-offer.ts";
import type { StdioDoorOptions } from "../doors/mcp/stdio-door.ts";
import type { SurfaceSetting } from "../doors/mcp/surface/choose-surface.ts";
import type { ClientTokenWatch } from "../hub/clients/client-token.ts";
import type { Engine } from "../hub/engine/engine.ts";
import type { RelayOptions } from "../hub/relay.ts";
import type { CommandContext } from "./command-context.ts";

export interface StdioServing {
  /** These servers alone. */
  readonly only: readonly string[] | undefined;
  readonly surface: SurfaceSetting | undefined;
  /** How long the first list waits for servers that are still connecting. */
  readonly waitMs: number;
  readonly trust: boolean;
  /** The client whose token is used at the hub. */
  readonly as: string | undefined;
  /** Not through a hub. */
  readonly alone: boolean;
  readonly withoutOrders: boolean;
}

const info = { name: "clawport", title: "Clawport", version: readVersion() };

/**
 * Serves the client that started this process: at first from what it was answered the last time, then through the running
 * hub, or with servers of its own.
 */
export async function serveOverStdio(context: CommandContext, serving: StdioServing): Promise<void> {
  const key = await openingKey(context, serving);
  const opening = key && (await answerFirst(context, key));
  if (opening?.hasEnded) return;
  const answered = opening?.messages;
  const client = serving.as === undefined ? undefined : await clientOf(context, serving, serving.as);
  using watch = client?.watch();
  const revoked = watch?.revoked;
  await serveWith(context, serving, { key, answered, client, revoked });
  revoked?.throwIfAborted();
}

async function serveWith(
  context: CommandContext,
  serving: StdioServing,
  { key, client, ...begun }: BegunServing,
): Promise<void> {
  const surface = serving.surface ?? client?.surface;
  const host = client === undefined ? context : await inStateFolder(context);
  const relay = { only: serving.only, client, surface };
  if (!serving.alone && (await serveFromHub(host, relay, serving.waitMs, begun))) return;
  const { openPlace } = await import("../hub/open-place.ts");
  const { openHost } = await import("../hub/hosts.ts");
  await using engine = await openHost("serve", await openPlace(host, serving.trust), { only: serving.only });
  const token = client && { name: client.name, key: client.key };
  await serveEngine(context, engine, { ...begun, key, surface, waitMs: serving.waitMs, token });
}

async function serveEngine(
  context: CommandContext,
  engine: Engine,
  { key, surface, waitMs, answered, revoked, token }: EngineServing,
): Promise<void> {
  const { catalog, guard, telemetry, config, results, scripts } = engine;
  const { openSurfaces } = await import("../hub/engine/open-surfaces.ts");
  const hasServers = Object.keys(config.servers).length > 0;
  const ready = engine.settled(waitMs);
  const view = catalog.view("all", { alphabet: config.hub.toolNames === "short" ? "narrow" : "wide" });
  const recorder = key && (await recordFor(context, engine, key));
  if (recorder) void ready.then(() => view.onChange(() => recorder.discard()));
  const parts = {
    view,
    guard,
    telemetry,
    results: results && { results, tokenKey: () => token?.key },
    rights: token && { tokenKey: () => token.key.slice(0, 16) },
    scripts,
    surfaces: openSurfaces(engine, surface),
    fallbackInstructions: await explainNothing(context, hasServers, () => catalog.sources().length > 0),
  };
  const { maxBodyBytes: maxFrameBytes } = config.hub;
  await serveStdin(
    context,
    parts,
    { principal: token?.name, maxFrameBytes, ready, recorder, answered, revoked },
    waitMs,
  );
  await recorder?.close();
}

/** The token of a client; `key` tells it apart from a later one of the same name. */
interface ClientToken {
  readonly name: string;
  readonly key: string;
}

interface EngineServing extends Pick<StdioServing, "surface" | "waitMs">, Begun {
  readonly key: OpeningKey | undefined;
  readonly token: ClientToken | undefined;
}

/** What the client has been given, and what ends it. */
type Begun = Pick<StdioDoorOptions, "answered" | "revoked">;

interface BegunServing extends Begun {
  readonly key: OpeningKey | undefined;
  readonly client: ServedClient | undefined;
}

/**
 * What the first answers of this process depend on; undefined if they depend on more: on a hub, or on a configuration that
 * is not that of the state folder.
 */
async function openingKey(context: CommandContext, serving: StdioServing): Promise<OpeningKey | undefined> {
  const { homePath, mayHaveHub } = await import("../hub/state/open-home.ts");
  if (context.globals.config !== undefined || (!serving.alone && mayHaveHub(context))) return undefined;
  const { stampConfig } = await import("../doors/mcp/first-answers/opening-file.ts");
  const home = homePath(context);
  const place = { cwd: serving.as === undefined ? context.cwd : home, home };
  return { version: info.version, options: serving, ...place, config: stampConfig(place) };
}

/** A client that begins as it did before has its first answers before the rest of this program is loaded. */
async function answerFirst(context: CommandContext, key: OpeningKey): Promise<AnsweredOpening> {
  const { answerOpening } = await import("../doors/mcp/first-answers/answer-opening.ts");
  return answerOpening(key, context.env, { input: context.stdin as Readable, output: context.stdout });
}

async function recordFor(
  context: CommandContext,
  engine: Engine,
  key: OpeningKey,
): Promise<OpeningRecorder | undefined> {
  const { findConfigOf, readConfigOf } = await import("../hub/state/active-config.ts");
  const host = { ...context, cwd: key.cwd };
  if (findConfigOf(host)?.location !== "state-folder") return undefined;
  const { recordOpening } = await import("../doors/mcp/first-answers/record-opening.ts");
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

type ServedClient = NonNullable<RelayOptions["client"]> &
  Pick<RelayOptions, "surface"> &
  ClientToken & { watch(): ClientTokenWatch };

async function clientOf(context: CommandContext, { withoutOrders }: StdioServing, name: string): Promise<ServedClient> {
  const { requireClientToken, watchClientToken } = await import("../hub/clients/client-token.ts");
  const { listNamedTokens } = await import("../doors/mcp/named-tokens.ts");
  const { openHomeOf } = await import("../hub/state/open-home.ts");
  const place = { home: await openHomeOf(context), log: context.log };
  const token = await requireClientToken(place, name);
  const { [name]: entry } = await listNamedTokens(place);
  const watch = () => watchClientToken(place, name);
  return { name, token, key: entry?.hash ?? "", withoutOrders, surface: entry?.surface, watch };
}

/** Clients start this in the folder their user works in, whose configuration is not the one they were connected to. */
async function inStateFolder(context: CommandContext): Promise<CommandContext> {
  const { homePath } = await import("../hub/state/open-home.ts");
  return { ...context, cwd: homePath(context) };
}

/** Offers the servers of the running hub, so that none is started twice. Returns false if no hub is running. */
async function serveFromHub(
  context: CommandContext,
  options: RelayOptions,
  waitMs: number,
  begun: Begun,
): Promise<boolean> {
  // What a relay needs takes longer to load than everything else.
  const { mayHaveHub } = await import("../hub/state/open-home.ts");
  if (!mayHaveHub(context)) return false;
  const { openRelay } = await import("../hub/relay.ts");
  const relay = await openRelay(context, options);
  if (relay === undefined) return false;
  const { relayGuard: guard } = await import("../hub/relay.ts");
  try {
    const { view, surfaces, maxFrameBytes } = relay;
    const fallbackInstructions = await explainNothing(context, relay.hasServers, () => view.tools().length > 0);
    const ready = relay.settled(waitMs);
    await serveStdin(
      context,
      { view, guard, surfaces, fallbackInstructions },
      { maxFrameBytes, ready, ...begun },
      waitMs,
    );
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
  const { findConfigOf } = await import("../hub/state/active-config.ts");
  const { homePath } = await import("../hub/state/open-home.ts");
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
  parts: Omit<DoorOfferOptions, "door" | "info" | "log" | "listPatienceMs">,
  stdio: Omit<StdioDoorOptions, "offer" | "log" | "input" | "output" | "graceMs">,
  waitMs: number,
): Promise<void> {
  const { serveStdioDoor } = await import("../doors/mcp/stdio-door.ts");
  const { createDoorOffer } = await import("../doors/mcp/door-offer.ts");
  const { log } = context;
  const input = context.stdin as Readable;
  context.stopSignal().addEventListener("abort", () => input.destroy(), { once: true });
  const output = context.stdout as unknown as Writable;
  // Requests wait until the catalog is filled, so a list need not.
  const offer = createDoorOffer({ ...parts, door: "mcp-stdio", info, log, listPatienceMs: 0 });
  await serveStdioDoor({ ...stdio, offer, log, input, output, graceMs: waitMs + 2000 });
}
