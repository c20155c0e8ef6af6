import type { GatewayClientOptions } from "@openclaw/gateway-client";
import { Fault } from "../core/fault.ts";
import { asRecord } from "../core/is-record.ts";
import type { Log } from "../core/log.ts";
import { redactText } from "../core/secrets/redact.ts";
import { backoffDelays, sleep } from "../core/wait.ts";
import { deviceCrypto, type DeviceIdentity } from "./device-identity.ts";
import type { GatewayAddress } from "./locate-gateway.ts";
import {
  connectFault,
  type GatewayEvent,
  type GatewayLimits,
  limitsOf,
  peerReason,
  requireOwnGateway,
} from "./open-gateway.ts";

/** What a node tells the gateway it can do. */
export interface NodeManifest {
  readonly caps: readonly string[];
  readonly commands: readonly string[];
}

export type NodeLinkState =
  | { readonly state: "connecting"; readonly fault?: Fault | undefined }
  | { readonly state: "connected"; readonly server: string; readonly limits: GatewayLimits }
  /** The gateway's owner has to approve this device first. */
  | { readonly state: "pairing-required"; readonly fault: Fault; readonly requestId?: string | undefined }
  | { readonly state: "rejected"; readonly fault: Fault };

/** The token that the gateway gives this device once it is paired. */
export interface DeviceTokens {
  load(): string | undefined;
  store(token: string): void;
  clear(): void;
}

export interface NodeLinkOptions {
  readonly address: GatewayAddress;
  readonly version: string;
  readonly log: Log;
  readonly identity: DeviceIdentity;
  readonly tokens: DeviceTokens;
  readonly displayName: string;
  readonly platform: string;
  readonly manifest: NodeManifest;
  onState(state: NodeLinkState): void;
  onEvent(event: GatewayEvent): void;
}

/** A connection to an OpenClaw gateway as one of its nodes. It comes back by itself, whatever ended it. */
export interface NodeLink {
  state(): NodeLinkState;
  /** Replaces what was declared. The gateway learns it by a new connection, so this ends the present one. */
  declare(manifest: NodeManifest): void;
  /** Waits 30 seconds for the answer unless told otherwise. */
  request<T>(method: string, params: object, timeoutMs?: number): Promise<T>;
  close(): Promise<void>;
}

const requestTimeoutMs = 30_000;
/** OpenClaw's client stops trying when the gateway rejects it. What the owner has to do can be done any time. */
const pairingWaits = { firstMs: 3000, maxMs: 20_000 };
/** Each of these attempts may count against a limit of the gateway. */
const rejectedWaits = { firstMs: 30_000, maxMs: 300_000 };

