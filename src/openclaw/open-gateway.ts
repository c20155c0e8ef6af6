import type { GatewayClientOptions } from "@openclaw/gateway-client";
import { Fault, isFault, messageOf } from "../core/fault.ts";
import type { Log } from "../core/log.ts";
import { quotedPeerText } from "../core/text/peer-text.ts";
import { redactKnown } from "../core/secrets/redact-known.ts";
import { redactText } from "../core/secrets/redact.ts";
import { cancelledBy, sleep, withDeadline } from "../core/wait.ts";
import { requireTrustedHolder } from "../core/http/port-holder.ts";
import { type GatewayAddress, gatewayEndpoint } from "./locate-gateway.ts";

export interface GatewayEvent {
  readonly event: string;
  readonly payload?: unknown;
}

/** How much a gateway accepts in one request, as it announces when a client connects. */
export interface GatewayLimits {
  readonly frameBytes: number;
  readonly attachmentBytes: number;
  readonly imageBytes: number;
}

/** A connection to an OpenClaw gateway. It reconnects by itself. */
export interface GatewayConnection {
  readonly address: GatewayAddress;
  /** Waits until the connection is up; faults with `unavailable` or `unauthorized` if that fails. */
  connected(signal: AbortSignal): Promise<GatewayLimits>;
  request<T>(method: string, params: object, options: { signal: AbortSignal; timeoutMs?: number }): Promise<T>;
  onEvent(listener: (event: GatewayEvent) => void): () => void;
  /** Differs each time the gateway starts; that of the current or the last connection. */
  bootId(): string | undefined;
  /** Calls the listener each time the connection is lost. */
  onDisconnect(listener: () => void): () => void;
  close(): Promise<void>;
}

export interface GatewayOptions {
  readonly address: GatewayAddress;
  readonly log: Log;
  readonly version: string;
  /** Overrides how we introduce ourselves to the gateway; the default is one of its operator's programs. */
  readonly client?: Partial<GatewayClientOptions> | undefined;
  /** How long `connected` waits for a gateway that went away. For one that never answered it waits a few seconds. */
  readonly patienceMs?: number | undefined;
}

const requestTimeoutMs = 30_000;
const retryMs = 1000;
/** A gateway that restarts comes back; an address that never answered is probably wrong. */
const firstPatienceMs = 5000;

