import { constants, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { CageConfig } from "../../../../core/config/sandbox-config.ts";
import { toFault } from "../../../../core/fault.ts";
import { readRegularFileNow } from "../../../../core/files/read-regular-file.ts";
import { silentLog } from "../../../../core/log.ts";
import type { FullCage } from "../../../../core/process/cage/cage.ts";
import type { Env } from "../../../../core/process/child-env.ts";
import { findProgram } from "../../../../core/process/find-program.ts";
import { RpcFault } from "../../../../mcp/messages/json-rpc.ts";
import type { Tool } from "../../../../mcp/messages/tool.ts";
import { answerServer } from "../../answer-server.ts";
import { type Connection, createConnection } from "../../connection/connection.ts";
import { requestLimits, type ServerDefinition } from "../../definition.ts";
import { fetchLists } from "../../lists/fetch-lists.ts";
import { messageForUser } from "../../stdio/server-exit.ts";
import type { Sandboxes } from "../sandboxes.ts";
import type { CageNeed } from "./propose-cage.ts";
import { readTrace, traceFile, traceWords } from "./trace.ts";

export interface TrialOptions {
  readonly sandboxes: Sandboxes;
  readonly env: Env;
  readonly version: string;
  readonly signal: AbortSignal;
  /** Has a folder for each server with a cage of its own. */
  readonly keptFolder: string;
  /** Folders that a server is never given. */
  readonly ownFolders: readonly string[];
}

/** What came of running a server once in a cage. */
export interface Trial {
  /** It was connected and listed its tools; and the call, if one was made, was answered. */
  readonly isGood: boolean;
  /** Why not. */
  readonly reason?: string | undefined;
  readonly tools: number;
  /** The tool that was called. */
  readonly called?: string | undefined;
  readonly needs: readonly CageNeed[];
  /** Unix sockets that it could not connect to. */
  readonly sockets: readonly string[];
  /** What it printed on stderr. */
  readonly said: string;
  /** What belongs to its program. */
  readonly program: readonly string[];
}

/** Runs the server in this cage, once more without a tracer if it does not answer under one. */
export async function runTrial(definition: ServerDefinition, cage: CageConfig, options: TrialOptions): Promise<Trial> {
  const strace = await findProgram("strace", { env: options.env, cwd: "/", platform: process.platform });
  const traced = await runOnce(definition, cage, { ...options, strace });
  if (traced.isGood || strace === undefined || options.signal.aborted) return traced;
  const plain = await runOnce(definition, cage, options);
  return { ...plain, needs: [...plain.needs, ...traced.needs], sockets: traced.sockets };
}

async function runOnce(
  definition: ServerDefinition,
  cage: CageConfig,
  options: TrialOptions & { readonly strace?: string | undefined },
): Promise<Trial> {
  const { sandboxes, env, version, signal, strace } = options;
  const { transport } = definition;
  if (transport.kind !== "stdio") throw new TypeError("only a command has a cage");
  const needs: CageNeed[] = [];
  mkdirSync(options.keptFolder, { recursive: true, mode: 0o700 });
  const kept = mkdtempSync(join(options.keptFolder, "trial-"));
  // Without hosts it has a proxy all the same, which says what it was asked for.
  const sandbox = { ...cage, network: cage.network === false ? [] : cage.network };
  const tried = { ...definition, transport: { ...transport, sandbox }, isLazy: false };
  let made: FullCage | undefined;
  const connection = createConnection({
    definition: tried,
    env,
    log: silentLog,
    version,
    now: Date.now,
    async prepareStart() {
      const note = (line: string): void => connection.stderr.push(Buffer.from(`clawport: ${line}\n`));
      const found = await sandboxes.cageOf(tried, note, {
        kept,
        onRefused: (refused, from) => void needs.push({ refused, from }),
        ...(strace !== undefined && { trace: (line, home) => traceWords(strace, line, home) }),
      });
      made = found?.kind === "on" ? found : undefined;
      return found;
    },
    ask: (question) => answerServer(question, tried, undefined, { signal, log: silentLog }),
    admit: () => Promise.resolve(),
    hasRoom: () => false,
  });
  const outcome = await useServer(connection, signal);
  const said = connection.stderr.text();
  await connection.stop("The trial is over.");
  if (outcome.isGood || outcome.called !== undefined) made?.explain?.(said);
  const traced = made === undefined ? undefined : takeTrace(made, options.ownFolders);
  rmSync(kept, { recursive: true, force: true });
  const program = made === undefined ? [] : made.read.filter((path) => !cage.read.includes(path));
  return {
    ...outcome,
    needs: [...needs, ...(traced?.refused ?? []).map((refused) => ({ refused, from: "server" as const }))],
    sockets: traced?.sockets ?? [],
    said,
    program,
  };
}

const callMs = 20_000;

async function useServer(
  connection: Connection,
  signal: AbortSignal,
): Promise<Pick<Trial, "isGood" | "reason" | "tools" | "called">> {
  let tools: readonly Tool[] = [];
  let called: string | undefined;
  try {
    const { agreement } = await connection.open(signal);
    const limits = requestLimits(connection.definition);
    const send = (method: string, params: object) => connection.query(method, { ...params }, { ...limits, signal });
    ({ tools } = (await fetchLists(send, agreement.capabilities)).lists);
    called = findHarmlessTool(tools)?.name;
    if (called !== undefined) {
      const patience = { timeoutMs: callMs, maxTotalMs: callMs, signal };
      // An error of the tool is an answer.
      await connection.query("tools/call", { name: called, arguments: {} }, patience).catch((error: unknown) => {
        if (!(error instanceof RpcFault)) throw error;
      });
    }
    return { isGood: true, tools: tools.length, called };
  } catch (error) {
    return { isGood: false, reason: messageForUser(toFault(error)), tools: tools.length, called };
  }
}

/** One that says of itself that it only reads, or is named so, and needs no arguments. */
export function findHarmlessTool(tools: readonly Tool[]): Tool | undefined {
  const callable = tools.filter(({ inputSchema }) => ((inputSchema["required"] as unknown[]) ?? []).length === 0);
  const isReading = ({ name, annotations }: Tool): boolean =>
    annotations?.readOnlyHint ??
    /^(?:\w+[_-])??(?:list|get|read|show|status|info|ping|version|whoami|search)(?:[_-]|$)/i.test(name);
  const reading = callable.filter(isReading);
  return reading.find(({ name }) => /list|status|info|ping|version/i.test(name)) ?? reading[0];
}

const maxTraceBytes = 32 * 1024 * 1024;

function takeTrace(cage: FullCage, closedFolders: readonly string[]) {
  const file = join(cage.kept, traceFile);
  try {
    return readTrace(readRegularFileNow(file, maxTraceBytes, constants.O_NOFOLLOW), { cage, closedFolders });
  } catch {
    // Without a tracer there is none.
    return undefined;
  }
}
