import type { Home } from "../../../core/files/home.ts";
import type { Log } from "../../../core/log.ts";
import type { Env } from "../../../core/process/child-env.ts";
import type { AuthorizedRequest } from "../../../mcp/client/authorizer.ts";
import { hasStaticCredentials, type HttpTarget, type ServerDefinition } from "../definition.ts";
import type { ConnectionAuth, ConnectionAuths } from "./connection-auth.ts";
import type { ServerAuth } from "./server-auth.ts";
import { hasCredentials } from "./store/credential-path.ts";
import type { CredentialStore } from "./store/credentials.ts";

export interface AuthRegistryOptions {
  readonly home: Pick<Home, "file">;
  /** Opened when the first server needs it. */
  readonly store: () => Promise<CredentialStore>;
  readonly env: Env;
  readonly log: Log;
  readonly now?: (() => number) | undefined;
}

/** The part that a connection needs; `load` brings the rest. */
export interface LazyAuth extends ConnectionAuth {
  load(): Promise<ServerAuth>;
}

export interface AuthRegistry extends ConnectionAuths {
  of(definition: ServerDefinition): LazyAuth | undefined;
  /** For a server that is no longer configured under this name and URL, so that its stored sign-in can be removed. */
  ofRemovedServer(name: string, url: URL): Promise<ServerAuth>;
}

/** The sign-ins of all servers. The code for one is loaded when the server asks for a sign-in, or has a stored one. */
export function createAuthRegistry(options: AuthRegistryOptions): AuthRegistry {
  const auths = new Map<string, { readonly fingerprint: string; readonly auth: LazyAuth }>();
  return {
    of(definition) {
      const { name, fingerprint, transport } = definition;
      if (transport.kind !== "http" || hasStaticCredentials(transport)) return undefined;
      const known = auths.get(name);
      if (known?.fingerprint === fingerprint) return known.auth;
      const auth = createLazyAuth(name, transport, options);
      auths.set(name, { fingerprint, auth });
      return auth;
    },
    ofRemovedServer: (name, url) => loadServerAuth(name, { kind: "http", url, headers: {}, tls: {} }, options),
  };
}

function createLazyAuth(name: string, target: HttpTarget, options: AuthRegistryOptions): LazyAuth {
  let loading: Promise<ServerAuth> | undefined;
  let loaded: ServerAuth | undefined;
  let mayNeedSignIn: boolean | undefined;
  const load = () => (loading ??= loadServerAuth(name, target, options).then((auth) => (loaded = auth)));

  return {
    request: (method, url) => loaded?.request(method, url) ?? lazyRequest(method, url),
    state: () => loaded?.state() ?? (target.auth === undefined ? undefined : { signedIn: false }),
    load,
  };

  function lazyRequest(method: string, url: URL): AuthorizedRequest {
    let request: AuthorizedRequest | undefined;
    const make = async () => (request ??= (await load()).request(method, url));
    return {
      async headers(signal) {
        mayNeedSignIn ??= target.auth !== undefined || hasCredentials(options.home, name, target.url);
        return mayNeedSignIn || request ? (await make()).headers(signal) : {};
      },
      answered: (headers) => request?.answered?.(headers),
      async refused(refusal) {
        // Signing in does not help against this refusal.
        if (refusal.status === 403 && !refusal.headers["www-authenticate"]?.includes("insufficient_scope"))
          return false;
        return (await make()).refused(refusal);
      },
    };
  }
}

async function loadServerAuth(name: string, target: HttpTarget, options: AuthRegistryOptions): Promise<ServerAuth> {
  const [{ createServerAuth }, { createSafeFetch }, { probeServer }, store] = await Promise.all([
    import("./server-auth.ts"),
    import("./net/safe-fetch.ts"),
    import("./discovery/challenge.ts"),
    options.store(),
  ]);
  const { env, log, now = Date.now } = options;
  const { url, auth: settings = {}, tls } = target;
  const trustedUrls = [settings.authorizationServerUrl, settings.idp?.issuer].flatMap((each) =>
    each ? [new URL(each)] : [],
  );
  const context = {
    server: name,
    url,
    settings,
    file: store.open(name, url),
    fetch: createSafeFetch({ configured: url, trustedUrls, env, ca: tls.ca }),
    log: log.with({ server: name }),
    now,
    demand: {},
    probe: (signal: AbortSignal | undefined) => probeServer(target, env, signal),
  };
  return createServerAuth(context);
}
