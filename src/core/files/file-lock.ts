import { mkdir, readdir, rm, rmdir, stat, utimes, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { codeOf, Fault, isFault, messageOf } from "../fault.ts";
import { type Log, silentLog } from "../log.ts";
import { formatMark, judgeMark, ownMark, parseMark, type ProcessMark } from "../process/process-mark.ts";
import { cancelledBy, sleep, withDeadline } from "../wait.ts";

export interface LockOptions {
  readonly signal?: AbortSignal;
  /** How long to wait for another holder before throwing `locked`; 30 s by default. */
  readonly waitMs?: number;
  readonly log?: Log;
  /** Where the system lists its processes; `/proc` by default. If it does not exist, heartbeats decide. */
  readonly proc?: string;
  /** How often a holder shows that it lives, to processes that can't see it; 2 s by default. */
  readonly heartbeatMs?: number;
  /** Removes the folder afterwards unless another claim is in it: for locks whose names come and go. */
  readonly removeAfter?: boolean;
}

const defaultHeartbeatMs = 2000;

/** Callers in the same process queue here, so that only one of them polls the folder. */
const queues = new Map<string, Promise<unknown>>();
let counter = 0;

/**
 * Runs `work` while no other process (and no other caller in this one) holds the lock. Holders that died are ignored.
 *
 * The lock is a folder; a claim is a file in it, named after its process. A process that finds no other living claim
 * *after* it has put down its own holds the lock; otherwise it removes its claim and tries again. Of two claimants the
 * later one always sees the earlier one, so both can never hold. Names are never used twice, so removing a dead claim
 * can't hit a living one: with a single lock file two waiters could each "take over", one of them from the other.
 */
export async function withFileLock<T>(lockPath: string, options: LockOptions, work: () => Promise<T>): Promise<T> {
  const folder = resolve(lockPath);
  const deadline = performance.now() + (options.waitMs ?? 30_000);
  const before = queues.get(folder) ?? Promise.resolve();
  const turn = Promise.withResolvers<void>();
  const tail = before.then(() => turn.promise);
  queues.set(folder, tail);
  try {
    await waitForTurn(before, folder, deadline, options.signal);
    return await withClaim(folder, deadline, options, work);
  } finally {
    turn.resolve();
    if (queues.get(folder) === tail) queues.delete(folder);
  }
}

async function waitForTurn(
  before: Promise<unknown>,
  folder: string,
  deadline: number,
  signal?: AbortSignal,
): Promise<void> {
  try {
    await withDeadline(Math.max(0, deadline - performance.now()), signal, () => before);
  } catch (error) {
    throw isFault(error, "timeout") && !signal?.aborted ? lockedFault(folder, process.pid) : error;
  }
}

async function withClaim<T>(
  folder: string,
  deadline: number,
  options: LockOptions,
  work: () => Promise<T>,
): Promise<T> {
  const { log = silentLog, heartbeatMs = defaultHeartbeatMs } = options;
  const claim = await putClaim(folder, deadline, options).catch((error: unknown) => {
    if (error instanceof Fault) throw error;
    throw new Fault("io", `Could not lock ${folder}: ${messageOf(error)}. Check its permissions.`, { cause: error });
  });
  const heartbeat = setInterval(() => {
    const now = new Date();
    utimes(claim, now, now).catch((error: unknown) => log.warn("a lock may be lost", { folder, error }));
  }, heartbeatMs);
  heartbeat.unref();
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    await rm(claim, { force: true }).catch((error: unknown) => log.warn("a lock stays until exit", { folder, error }));
    // Fails while another claim is in it, as it should.
    if (options.removeAfter === true) await rmdir(folder).catch(() => {});
  }
}

