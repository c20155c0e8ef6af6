import type { AuthConfig } from "../../../core/config/auth-config.ts";
import type { Log } from "../../../core/log.ts";
import type { OAuthChallenge } from "./discovery/challenge.ts";
import type { CredentialFile } from "./store/credentials.ts";

/** What a server last said it wants. */
export interface AuthDemand {
  challenge?: OAuthChallenge | undefined;
  /** More than it is signed in for. */
  scope?: string | undefined;
}

/** One server, and what signing in to it is done with. */
export interface AuthContext {
  /** Its name in the configuration. */
  readonly server: string;
  readonly url: URL;
  readonly settings: AuthConfig;
  readonly file: CredentialFile;
  /** For addresses that come from the network: it judges each before it goes there. */
  readonly fetch: typeof fetch;
  readonly log: Log;
  readonly now: () => number;
  readonly demand: AuthDemand;
  /** Asks the server without showing who we are, for what it says to that. */
  probe(signal: AbortSignal | undefined): Promise<OAuthChallenge | undefined>;
}