/** The only way to OpenClaw's gateway: no other file imports its client. */
export async function openGateway(options: GatewayOptions): Promise<GatewayConnection> {
  const { address, log, version, patienceMs = 45_000 } = options;
  const { GatewayClient } = await import("@openclaw/gateway-client");
  const eventListeners = new Set<(event: GatewayEvent) => void>();
  const disconnectListeners = new Set<() => void>();
  let pending = pendingConnection();
  let isUp = false;
  let bootId: string | undefined;
  let wasUp = false;
  let client = startClient();

  function startClient(): InstanceType<typeof GatewayClient> {
    const started = new GatewayClient({
      ...clientIdentity(version),
      url: address.url,
      ...(address.token === undefined ? {} : { token: address.token }),
      ...(address.password === undefined ? {} : { password: address.password }),
      requestTimeoutMs,
      ...options.client,
      hostDeps: {
        beforeConnect: () => requireOwnGateway(address),
        logDebug: (text) => log.debug(text),
        logError: (text) => log.debug(text),
        ...options.client?.hostDeps,
      },
      onHelloOk(hello) {
        isUp = true;
        bootId = hello.server.bootId;
        wasUp = true;
        log.debug("connected to the gateway", { server: hello.server.version });
        pending.resolve(limitsOf(hello.policy));
      },
      onConnectError: (error) => fail(connectFault(error, address)),
      onReconnectPaused: ({ reason }) => fail(connectFault(new Error(reason), address)),
      onClose(_, reason) {
        if (!isUp) return;
        isUp = false;
        pending = pendingConnection();
        log.debug("the connection to the gateway was lost", { reason });
        for (const listener of disconnectListeners) listener();
      },
      onEvent(event) {
        for (const listener of eventListeners) listener(event);
      },
    });
    started.start();
    return started;
  }

  /** Rejects the callers that wait now; later ones wait for the next attempt. */
  function fail(fault: Fault): void {
    if (isUp) return;
    log.debug("the gateway could not be reached", { error: fault });
    pending.reject(fault);
    pending = pendingConnection();
  }

  return {
    address,
    async connected(signal) {
      const deadline = performance.now() + (wasUp ? patienceMs : Math.min(patienceMs, firstPatienceMs));
      for (;;) {
        try {
          return await withDeadline(Math.max(0, deadline - performance.now()), signal, () => pending.promise);
        } catch (error) {
          if (signal.aborted) throw cancelledBy(signal);
          if (isFault(error, "timeout")) throw unreachableFault(address, error);
          if (isFault(error, "unauthorized") || isFault(error, "denied") || performance.now() + retryMs > deadline)
            throw error;
          // The client would back off further each time; while a caller waits, retry every second.
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
      eventListeners.add(listener);
      return () => void eventListeners.delete(listener);
    },
    bootId: () => bootId,
    onDisconnect(listener) {
      disconnectListeners.add(listener);
      return () => void disconnectListeners.delete(listener);
    },
    close: () => client.stopAndWait({ timeoutMs: 2000 }).catch(() => {}),
  };
}

function pendingConnection(): PromiseWithResolvers<GatewayLimits> {
  const pending = Promise.withResolvers<GatewayLimits>();
  pending.promise.catch(() => {});
  return pending;
}

function clientIdentity(version: string): Partial<GatewayClientOptions> {
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

/** For gateways that announce no limits: what the protocol's documentation says. */
const defaultLimits: GatewayLimits = { frameBytes: 26_214_400, attachmentBytes: 19_464_192, imageBytes: 6_291_456 };

interface GatewayPolicy {
  readonly maxPayload?: number;
  readonly attachments?: { readonly maxBytes?: number; readonly maxImageBytes?: number };
}

export function limitsOf({ maxPayload, attachments }: GatewayPolicy): GatewayLimits {
  return {
    frameBytes: maxPayload ?? defaultLimits.frameBytes,
    attachmentBytes: attachments?.maxBytes ?? defaultLimits.attachmentBytes,
    imageBytes: attachments?.maxImageBytes ?? defaultLimits.imageBytes,
  };
}

/**
 * Before each connection of OpenClaw's client, which sends the credentials to who answers. A gateway that the user named
 * may be forwarded from elsewhere, so there need be no program here that listens.
 */
export function requireOwnGateway(address: GatewayAddress): void {
  const { host, port, name } = gatewayEndpoint(address);
  const advice = `Stop that program and start the gateway (\`openclaw gateway\`), or set OPENCLAW_GATEWAY_URL to the right address.`;
  const { owner, stateFolder } = address;
  const holder = requireTrustedHolder({ host, port, what: "OpenClaw's gateway", advice, owner });
  if (holder !== "absent" || stateFolder === undefined) return;
  throw new Fault("unavailable", `No program of this machine listens at ${name}`);
}

export function connectFault(error: Error, address: GatewayAddress & Partial<DeviceSecret>): Fault {
  if (isFault(error, "denied")) return error;
  const details = "details" in error ? JSON.stringify(error.details) : "";
  // An operator without credentials is asked for the key of a device instead.
  if (/AUTH|PAIRING|DEVICE.IDENTITY/.test(`${details} ${error.message.toUpperCase()}`)) {
    const message =
      `OpenClaw's gateway at ${redactText(address.url)} rejected the credentials: ` +
      `${peerReason(error, address)}. ${credentialsHint(address)}`;
    return new Fault("unauthorized", message, { cause: error });
  }
  return unreachableFault(address, error);
}

function credentialsHint(address: GatewayAddress & Partial<DeviceSecret>): string {
  const { from, credentialsFrom = "OPENCLAW_GATEWAY_TOKEN, OPENCLAW_GATEWAY_PASSWORD" } = address;
  const isSent = [address.token, address.password, address.deviceToken].some((secret) => secret !== undefined);
  return isSent
    ? `Check the token or password for ${from} (${credentialsFrom}).`
    : `No token or password was sent. For ${from}, set it with ${credentialsFrom}.`;
}

function unreachableFault(address: GatewayAddress & Partial<DeviceSecret>, cause: unknown): Fault {
  const message =
    `OpenClaw's gateway does not answer at ${redactText(address.url)} (from ${address.from}): ` +
    `${peerReason(cause, address)}. Start it with \`openclaw gateway\`, or set OPENCLAW_GATEWAY_URL to another address.`;
  return new Fault("unavailable", message, { cause });
}

interface DeviceSecret {
  readonly deviceToken: string | undefined;
}

/** What the gateway or the connection reported, quoted and without our credentials. */
export function peerReason(thrown: unknown, secrets: GatewayAddress & Partial<DeviceSecret>): string {
  const { token = "", password = "", deviceToken = "" } = secrets;
  return quotedPeerText(redactKnown(messageOf(thrown), [token, password, deviceToken]), 500);
}