export async function openNodeLink(options: NodeLinkOptions): Promise<NodeLink> {
  const { address, log, identity, tokens, version } = options;
  const { GatewayClient } = await import("@openclaw/gateway-client");
  const closing = new AbortController();
  let { manifest } = options;
  let state: NodeLinkState = { state: "connecting" };
  let waits: Generator<number, never, void> | undefined;
  let generation = 0;
  let client = startClient();

  function setState(next: NodeLinkState): void {
    state = next;
    options.onState(next);
  }

  function startClient(): InstanceType<typeof GatewayClient> {
    const own = ++generation;
    const isCurrent = (): boolean => own === generation && !closing.signal.aborted;
    const started = new GatewayClient({
      ...platformIdentity(options.platform),
      clientName: "node-host",
      clientDisplayName: options.displayName,
      clientVersion: version,
      instanceId: identity.deviceId,
      mode: "node",
      role: "node",
      scopes: [],
      minProtocol: 4,
      maxProtocol: 4,
      ...copied(manifest),
      url: address.url,
      ...(address.token === undefined ? {} : { token: address.token }),
      ...(address.password === undefined ? {} : { password: address.password }),
      requestTimeoutMs,
      deviceIdentity: { ...identity },
      hostDeps: {
        ...deviceCrypto,
        beforeConnect: () => requireOwnGateway(address),
        loadDeviceAuthToken() {
          const token = tokens.load();
          return token === undefined ? null : { token, scopes: [] };
        },
        storeDeviceAuthToken: ({ role, token }) => void (role === "node" && tokens.store(token)),
        clearDeviceAuthToken: ({ role }) => void (role === "node" && tokens.clear()),
        logDebug: (text) => log.debug(text),
        logError: (text) => log.debug(text),
      },
      onHelloOk(hello) {
        waits = undefined;
        setState({ state: "connected", server: hello.server.version, limits: limitsOf(hello.policy) });
      },
      onConnectError: (error) => void (isCurrent() && noteFailure(error)),
      onReconnectPaused: () => void (isCurrent() && tryLater()),
      onClose() {
        if (state.state === "connected" && isCurrent()) setState({ state: "connecting" });
      },
      onEvent: (event) => options.onEvent(event),
    });
    started.start();
    return started;
  }

  function noteFailure(error: Error): void {
    const { code, requestId } = asRecord("details" in error ? error.details : undefined);
    if (code === "PAIRING_REQUIRED") {
      const id = typeof requestId === "string" && /^[\w.:-]{1,100}$/.test(requestId) ? requestId : undefined;
      setState({ state: "pairing-required", fault: pairingFault(address, id), requestId: id });
      return;
    }
    if (isOutdated(error)) {
      setState({ state: "connecting", fault: overtakenFault(address) });
      return;
    }
    const fault = connectFault(error, { ...address, deviceToken: tokens.load() });
    setState(
      fault.code === "unauthorized" || fault.code === "denied"
        ? { state: "rejected", fault }
        : { state: "connecting", fault },
    );
  }

  function tryLater(): void {
    waits ??= backoffDelays({ ...(state.state === "pairing-required" ? pairingWaits : rejectedWaits), jitter: 0.2 });
    void restartAfter(waits.next().value);
  }

  async function restartAfter(ms: number): Promise<void> {
    try {
      await sleep(ms, closing.signal);
    } catch {
      return;
    }
    client.stop();
    client = startClient();
  }

  return {
    state: () => state,
    declare(next) {
      manifest = next;
      client.updateNodeManifest(copied(next));
    },
    async request<T>(method: string, params: object, timeoutMs = requestTimeoutMs) {
      try {
        return await client.request<T>(method, params, { signal: closing.signal, timeoutMs });
      } catch (error) {
        if (isOutdated(error)) client.updateNodeManifest(copied(manifest));
        const reason = peerReason(error, { ...address, deviceToken: tokens.load() });
        throw new Fault("unavailable", `OpenClaw's gateway refused ${method}: ${reason}`, { cause: error });
      }
    },
    async close() {
      closing.abort();
      await client.stopAndWait({ timeoutMs: 2000 }).catch(() => {});
    },
  };
}

/**
 * An approval that comes while a node connects ends the attempt, or leaves the gateway with a connection that it no longer
 * counts: no command arrives there, and it is not closed. A new one is in order.
 */
function isOutdated(error: unknown): boolean {
  return error instanceof Error && /^node pairing changed/i.test(error.message);
}

function copied({ caps, commands }: NodeManifest): { caps: string[]; commands: string[] } {
  return { caps: [...caps], commands: [...commands] };
}

function pairingFault({ url }: GatewayAddress, requestId: string | undefined): Fault {
  const command = requestId === undefined ? "openclaw devices list" : `openclaw devices approve ${requestId}`;
  const message = `OpenClaw's gateway at ${redactText(url)} does not know this computer yet. Run \`${command}\` where the gateway runs.`;
  return new Fault("unauthorized", message);
}

function overtakenFault({ url }: GatewayAddress): Fault {
  const message = `The pairing of this computer with OpenClaw's gateway at ${redactText(url)} changed while it connected. Trying again.`;
  return new Fault("unavailable", message);
}

/** The names that the gateway's rules for platforms use. */
function platformIdentity(platform: string): Pick<GatewayClientOptions, "platform" | "deviceFamily"> {
  if (platform === "darwin") return { platform: "macos", deviceFamily: "Mac" };
  if (platform === "win32") return { platform: "windows", deviceFamily: "Windows" };
  return platform === "linux" ? { platform, deviceFamily: "Linux" } : { platform };
}
