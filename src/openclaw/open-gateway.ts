import type { GatewayClientOptions } from "@openclaw/gateway-client";
import { Fault, isFault, messageOf } from "../core/fault.ts";
import type { Log } from "../core/log.ts";
import { quotedPeerText } from "../core/peer-text.ts";
import { redactKnown, redactText } from "../core/secrets/redact.ts";
import { cancelledBy, sleep, withDeadline } from "../core/wait.ts";
import type { GatewayAddress } from "./locate-gateway.ts";

export interface GatewayEvent {
  readonly event: string;
  readonly payload?: unknown;
}

/** How much a gateway takes at once; it says so itself. */
export interface GatewayLimits {
  readonly frameBytes: number;
  readonly attachmentBytes: number;
  readonly imageBytes: number;
}

/** A line to an OpenClaw gateway that comes back by itself when it was lost. */
export interface GatewayConnection {
  readonly address: GatewayAddress;
  /** Waits for the line; faults with `unavailable` or `unauthorized` when there is none to be had. */
  connected(signal: AbortSignal): Promise<GatewayLimits>;
  request<T>(method: string, params: object, options: { signal: AbortSignal; timeoutMs?: number }): Promise<T>;
  onEvent(listener: (event: GatewayEvent) => void): () => void;
  /** Tells one start of the gateway from another; that of the line there is, or was last. */
  bootId(): string | undefined;
  /** Called whenever the line is lost. */
  onLost(listener: () => void): () => void;
  close(): Promise<void>;
}

export interface GatewayOptions {
  readonly address: GatewayAddress;
  readonly log: Log;
  readonly version: string;
  /** Who we are to the gateway, where that is more than a program of its operator. */
  readonly client?: Partial<GatewayClientOptions> | undefined;
  /** How long `connected` waits for a gateway that went away; for one that was never there it waits a few seconds. */
  readonly patienceMs?: number | undefined;
}

const requestTimeoutMs = 30_000;
const retryMs = 1000;
/** One that restarts comes back; an address where nobody ever answered is more likely wrong. */
const firstPatienceMs = 5000;

/** The one way to OpenClaw's gateway; nothing else of the project imports its client. */
export async function openGateway(options: GatewayOptions): Promise<GatewayConnection> {
  const { address, log, version, patienceMs = 45_000 } = options;
  const { GatewayClient } = await import("@openclaw/gateway-client");
  const events = new Set<(event: GatewayEvent) => void>();
  const lost = new Set<() => void>();
  let line = pendingConnection();
  let isUp = false;
  let bootId: string | undefined;
  let wasUp = false;
  let client = startClient();

  function startClient(): InstanceType<typeof GatewayClient> {
    const started = new GatewayClient({
      ...identity(version),
      url: address.url,
      ...(address.token === undefined ? {} : { token: address.token }),
      ...(address.password === undefined ? {} : { password: address.password }),
      requestTimeoutMs,
      ...options.client,
      hostDeps: {
        logDebug: (text) => log.debug(text),
        logError: (text) => log.debug(text),
        ...options.client?.hostDeps,
      },
      onHelloOk(hello) {
        isUp = true;
        bootId = hello.server.bootId;
        wasUp = true;
        log.debug("connected to the gateway", { server: hello.server.version });
        line.resolve(limitsOf(hello.policy));
      },
      onConnectError: (error) => fail(connectFault(error, address)),
      onReconnectPaused: ({ reason }) => fail(connectFault(new Error(reason), address)),
      onClose(_, reason) {
        if (!isUp) return;
        isUp = false;
        line = pendingConnection();
        log.debug("the line to the gateway was lost", { reason });
        for (const listener of lost) listener();
      },
      onEvent(event) {
        for (const listener of events) listener(event);
      },
    });
    started.start();
    return started;
  }

  /** Who waits now is told; who comes later waits for the next attempt. */
  function fail(fault: Fault): void {
    if (isUp) return;
    log.debug("the gateway could not be reached", { error: fault });
    line.reject(fault);
    line = pendingConnection();
  }

  return {
    address,
    async connected(signal) {
      const deadline = performance.now() + (wasUp ? patienceMs : Math.min(patienceMs, firstPatienceMs));
      for (;;) {
        try {
          return await withDeadline(Math.max(0, deadline - performance.now()), signal, () => line.promise);
        } catch (error) {
          if (signal.aborted) throw cancelledBy(signal);
          if (isFault(error, "timeout")) throw unreachableFault(address, error);
          if (isFault(error, "unauthorized") || performance.now() + retryMs > deadline) throw error;
          // The client alone would wait longer and longer; while somebody waits for it, it tries every second.
          await sleep(retryMs, signal);
          if (isUp) continue;
          client.stop();
          client = startClient();
        }
      }
    },
    async request<T>(
      method: string,
      params: object,
      { signal, timeoutMs }: { signal: AbortSignal; timeoutMs?: number },
    ) {
      try {
        return await client.request<T>(method, params, { signal, timeoutMs: timeoutMs ?? requestTimeoutMs });
      } catch (error) {
        if (signal.aborted) throw cancelledBy(signal);
        throw new Fault("unavailable", `OpenClaw's gateway refused ${method}: ${peerReason(error, address)}`, {
          cause: error,
        });
      }
    },
    onEvent(listener) {
      events.add(listener);
      return () => void events.delete(listener);
    },
    bootId: () => bootId,
    onLost(listener) {
      lost.add(listener);
      return () => void lost.delete(listener);
    },
    close: () => client.stopAndWait({ timeoutMs: 2000 }).catch(() => {}),
  };
}

