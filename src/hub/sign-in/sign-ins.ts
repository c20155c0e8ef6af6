import { Fault } from "../../core/fault.ts";
import type { Home } from "../../core/files/home.ts";
import { orAborted } from "../../core/wait.ts";
import { type ServerDefinition, unknownServer } from "../../sources/servers/definition.ts";
import type { AuthRegistry } from "../../sources/servers/oauth/auth-registry.ts";
import type { AuthStatus, LogoutResult, ServerAuth } from "../../sources/servers/oauth/server-auth.ts";
import { credentialName, hasCredentials } from "../../sources/servers/oauth/store/credential-path.ts";
import type { Credentials, CredentialStore } from "../../sources/servers/oauth/store/credentials.ts";
import { addressOf } from "../../sources/servers/server-status.ts";

/** What to request in addition to being signed in. */
export interface SignInRequest {
  /** More scopes, separated by spaces. */
  readonly scope?: string | undefined;
  /** An authorization server that replaces the previous one. */
  readonly issuer?: string | undefined;
}

export type BegunSignIn =
  | { readonly kind: "signed-in" }
  | { readonly kind: "redirect"; readonly url: string; readonly state: string };

/** What the configuration says about how to sign in. */
export interface SignInMethod {
  readonly device?: boolean | undefined;
  /** Where the browser returns to. */
  readonly uri?: string | undefined;
  readonly port?: number | undefined;
  /** The port of the last sign-in, for which the client is registered already. Another one will do if it is taken. */
  readonly lastPort?: number | undefined;
}

/** What to enter, and where, to sign in on another device. */
export interface DevicePrompt {
  readonly verificationUri: string;
  readonly verificationUriComplete?: string | undefined;
  readonly userCode: string;
  readonly expiresAt: number;
}

/** A stored sign-in, or one that a configured server needs. */
export interface SignInEntry extends AuthStatus {
  readonly server: string;
  readonly address: string;
  /** False if the server is no longer in the configuration. */
  readonly configured: boolean;
}

interface OfServer {
  readonly server: string;
}
type OneSignIn = OfServer & { readonly state: string };
type OneDevice = OfServer & { readonly userCode: string };

/** Signing in to the servers. Opening the browser and receiving its callback is left to the caller. */
export interface SignIns {
  methodFor(input: OfServer): Promise<SignInMethod>;
  begin(input: OfServer & SignInRequest & { readonly redirectUri: string }): Promise<BegunSignIn>;
  /** `query` is the query of the callback; `pasted` says that the user typed it. */
  finish(input: OfServer & { readonly query: string; readonly pasted?: boolean | undefined }): Promise<void>;
  cancel(input: OneSignIn): Promise<void>;
  isWaiting(input: OneSignIn): Promise<boolean>;
  beginDevice(input: OfServer & SignInRequest): Promise<DevicePrompt>;
  /** Resolves when the user has finished on the other device. */
  awaitDevice(input: OneDevice): Promise<void>;
  /** Stops waiting for the other device. */
  cancelDevice(input: OneDevice): Promise<void>;
  logout(input: OfServer): Promise<LogoutResult>;
  status(input: OfServer): Promise<AuthStatus>;
  list(): Promise<readonly SignInEntry[]>;
}

export interface LocalSignInsOptions {
  readonly auths: AuthRegistry;
  readonly home: Pick<Home, "file">;
  readonly store: () => Promise<CredentialStore>;
  definitions(): readonly ServerDefinition[];
}

/** A sign-in on another device. */
interface DeviceEntry {
  readonly done: Promise<unknown>;
  readonly stop: AbortController;
  isOver: boolean;
}

/** The longest that one step of a sign-in may take, however slow the authorization server is. */
const maxStepMs = 120_000;

