import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
import type { MachineFault, MachineStart, Settlement } from "./machine.ts";
import type { WorkerOrder, WorkerReport, WorkerSetup } from "./script-worker.ts";

/** The threads in which scripts compute, started with the first script. */
export interface Machines {
  /** Starts a script, or continues one whose answers so far are known. */
  start(start: MachineStart, listener: MachineListener, known?: readonly Settlement[]): RunningMachine;
  close(): Promise<void>;
}

export interface MachineListener {
  /**
   * The script has computed, and waits, or is over, or can't go on. One that had to be started anew sends its messages from
   * the first on.
   */
  onReport(messages: readonly string[], fault: MachineFault | undefined): void;
  /** Its thread had to be ended because of another script: it begins again, and sends the same messages. */
  onRestart(): void;
}

export interface RunningMachine {
  settle(settlement: Settlement): void;
  drop(): void;
}

export interface MachinesOptions {
  readonly threads: number;
  /** How much processor time one step of a script may take: not everything in a machine can be interrupted. */
  readonly maxStepMs: number;
}

interface Thread {
  readonly worker: Worker;
  readonly shared: Int32Array;
  /** The scripts in it, and how many reports each still owes. */
  readonly scripts: Map<number, HostedScript>;
  /** The order that it was seen at, and the processor time of the whole process then. */
  seen: { orders: number; cpuMs: number };
}

interface HostedScript {
  readonly start: MachineStart;
  readonly listener: MachineListener;
  readonly known: Settlement[];
  thread: Thread;
  pending: number;
}

const checkMs = 250;

export function createMachines({ threads: maxThreads, maxStepMs }: MachinesOptions): Machines {
  const threads = new Set<Thread>();
  let lastScript = 0;
  let watch: NodeJS.Timeout | undefined;

  return {
    start(start, listener, known = []) {
      const script = ++lastScript;
      const hosted: HostedScript = { start, listener, known: [...known], thread: chooseThread(), pending: 0 };
      begin(script, hosted);
      return {
        settle(settlement) {
          hosted.known.push(settlement);
          if (hosted.thread.scripts.has(script)) order(hosted, { act: "settle", script, settlement });
        },
        drop() {
          if (!hosted.thread.scripts.delete(script)) return;
          // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
          hosted.thread.worker.postMessage({ act: "drop", script } satisfies WorkerOrder);
          rest(hosted.thread);
        },
      };
    },
    async close() {
      clearInterval(watch);
      await Promise.all(Array.from(threads, ({ worker }) => worker.terminate()));
      threads.clear();
    },
  };

  function begin(script: number, hosted: HostedScript): void {
    hosted.thread.scripts.set(script, hosted);
    hosted.pending = 0;
    order(hosted, { act: "start", script, start: hosted.start, known: hosted.known });
  }

  function order(hosted: HostedScript, message: WorkerOrder): void {
    hosted.pending++;
    const { thread } = hosted;
    thread.worker.ref();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    thread.worker.postMessage(message);
    watch ??= setInterval(check, checkMs).unref();
  }

  /** One that does not compute, if there is one or may be. */
  function chooseThread(): Thread {
    const all = [...threads].toSorted((one, other) => one.scripts.size - other.scripts.size);
    const free = all.find(({ shared }) => Atomics.load(shared, 0) === 0);
    const isCrowded = free !== undefined && free.scripts.size >= 16;
    if (threads.size < maxThreads && (free === undefined || isCrowded)) return openThread();
    return free ?? all[0]!;
  }

  function openThread(): Thread {
    const shared = new SharedArrayBuffer(8);
    const wasmPath = createRequire(import.meta.url).resolve("quickjs-wasi/quickjs.wasm");
    const worker = new Worker(workerFile(), {
      workerData: { wasmPath, shared } satisfies WorkerSetup,
      resourceLimits: { maxOldGenerationSizeMb: 128, stackSizeMb: 4 },
      // It has no business with our variables, and prints nothing.
      env: {},
      argv: [],
      execArgv: [],
      stdin: false,
      stdout: true,
      stderr: true,
    });
    const thread: Thread = {
      worker,
      shared: new Int32Array(shared),
      scripts: new Map(),
      seen: { orders: 0, cpuMs: cpuMs() },
    };
    threads.add(thread);
    worker.on("message", ({ script, sent, fault }: WorkerReport) => {
      const hosted = thread.scripts.get(script);
      if (hosted === undefined) return;
      hosted.pending--;
      if (fault !== undefined) thread.scripts.delete(script);
      hosted.listener.onReport(sent, fault);
      rest(thread);
    });
    worker.on("error", (error) =>
      lose(thread, { reason: "internal", message: `The scripts' thread failed: ${error.message}` }),
    );
    worker.on("exit", () => lose(thread, { reason: "internal", message: "The scripts' thread ended." }));
    return thread;
  }

  /** A process that has nothing else to do may end while scripts wait. */
  function rest({ worker, scripts }: Thread): void {
    if (![...scripts.values()].some(({ pending }) => pending > 0)) worker.unref();
  }

  /** Ends threads in which one step takes too long. Its script fails, and the others in it go on elsewhere. */
  function check(): void {
    const now = cpuMs();
    let isBusy = false;
    for (const thread of threads) {
      const orders = Atomics.load(thread.shared, 1);
      const script = Atomics.load(thread.shared, 0);
      if (script !== 0) isBusy = true;
      if (orders !== thread.seen.orders || script === 0) thread.seen = { orders, cpuMs: now };
      else if (now - thread.seen.cpuMs > maxStepMs)
        lose(thread, { reason: "steps", message: "The script computes for too long in one step." }, script);
    }
    const isWaited = [...threads].some(({ scripts }) => [...scripts.values()].some(({ pending }) => pending > 0));
    if (isBusy || isWaited) return;
    clearInterval(watch);
    watch = undefined;
  }

  function lose(thread: Thread, fault: MachineFault, culprit?: number): void {
    if (!threads.delete(thread)) return;
    void thread.worker.terminate();
    const hosted = [...thread.scripts];
    thread.scripts.clear();
    for (const [script, each] of hosted) {
      // Without a culprit it could be any of them: none is tried again.
      if (culprit === undefined || script === culprit) each.listener.onReport([], fault);
      else {
        each.listener.onRestart();
        each.thread = chooseThread();
        begin(script, each);
      }
    }
  }
}

/** That of a thread alone can't be read in every Node. On a busy machine a thread may stand still for seconds. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Beside this file: as it is in the source, or as the build writes it. */
function workerFile(): URL {
  return new URL(import.meta.url.endsWith(".ts") ? "./script-worker.ts" : "./script-worker.js", import.meta.url);
}
