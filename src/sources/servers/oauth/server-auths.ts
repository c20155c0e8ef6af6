import type { Home } from "../../../core/home.ts";
import type { Log } from "../../../core/log.ts";
import type { AuthorizedRequest } from "../../../mcp/client/authorizer.ts";
import { hasOwnKey, type HttpTarget, type ServerDefinition } from "../definition.ts";
import type { ConnectionAuth, ConnectionAuths } from "./connection-auth.ts";
import type { ServerAuth } from "./server-auth.ts";
import { hasCredentials } from "./store/credential-path.ts";
import type { CredentialStore } from "./store/credential-store.ts";

export interface ServerAuthsOptions {
  readonly home: Pick<Home, "file">;
  /** Opened when the first server needs it. */
  readonly store: () => Promise<CredentialStore>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  readonly now?: (() => number) | undefined;
}

/** What a connection needs, and behind it everything else. */
export interface LazyAuth extends ConnectionAuth {
  load(): Promise<ServerAuth>;
}

export interface ServerAuths extends ConnectionAuths {
  of(definition: ServerDefinition): LazyAuth | undefined;
  /** Of a server that is configured no longer under this name and address: what is kept for it can be signed out of. */
  leftBehind(name: string, url: URL): Promise<ServerAuth>;
}

/** The sign-ins of all servers. What does the work is loaded when a server asks for it, or has been signed in to. */
export function createServerAuths(options: ServerAuthsOptions): ServerAuths {
  const made = new Map<string, { readonly fingerprint: string; readonly auth: LazyAuth }>();
  return {
    of(definition) {
      const { name, fingerprint, transport } = definition;
      if (transport.kind !== "http" || hasOwnKey(transport)) return undefined;
      const known = made.get(name);
      if (known?.fingerprint === fingerprint) return known.auth;
      const auth = createLazyAuth(name, transport, options);
      made.set(name, { fingerprint, auth });
      return auth;
    },
    leftBehind: (name, url) => open(name, { kind: "http", url, headers: {}, tls: {} }, options),
  };
}

function createLazyAuth(name: string, target: HttpTarget, options: ServerAuthsOptions): LazyAuth {
  let loading: Promise<ServerAuth> | undefined;
  let loaded: ServerAuth | undefined;
  let isExpected: boolean | undefined;
  const load = () => (loading ??= open(name, target, options).then((auth) => (loaded = auth)));

  return {
    request: (method, url) => loaded?.request(method, url) ?? lazyRequest(method, url),
    standing: () => loaded?.standing() ?? (target.auth === undefined ? undefined : { signedIn: false }),
    load,
  };

  function lazyRequest(method: string, url: URL): AuthorizedRequest {
    let request: AuthorizedRequest | undefined;
    const make = async () => (request ??= (await load()).request(method, url));
    return {
      async headers(signal) {
        isExpected ??= target.auth !== undefined || hasCredentials(options.home, name, target.url);
        return isExpected || request ? (await make()).headers(signal) : {};
      },
      answered: (headers) => request?.answered?.(headers),
      async refused(refusal) {
        // A refusal that signing in can't help.
        if (refusal.status === 403 && !refusal.headers["www-authenticate"]?.includes("insufficient_scope"))
          return false;
        return (await make()).refused(refusal);
      },
    };
  }
}

async function open(name: string, target: HttpTarget, options: ServerAuthsOptions): Promise<ServerAuth> {
  const [{ createServerAuth }, { createSafeFetch }, { probeServer }, store] = await Promise.all([
    import("./server-auth.ts"),
    import("./safe-fetch.ts"),
    import("./probe-server.ts"),
    options.store(),
  ]);
  const { env, log, now = Date.now } = options;
  const { url, auth: settings = {}, tls } = target;
  const also = [settings.authorizationServerUrl, settings.idp?.issuer].flatMap((each) => (each ? [new URL(each)] : []));
  const context = {
    server: name,
    url,
    settings,
    file: store.open(name, url),
    fetch: createSafeFetch({ configured: url, also, env, ca: tls.ca }),
    log: log.with({ server: name }),
    now,
    demand: {},
    probe: (signal: AbortSignal | undefined) => probeServer(target, env, signal),
  };
  return createServerAuth(context);
}