/** Signing in to the servers of this process. */
export function createLocalSignIns({ auths, home, store, definitions }: LocalSignInsOptions): SignIns {
  /** Sign-ins on other devices that have begun, by server and code. */
  const devices = new Map<string, DeviceEntry>();

  return {
    async methodFor({ server }) {
      const definition = definitionOf(server);
      const { transport } = definition;
      const { grant, redirectUri: uri, redirectPort: port } = (transport.kind === "http" && transport.auth) || {};
      const way = { device: grant === "device-code", uri, port };
      if (uri !== undefined || port !== undefined || way.device) return way;
      const auth = await auths.of(definition)?.load();
      const registered = URL.parse((await auth?.registeredRedirect()) ?? "");
      const isOurs = registered?.protocol === "http:" && registered.hostname === "127.0.0.1" && registered.port !== "";
      return isOurs ? { ...way, lastPort: Number(registered.port) } : way;
    },
    async begin({ server, ...request }) {
      const auth = await authOf(server);
      const begun = await auth.begin({ ...request, signal: AbortSignal.timeout(maxStepMs) });
      return begun.kind === "redirect" ? { ...begun, url: begun.url.href } : begun;
    },
    async finish({ server, query, pasted = false }) {
      const auth = await authOf(server);
      await auth.finish(new URLSearchParams(query), { pasted, signal: AbortSignal.timeout(maxStepMs) });
    },
    cancel: async ({ server, state }) => (await authOf(server)).cancel(state),
    isWaiting: async ({ server, state }) => (await authOf(server)).isWaiting(state),
    async beginDevice({ server, ...request }) {
      const stop = new AbortController();
      const { done, ...prompt } = await (await authOf(server)).beginDevice({ ...request, signal: stop.signal });
      const entry: DeviceEntry = { done, stop, isOver: false };
      void done.catch(() => {}).finally(() => (entry.isOver = true));
      // Finished ones that no caller waited for.
      for (const [key, { isOver }] of devices) if (isOver) devices.delete(key);
      devices.set(deviceKey(server, prompt.userCode), entry);
      return prompt;
    },
    async awaitDevice({ server, userCode }) {
      const key = deviceKey(server, userCode);
      const entry = devices.get(key);
      if (!entry) throw noDevice(server);
      await orAborted(entry.done, entry.stop.signal).finally(() => devices.delete(key));
    },
    async cancelDevice({ server, userCode }) {
      const key = deviceKey(server, userCode);
      devices.get(key)?.stop.abort(new Fault("cancelled", `The sign-in to ${server} was cancelled.`));
      devices.delete(key);
    },
    async logout({ server }) {
      const left = (await strays()).filter((each) => each.server === server);
      const definition = definitions().find(({ name }) => name === server);
      const isKept = definition?.transport.kind === "http" && hasCredentials(home, server, definition.transport.url);
      const auth = definition && auths.of(definition);
      const all = left.map(({ resource }) => auths.ofRemovedServer(server, new URL(resource)));
      if (auth !== undefined && isKept) all.push(auth.load());
      if (all.length === 0) all.push(authOf(server));
      const outcomes = await Promise.all(all.map(async (each) => (await each).logout()));
      return {
        wasSignedIn: outcomes.some(({ wasSignedIn }) => wasSignedIn),
        revoked: outcomes.every(({ revoked }) => revoked),
      };
    },
    status: async ({ server }) => (await authOf(server)).status(),
    async list() {
      const known = await Promise.all(definitions().map(entryOf));
      const left = (await strays()).map(({ server, resource, tokens }): SignInEntry => {
        const address = addressOf({ url: new URL(resource) });
        return { server, address, configured: false, kind: tokens ? "signed-in" : "none" };
      });
      return [...known.flatMap((each) => each ?? []), ...left];
    },
  };

  async function entryOf(definition: ServerDefinition): Promise<SignInEntry | undefined> {
    const { name, transport } = definition;
    const auth = auths.of(definition);
    if (auth === undefined || transport.kind !== "http") return undefined;
    // A server that needs no sign-in, and never had one, is not loaded for this.
    if (transport.auth === undefined && !hasCredentials(home, name, transport.url)) return undefined;
    return { server: name, address: addressOf(transport), configured: true, ...(await (await auth.load()).status()) };
  }

  /** Stored for servers that are no longer configured, have another address, or use an API key now. */
  async function strays(): Promise<readonly Credentials[]> {
    const used = definitions().flatMap((definition) => {
      const { name, transport } = definition;
      const isUsed = transport.kind === "http" && auths.of(definition) !== undefined;
      return isUsed ? [credentialName(name, transport.url)] : [];
    });
    const kept = await (await store()).list();
    return kept.filter(({ server, resource }) => !used.includes(credentialName(server, new URL(resource))));
  }

  async function authOf(server: string): Promise<ServerAuth> {
    const definition = definitionOf(server);
    const auth = auths.of(definition);
    if (auth !== undefined) return auth.load();
    const why =
      definition.transport.kind === "stdio" ? "it is a command on this machine" : "its key is in the configuration";
    throw new Fault("usage", `${server} needs no sign-in: ${why}.`);
  }

  function definitionOf(server: string): ServerDefinition {
    const found = definitions().find(({ name }) => name === server);
    if (found !== undefined) return found;
    throw unknownServer(
      server,
      definitions().map(({ name }) => name),
    );
  }
}

function deviceKey(server: string, userCode: string): string {
  return `${server} ${userCode}`;
}

function noDevice(server: string): Fault {
  return new Fault(
    "not-found",
    `No sign-in to ${server} waits for this code. Run \`clawport auth ${server} --device\` to start again.`,
  );
}
