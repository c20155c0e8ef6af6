import type { AuthConfig } from "../../../core/config/auth-config.ts";
import type { Log } from "../../../core/log.ts";
import type { OAuthChallenge } from "./discovery/challenge.ts";
import type { CredentialFile } from "./store/credentials.ts";

/** What a server last required. */
export interface AuthDemand {
  challenge?: OAuthChallenge | undefined;
  /** The scope of a call that needs more than the user signed in with. */
  scope?: string | undefined;
}

/** One server, and everything that signing in to it needs. */
export interface AuthContext {
  /** Its name in the configuration. */
  readonly server: string;
  readonly url: URL;
  readonly settings: AuthConfig;
  readonly file: CredentialFile;
  /** For URLs that come from the network: it judges each one first. */
  readonly fetch: typeof fetch;
  readonly log: Log;
  readonly now: () => number;
  readonly demand: AuthDemand;
  /** Sends a request without credentials, to get the challenge of the server. */
  probe(signal: AbortSignal | undefined): Promise<OAuthChallenge | undefined>;
}