function pendingConnection(): PromiseWithResolvers<GatewayLimits> {
  const line = Promise.withResolvers<GatewayLimits>();
  line.promise.catch(() => {});
  return line;
}

function identity(version: string): Partial<GatewayClientOptions> {
  return {
    clientName: "gateway-client",
    clientDisplayName: "Clawport",
    clientVersion: version,
    mode: "backend",
    role: "operator",
    scopes: ["operator.admin"],
    caps: ["tool-events"],
    minProtocol: 4,
    maxProtocol: 4,
  };
}

/** What gateways that don't say take, by the documents of their protocol. */
const defaultLimits: GatewayLimits = { frameBytes: 26_214_400, attachmentBytes: 19_464_192, imageBytes: 6_291_456 };

interface GatewayPolicy {
  readonly maxPayload?: number;
  readonly attachments?: { readonly maxBytes?: number; readonly maxImageBytes?: number };
}

function limitsOf({ maxPayload, attachments }: GatewayPolicy): GatewayLimits {
  return {
    frameBytes: maxPayload ?? defaultLimits.frameBytes,
    attachmentBytes: attachments?.maxBytes ?? defaultLimits.attachmentBytes,
    imageBytes: attachments?.maxImageBytes ?? defaultLimits.imageBytes,
  };
}

function connectFault(error: Error, address: GatewayAddress): Fault {
  const details = "details" in error ? JSON.stringify(error.details) : "";
  if (/AUTH|UNAUTHORIZED|PAIRING/.test(`${details} ${error.message.toUpperCase()}`)) {
    const message =
      `OpenClaw's gateway at ${redactText(address.url)} did not let us in: ${peerReason(error, address)}. ` +
      `Check the token or password that belongs to ${address.from} (OPENCLAW_GATEWAY_TOKEN, OPENCLAW_GATEWAY_PASSWORD).`;
    return new Fault("unauthorized", message, { cause: error });
  }
  return unreachableFault(address, error);
}

function unreachableFault(address: GatewayAddress, cause: unknown): Fault {
  const message =
    `OpenClaw's gateway does not answer at ${redactText(address.url)} (from ${address.from}): ` +
    `${peerReason(cause, address)}. Start it with "openclaw gateway", or name another address with OPENCLAW_GATEWAY_URL.`;
  return new Fault("unavailable", message, { cause });
}

/** What the gateway said, or the line to it. */
function peerReason(thrown: unknown, { token = "", password = "" }: GatewayAddress): string {
  return quotedPeerText(redactKnown(messageOf(thrown), [token, password]), 500);
}
