import { readFileSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import {
  wasmApi,
  type ScriptMachine,
  type MachineFault,
  type MachineStart,
  openScriptMachine,
  type Settlement,
} from "./machine.ts";

/** Runs in a thread of its own: the machines of several scripts, one of which computes at a time. */

/** What the thread is told. Settlements that are known already come with the start: the script goes on after the last. */
export type WorkerOrder =
  | {
      readonly act: "start";
      readonly script: number;
      readonly start: MachineStart;
      readonly known: readonly Settlement[];
    }
  | { readonly act: "settle"; readonly script: number; readonly settlement: Settlement }
  | { readonly act: "drop"; readonly script: number };

/** What came of one order: exactly one report each, but for `drop`. */
export interface WorkerReport {
  readonly script: number;
  /** JSON, as the script wrote it. */
  readonly sent: readonly string[];
  readonly fault?: MachineFault | undefined;
}

export interface WorkerSetup {
  readonly wasmPath: string;
  /** At 0: the script that computes now, or 0. At 1: how many orders were begun. Read while the thread is busy. */
  readonly shared: SharedArrayBuffer;
}

const { wasmPath, shared } = workerData as WorkerSetup;
const wasm = new wasmApi.Module(readFileSync(wasmPath));
const now = new Int32Array(shared);
const machines = new Map<number, ScriptMachine>();
const port = parentPort!;
let queue = Promise.resolve();

port.on("message", (order: WorkerOrder) => {
  queue = queue.then(() => obey(order));
});

async function obey(order: WorkerOrder): Promise<void> {
  const { act, script } = order;
  Atomics.add(now, 1, 1);
  Atomics.store(now, 0, script);
  try {
    if (act === "drop") return drop(script);
    const machine = act === "start" ? await begin(order) : machines.get(script);
    if (machine === undefined) return;
    if (act === "settle") machine.settle(order.settlement);
    report(script, machine);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    port.postMessage({ script, sent: [], fault: { reason: "internal", message } } satisfies WorkerReport);
  } finally {
    Atomics.store(now, 0, 0);
  }
}

async function begin({ script, start, known }: WorkerOrder & { act: "start" }): Promise<ScriptMachine> {
  const machine = await openScriptMachine(wasm, start);
  machines.set(script, machine);
  for (const settlement of known) machine.settle(settlement);
  return machine;
}

function report(script: number, { sent, fault }: ScriptMachine): void {
  port.postMessage({ script, sent: sent.splice(0), fault } satisfies WorkerReport);
  if (fault !== undefined) drop(script);
}

function drop(script: number): void {
  machines.get(script)?.close();
  machines.delete(script);
}
