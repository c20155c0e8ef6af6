import type { OAuthClientInformationMixed } from "@modelcontextprotocol/client";
import type { TokenIssuer } from "../tokens/token-request.ts";

/** What is kept for one server. */
export interface CredentialFile {
  /** Nothing where there is nothing; a damaged or foreign file is set aside and reported first. */
  read(): Promise<Credentials | undefined>;
  /**
   * Changes it while no other call and no other process can, so that a token that may be spent once is spent once. What
   * is returned is on the disk before the promise resolves; `undefined` forgets everything.
   */
  change(
    change: (now: Credentials | undefined) => Promise<Credentials | undefined> | Credentials | undefined,
  ): Promise<Credentials | undefined>;
}

/** Where sign-ins are kept between runs: one encrypted file a server. */
export interface CredentialStore {
  /** The same address under two names is two accounts. */
  open(server: string, resource: URL): CredentialFile;
  /** Everything that is kept. */
  list(): Promise<readonly Credentials[]>;
  /** Resolves when nothing is being changed any more: a process that ends before may lose a token that replaces a spent one. */
  settled(): Promise<void>;
}

/** What was issued at the last sign-in or refresh. */
export interface StoredTokens {
  /** The authorization server they came from: they are never shown to another. */
  readonly issuer: string;
  readonly accessToken: string;
  readonly refreshToken?: string;
  readonly tokenType: string;
  readonly scope?: string;
  /** Milliseconds since the epoch; missing where the authorization server did not say. */
  readonly expiresAt?: number;
  readonly idToken?: string;
  readonly receivedAt: number;
}

/** A sign-in that has begun and waits for its callback. */
export interface PendingSignIn {
  readonly verifier: string;
  readonly redirectUri: string;
  readonly startedAt: number;
  readonly scope?: string;
  /** What finishing it needs, whichever process does that; `dpop` where the tokens are to be bound to a key. */
  readonly flow: { readonly place: TokenIssuer; readonly client: OAuthClientInformationMixed; readonly dpop: boolean };
}

/** All that is kept for one server, under one name and one address. Every part of it is secret. */
export interface Credentials {
  readonly server: string;
  /** Canonical URI of the server. */
  readonly resource: string;
  /** The authorization server of the first sign-in. Another one is noticed, never followed in silence. */
  readonly issuer?: string;
  /** Where the tokens came from. */
  readonly discovery?: TokenIssuer;
  /** As whom, by issuer. */
  readonly clients: Readonly<Record<string, OAuthClientInformationMixed>>;
  readonly tokens?: StoredTokens;
  /** When they were signed in for, in milliseconds since the epoch; a refresh leaves it as it is. */
  readonly signedInAt?: number;
  /** Private key of DPoP proofs, as a JWK; whoever opens it checks it. */
  readonly dpopKey?: unknown;
  /** By `state`. */
  readonly pending?: Readonly<Record<string, PendingSignIn>>;
}
