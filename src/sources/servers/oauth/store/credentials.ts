import type { OAuthClientInformationMixed } from "@modelcontextprotocol/client";
import type { TokenIssuer } from "../tokens/token-request.ts";

/** The stored sign-in of one server. */
export interface CredentialFile {
  /** Undefined if there is none. A damaged or foreign file is set aside and reported first. */
  read(): Promise<Credentials | undefined>;
  /**
   * Changes it under a lock against other calls and processes, so that a single-use token is used once. What the function
   * returns is on the disk before the promise resolves; `undefined` deletes everything.
   */
  change(
    change: (now: Credentials | undefined) => Promise<Credentials | undefined> | Credentials | undefined,
  ): Promise<Credentials | undefined>;
}

/** Stores sign-ins between runs: one encrypted file per server. */
export interface CredentialStore {
  /** The same URL under two names is two accounts. */
  open(server: string, resource: URL): CredentialFile;
  /** All stored sign-ins. */
  list(): Promise<readonly Credentials[]>;
  /** Resolves when no change is running: a process that exits earlier may lose the token that replaces a used one. */
  settled(): Promise<void>;
}

/** What was issued at the last sign-in or refresh. */
export interface StoredTokens {
  /** The authorization server that issued them: no other gets to see them. */
  readonly issuer: string;
  readonly accessToken: string;
  readonly refreshToken?: string;
  readonly tokenType: string;
  readonly scope?: string;
  /** Milliseconds since the epoch; undefined if the authorization server did not say. */
  readonly expiresAt?: number;
  readonly idToken?: string;
  readonly receivedAt: number;
}

/** A sign-in that waits for its callback. */
export interface PendingSignIn {
  readonly verifier: string;
  readonly redirectUri: string;
  readonly startedAt: number;
  readonly scope?: string;
  /** What any process needs to finish it; `dpop` if the tokens are to be bound to a key. */
  readonly flow: { readonly place: TokenIssuer; readonly client: OAuthClientInformationMixed; readonly dpop: boolean };
}

/** All that is stored for one server, under one name and one URL. Every part of it is secret. */
export interface Credentials {
  readonly server: string;
  /** Canonical URI of the server. */
  readonly resource: string;
  /** The authorization server of the first sign-in. Another one is reported, never used silently. */
  readonly issuer?: string;
  /** Who issued the tokens. */
  readonly discovery?: TokenIssuer;
  /** The registered clients, by issuer. */
  readonly clients: Readonly<Record<string, OAuthClientInformationMixed>>;
  readonly tokens?: StoredTokens;
  /** When the user signed in, in milliseconds since the epoch; a refresh does not change it. */
  readonly signedInAt?: number;
  /** Private key of DPoP proofs, as a JWK; checked when it is used. */
  readonly dpopKey?: unknown;
  /** By `state`. */
  readonly pending?: Readonly<Record<string, PendingSignIn>>;
}
