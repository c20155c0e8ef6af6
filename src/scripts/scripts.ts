import type { CallContext } from "../catalog/call-context.ts";
import type { Caller } from "../catalog/caller.ts";
import type { Config } from "../core/config/config-schema.ts";
import { Fault } from "../core/fault.ts";
import type { Log } from "../core/log.ts";
import { randomHex } from "../core/secrets/crypto.ts";
import { createMachines, type Machines } from "./machine/machines.ts";
import { runScript, type ScriptEnd } from "./run-script.ts";
import { type AttachedClient, createScriptClient } from "./script-client.ts";
import { createScriptTools, type ScriptReach } from "./script-tools.ts";

/** The scripts of a process: those that run, and for a while those that are over. */
export interface Scripts {
  /** Faults if it can't be started. */
  start(order: ScriptOrder): StartedScript;
  /** Undefined if the owner has no such script. */
  find(id: string, owner: string): StartedScript | undefined;
  list(owner?: string): readonly StartedScript[];
  close(): Promise<void>;
}

export interface ScriptOrder {
  readonly code: string;
  readonly input: unknown;
  readonly timeoutMs?: number | undefined;
  /** Whose it is, whatever the session. */
  readonly owner: string;
  readonly caller: Caller;
  readonly reach: ScriptReach;
}

export interface StartedScript extends Pick<AttachedClient, "attach" | "isAsking" | "lastProgress"> {
  readonly id: string;
  readonly owner: string;
  readonly caller: Caller;
  readonly code: string;
  readonly startedAt: number;
  /** Undefined while it runs. */
  readonly end: ScriptEnd | undefined;
  readonly done: Promise<ScriptEnd>;
  stop(reason: string): void;
}

export interface ScriptsOptions {
  readonly config: Config["scripts"];
  readonly log: Log;
  readonly clock?: () => number;
}

const maxCodeBytes = 256 * 1024;
const maxInputBytes = 4 * 1024 * 1024;
const maxRunning = 128;
const maxRunningOfOne = 64;
/** Of those that are over. */
const maxKept = 200;
/** About 5 s of computing in all, on a usual machine. */
const maxSteps = 5000;
const maxOutputLength = 16 * 1024 * 1024;
const maxAnswerLength = 32 * 1024 * 1024;
const maxStepMs = 10_000;
const threads = 4;

export function createScripts({ config, log, clock = Date.now }: ScriptsOptions): Scripts {
  const known = new Map<string, StartedScript>();
  let machines: Machines | undefined;

  return {
    start,
    find: (id, owner) => ownedBy(owner).find((script) => script.id === id),
    list: (owner) => (owner === undefined ? [...known.values()] : ownedBy(owner)),
    async close() {
      for (const script of known.values()) script.stop("The hub is stopping.");
      await machines?.close();
    },
  };

  function ownedBy(owner: string): readonly StartedScript[] {
    return known
      .values()
      .filter((script) => script.owner === owner)
      .toArray();
  }

  function start({ code, input, timeoutMs = config.timeout, owner, caller, reach }: ScriptOrder): StartedScript {
    const json = JSON.stringify(input ?? null);
    if (Buffer.byteLength(code) > maxCodeBytes)
      throw new Fault("too-large", `A script may have ${maxCodeBytes} bytes.`);
    if (Buffer.byteLength(json) > maxInputBytes)
      throw new Fault("too-large", `The input of a script may have ${maxInputBytes} bytes.`);
    const others = known
      .values()
      .filter(({ end }) => end === undefined)
      .toArray();
    const ofOwner = others.filter((script) => script.owner === owner).length;
    if (others.length >= maxRunning || ofOwner >= maxRunningOfOne)
      throw new Fault("busy", "Too many scripts are running. Wait for one of them to end.");
    const id = `s_${randomHex(8)}`;
    const client = createScriptClient({ id, code, caller, log });
    const abort = new AbortController();
    const time = clock();
    machines ??= createMachines({ threads, maxStepMs });
    const running = runScript({
      machines,
      start: {
        code,
        input: json,
        time,
        seed: Number.parseInt(randomHex(4), 16),
        limits: { memoryBytes: config.memoryMb * 1024 * 1024, steps: maxSteps, outputLength: maxOutputLength },
      },
      host: createScriptTools(reach, client),
      limits: {
        calls: config.maxCalls,
        parallel: config.parallel,
        answerLength: maxAnswerLength,
        timeoutMs: Math.min(timeoutMs, config.timeout),
      },
      signal: abort.signal,
      clock,
    });
    let end: ScriptEnd | undefined;
    const done = running.then((how) => {
      end = how;
      forgetOldest();
      return how;
    });
    const script: StartedScript = {
      id,
      owner,
      caller,
      code,
      startedAt: time,
      done,
      get end() {
        return end;
      },
      attach: (context: CallContext) => client.attach(context),
      get isAsking() {
        return client.isAsking;
      },
      get lastProgress() {
        return client.lastProgress;
      },
      stop: (reason) => abort.abort(new Fault("cancelled", reason)),
    };
    known.set(id, script);
    return script;
  }

  function forgetOldest(): void {
    const over = known
      .values()
      .filter(({ end }) => end !== undefined)
      .toArray();
    for (const { id } of over.slice(0, Math.max(0, over.length - maxKept))) known.delete(id);
  }
}
