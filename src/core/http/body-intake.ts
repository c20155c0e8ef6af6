import type { IncomingMessage, ServerOptions } from "node:http";
import { Fault } from "../fault.ts";
import { InFlight } from "../in-flight.ts";
import type { JsonSpiller } from "../json-bytes.ts";
import { type BodyWatch, readBody } from "./read-body.ts";
import { createShares, type ShareRefusal, type ShareRules, type Shares } from "./shares.ts";

/** Reads the bodies that arrive at a door. Each has a time to arrive, and all together a limit on what they take up. */
export interface BodyIntake {
  read(request: IncomingMessage, options: ReadOptions): Promise<unknown>;
  /** Bodies that are arriving now. */
  readonly arriving: number;
  /** Bytes of them that are in memory. */
  readonly bytesInMemory: number;
  close(): void;
}

export interface ReadOptions {
  /** Whose share of the memory the body takes: a token, or a session. */
  readonly holder: string;
  readonly maxBytes: number;
  readonly spiller?: JsonSpiller | undefined;
}

export interface BodyIntakeOptions {
  /** Bytes in memory; without it only time and the size of each body are limited. */
  readonly memory?: ShareRules;
  /** Bytes in files, of bodies whose long strings are spilled. */
  readonly disk?: ShareRules;
  /** How long a body may take that comes more slowly than `slowestBytesPerSecond`. */
  readonly timeoutMs?: number | undefined;
}

const bodyTimeoutMs = 30_000;
const slowestBytesPerSecond = 64 * 1024;

/** Timeouts of an HTTP server whose bodies go through an intake. */
export function arrivalTimeouts(maxBodyBytes: number, headersTimeout = 15_000): ServerOptions {
  return {
    // Clients keep connections for their next call. Node's default of 5 s would close them in between.
    keepAliveTimeout: 65_000,
    headersTimeout,
    // For bodies that are not read. The intake closes those that come too slowly long before.
    requestTimeout: bodyTimeoutMs + Math.ceil((maxBodyBytes / slowestBytesPerSecond) * 1000),
    connectionsCheckingInterval: Math.min(5000, headersTimeout),
  };
}

const unlimited: ShareRules = { max: Infinity, maxOfOne: Infinity };

export function createBodyIntake(options: BodyIntakeOptions = {}): BodyIntake {
  const { timeoutMs = bodyTimeoutMs } = options;
  const memory = createShares(options.memory ?? unlimited);
  const disk = createShares(options.disk ?? unlimited);
  const arriving = new InFlight<ArrivingBody>();
  // One timer for all of them, so that no request needs its own.
  const sweeps = setInterval(giveUpSlow, Math.min(1000, timeoutMs / 2)).unref();

  return {
    read(request, { holder, maxBytes, spiller }) {
      const body = new ArrivingBody(holder, { arriving, memory, disk });
      arriving.add(body);
      return readBody(request, maxBytes, spiller, body);
    },
    get arriving() {
      return arriving.size;
    },
    get bytesInMemory() {
      return memory.taken;
    },
    close: () => clearInterval(sweeps),
  };

  function giveUpSlow(): void {
    const now = performance.now();
    for (const body of arriving) {
      body.seenAt ??= now;
      const elapsed = now - body.seenAt;
      if (elapsed >= timeoutMs && body.received < (elapsed / 1000) * slowestBytesPerSecond)
        body.giveUp?.(tooSlow(timeoutMs));
    }
  }
}

interface IntakeState {
  readonly arriving: InFlight<ArrivingBody>;
  readonly memory: Shares;
  readonly disk: Shares;
}

class ArrivingBody implements BodyWatch {
  /** When it was first found to be arriving: looking at the clock for every request would cost more than all of this. */
  seenAt: number | undefined;
  received = 0;
  giveUp?: (fault: Fault) => void;
  readonly #holder: string;
  readonly #intake: IntakeState;
  #inMemory = 0;
  #onDisk = 0;

  constructor(holder: string, intake: IntakeState) {
    this.#holder = holder;
    this.#intake = intake;
  }

  grow(received: number, inMemory: number): Fault | undefined {
    const { memory, disk } = this.#intake;
    const onDisk = received - inMemory;
    this.received = received;
    const refusal = this.#change(memory, inMemory - this.#inMemory);
    if (refusal) return noRoom(refusal);
    this.#inMemory = inMemory;
    const diskRefusal = this.#change(disk, onDisk - this.#onDisk);
    if (diskRefusal) return noRoom(diskRefusal);
    this.#onDisk = onDisk;
    return undefined;
  }

  end(): void {
    const { arriving, memory, disk } = this.#intake;
    if (!arriving.delete(this)) return;
    this.#change(memory, -this.#inMemory);
    this.#change(disk, -this.#onDisk);
  }

  #change(shares: Shares, bytes: number): ShareRefusal | undefined {
    if (bytes > 0) return shares.take(this.#holder, bytes);
    if (bytes < 0) shares.give(this.#holder, -bytes);
    return undefined;
  }
}

function tooSlow(timeoutMs: number): Fault {
  const seconds = Math.ceil(timeoutMs / 1000);
  const rate = `${slowestBytesPerSecond / 1024} KB a second`;
  return new Fault("slow-request", `The request did not arrive within ${seconds} s. Send at least ${rate}.`);
}

function noRoom(refusal: ShareRefusal): Fault {
  const whose = refusal === "share" ? "of this caller " : "";
  return new Fault("busy", `Requests ${whose}that are still arriving take up too much memory. Try again in a second.`);
}