async function putClaim(folder: string, deadline: number, options: LockOptions): Promise<string> {
  const { signal, log = silentLog, proc = "/proc", heartbeatMs = defaultHeartbeatMs } = options;
  const own = ownMark(proc);
  const watch = createClaimWatch(folder, own, proc, heartbeatMs, log);
  for (let round = 0; ; round++) {
    if (signal?.aborted) throw cancelledBy(signal);
    const claim = join(folder, `${formatMark(own)}.${process.hrtime.bigint()}${counter++}`);
    const isLate = performance.now() > deadline;
    const holder = await findOrClaim(folder, claim, watch).catch((error: unknown) => {
      // The last holder may remove the folder at any moment.
      if (codeOf(error) === "ENOENT" && !isLate) return "gone" as const;
      throw error;
    });
    if (holder === undefined) return claim;
    if (holder !== "gone" && isLate) throw lockedFault(folder, holder.pid);
    await sleep(Math.random() * Math.min(2 + round, 40), signal);
  }
}

/** Undefined if the claim holds the lock; else the process that does. */
async function findOrClaim(folder: string, claim: string, watch: ClaimWatch): Promise<ProcessMark | undefined> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return (await watch.findHolder()) ?? (await tryClaim(claim, watch));
}

/** Undefined if the claim holds the lock; else another living claimant, and the claim is removed again. */
async function tryClaim(claim: string, watch: ClaimWatch): Promise<ProcessMark | undefined> {
  let isHeld = false;
  try {
    await writeFile(claim, "", { flag: "wx", mode: 0o600 });
    const holder = await watch.findHolder(claim);
    isHeld = holder === undefined;
    return holder;
  } finally {
    if (!isHeld) await rm(claim, { force: true });
  }
}

interface ClaimWatch {
  /** A living claim other than `ours`. Removes the claims of dead processes. */
  findHolder(ours?: string): Promise<ProcessMark | undefined>;
}

/**
 * A claim whose process can't be seen counts as dead if it missed fifteen heartbeats by the file's time *and* three while
 * we watched: the first alone would misjudge a machine that just woke up, the second a process that is merely slow.
 */
function createClaimWatch(folder: string, own: ProcessMark, proc: string, heartbeatMs: number, log: Log): ClaimWatch {
  const seen = new Map<string, { readonly heartbeat: number; readonly since: number }>();

  async function isAlive(path: string, mark: ProcessMark): Promise<boolean> {
    const liveness = judgeMark(mark, own, proc);
    if (liveness !== "unknown") return liveness === "alive";
    const heartbeat = (await stat(path)).mtimeMs;
    const last = seen.get(path);
    if (last?.heartbeat !== heartbeat) seen.set(path, { heartbeat, since: performance.now() });
    const silence = last?.heartbeat === heartbeat ? performance.now() - last.since : 0;
    return silence < 3 * heartbeatMs || Date.now() - heartbeat < 15 * heartbeatMs;
  }

  return {
    findHolder: async (ours) => {
      for (const name of await readdir(folder)) {
        const path = join(folder, name);
        const mark = parseMark(name.slice(0, name.lastIndexOf(".")));
        if (path === ours || mark === undefined) continue;
        try {
          if (await isAlive(path, mark)) return mark;
          await rm(path, { force: true });
          log.debug("the lock of a process that died was removed", { folder, pid: mark.pid });
        } catch (error) {
          if (codeOf(error) !== "ENOENT") throw error;
        }
      }
      return undefined;
    },
  };
}

function lockedFault(folder: string, pid: number): Fault {
  const message = `Process ${pid} has held ${folder} for too long. Wait for it, or stop it (kill ${pid}), and try again.`;
  return new Fault("locked", message, { detail: { folder, pid } });
}

/** Takes the lock and keeps it until it is released, for work that is longer than one function call. */
export async function holdLock(path: string, options: LockOptions): Promise<{ release(): Promise<void> }> {
  const taken = Promise.withResolvers<void>();
  const over = Promise.withResolvers<void>();
  const holding = withFileLock(path, options, () => {
    taken.resolve();
    return over.promise;
  });
  holding.catch(taken.reject);
  await taken.promise;
  return {
    release: () => {
      over.resolve();
      return holding;
    },
  };
}
