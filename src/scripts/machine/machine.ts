import { JSException, type JSValueHandle, QuickJS } from "quickjs-wasi";
import { withoutTypes, wrapSource } from "./compile-source.ts";
import { guestSource } from "./guest.ts";

/** What is used of WebAssembly, which the compiler knows only with the types of a browser. */
export const wasmApi = (
  globalThis as unknown as {
    readonly WebAssembly: {
      readonly Module: new (bytes: Uint8Array) => CompiledModule;
      readonly RuntimeError: new () => Error;
    };
  }
).WebAssembly;

export type CompiledModule = object;

export interface MachineLimits {
  readonly memoryBytes: number;
  /** Times that the machine asks whether to go on: once for about 10,000 of its instructions. */
  readonly steps: number;
  /** Characters of all messages that it may send. */
  readonly outputLength: number;
}

export interface MachineStart {
  readonly code: string;
  /** JSON. */
  readonly input: string;
  /** The machine's clock, in milliseconds: it stands still while the script runs. */
  readonly time: number;
  /** Whatever is random in it follows from this number. */
  readonly seed: number;
  readonly limits: MachineLimits;
}

/** The answer to a question of the script. */
export interface Settlement {
  readonly id: number;
  readonly isOk: boolean;
  /** JSON: the value, or `{ message, code }`. */
  readonly text: string;
  readonly time: number;
}

/** A script in a machine of its own: no clock, no network, no modules, no object of this process. */
export interface ScriptMachine {
  /** What the script sent since, as JSON each. The same start and the same settlements always give the same messages. */
  readonly sent: string[];
  /** Why it can't go on, if it can't. */
  readonly fault: MachineFault | undefined;
  settle(settlement: Settlement): void;
  close(): void;
}

export interface MachineFault {
  readonly reason: "syntax" | "memory" | "steps" | "depth" | "output" | "internal";
  readonly message: string;
}

export async function openScriptMachine(wasm: CompiledModule, start: MachineStart): Promise<ScriptMachine> {
  const { limits } = start;
  // Only the machine's start reads it for its random numbers.
  let nanoseconds = BigInt(Math.trunc(start.time)) * 1_000_000n + BigInt(start.seed);
  let stepsLeft = limits.steps;
  let lengthLeft = limits.outputLength;
  const sent: string[] = [];
  let fault: MachineFault | undefined;
  const vm = await QuickJS.create({
    wasm: wasm as never,
    memoryLimit: limits.memoryBytes,
    maxStackSize: 256 * 1024,
    timezoneOffset: 0,
    interruptHandler: () => fault !== undefined || --stepsLeft < 0,
    wasi: (memory: { readonly buffer: ArrayBuffer }) => ({
      clock_time_get(_clock: number, _precision: bigint, at: number) {
        new DataView(memory.buffer).setBigUint64(at, nanoseconds, true);
        return 0;
      },
      random_get(at: number, length: number) {
        new Uint8Array(memory.buffer, at, length).fill(start.seed & 255);
        return 0;
      },
      fd_write: () => 8,
    }),
  });

  using send = vm.newFunction("send", (message) => {
    // Only text is read: converting anything else would run the script's own code.
    if (!message?.isString) throw new TypeError("Only text can be sent.");
    const text = message.toString();
    lengthLeft -= text.length;
    if (lengthLeft < 0) {
      fault = { reason: "output", message: `The script sends more than ${limits.outputLength} characters.` };
      throw new RangeError("too much output");
    }
    sent.push(text);
    return vm.undefined;
  });
  vm.setProp(vm.global, "send", send);
  const guest = vm.evalCode(guestSource, "guest");
  const [startGuest, settleGuest] = [guest.getProp("start"), guest.getProp("settle")];
  // From here on it is the script that runs.
  stepsLeft = limits.steps;
  run(() => {
    nanoseconds = millisecondsOf(start.time);
    using main = compile();
    using input = vm.newString(start.input);
    vm.callFunction(startGuest, vm.undefined, main, input).dispose();
  });

  return {
    sent,
    get fault() {
      return fault;
    },
    settle({ id, isOk, text, time }) {
      run(() => {
        nanoseconds = millisecondsOf(time);
        using number = vm.newNumber(id);
        using json = vm.newString(text);
        vm.callFunction(settleGuest, vm.undefined, number, isOk ? vm.true : vm.false, json).dispose();
      });
    },
    close() {
      try {
        vm.dispose();
      } catch {
        // After a trap its memory can't be trusted, and goes with it.
      }
    },
  };

  /** Plain JavaScript first: taking types away costs more than most scripts. */
  function compile(): JSValueHandle {
    const forms = wrapSource(start.code);
    let wrong: JSException | undefined;
    for (const source of withStripped(forms)) {
      try {
        return vm.evalCode(source, "script");
      } catch (error) {
        if (!(error instanceof JSException) || error.name !== "SyntaxError") throw error;
        wrong = error;
      }
    }
    throw new SyntaxFault(syntaxText(wrong!));
  }

  /** Nothing that a script throws gets out of here. */
  function run(act: () => void): void {
    if (fault !== undefined) return;
    try {
      act();
      vm.executePendingJobs();
    } catch (error) {
      fault ??= faultOf(error, stepsLeft);
    }
  }
}

const millisecondsOf = (time: number): bigint => BigInt(Math.trunc(time)) * 1_000_000n;

class SyntaxFault extends Error {}

function* withStripped(forms: readonly string[]): Generator<string> {
  yield* forms;
  for (const form of forms) {
    try {
      yield withoutTypes(form);
    } catch {
      // No TypeScript either.
    }
  }
}

/** `expecting ';' (line 3)` */
function syntaxText({ message, stack = "" }: JSException): string {
  const line = /script:(\d+)/.exec(stack)?.[1];
  return line === undefined ? message : `${message} (line ${line})`;
}

function faultOf(error: unknown, stepsLeft: number): MachineFault {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof SyntaxFault) return { reason: "syntax", message };
  if (stepsLeft < 0) return { reason: "steps", message: "The script computes for too long." };
  if (/out of memory/.test(message)) return { reason: "memory", message: "The script needs too much memory." };
  // A trap: the machine's own stack, or that of the thread, is full.
  if (error instanceof RangeError || error instanceof wasmApi.RuntimeError || /stack/.test(message))
    return { reason: "depth", message: "The script nests too deeply." };
  return { reason: "internal", message: `The script's machine failed: ${message.slice(0, 200)}` };
}
