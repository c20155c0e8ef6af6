import type { AuthStatus, LogoutResult } from "../../sources/servers/oauth/server-auth.ts";

/** What a person asks for besides being signed in. */
export interface SignInRequest {
  /** More rights, parted by blanks. */
  readonly scope?: string | undefined;
  /** An authorization server that takes the place of the one that was signed in with before. */
  readonly issuer?: string | undefined;
}

export type BegunSignIn =
  | { readonly kind: "signed-in" }
  | { readonly kind: "redirect"; readonly url: string; readonly state: string };

/** How the configuration wants a sign-in to go. */
export interface SignInWay {
  readonly device?: boolean | undefined;
  /** Where the browser is to come back to. */
  readonly uri?: string | undefined;
  readonly port?: number | undefined;
}

/** What to type, and where, to sign in on another device. */
export interface DevicePrompt {
  readonly verificationUri: string;
  readonly verificationUriComplete?: string | undefined;
  readonly userCode: string;
  readonly expiresAt: number;
}

/** One sign-in that is kept, or that a configured server needs. */
export interface SignInEntry extends AuthStatus {
  readonly server: string;
  readonly address: string;
  /** False for one that stayed behind when its server left the configuration. */
  readonly configured: boolean;
}

/** Signing in to the servers, wherever they are kept. The browser and its way back are the business of whoever asks. */
export interface SignInControl {
  wayOf(server: string): Promise<SignInWay>;
  begin(server: string, wish: SignInRequest & { readonly redirectUri: string }): Promise<BegunSignIn>;
  /** With the query of the callback; `pasted` if a person typed it. */
  finish(server: string, query: string, pasted: boolean): Promise<void>;
  cancel(server: string, state: string): Promise<void>;
  isWaiting(server: string, state: string): Promise<boolean>;
  beginDevice(server: string, wish: SignInRequest): Promise<DevicePrompt>;
  /** Resolves when the person is done on the other device. */
  awaitDevice(server: string, userCode: string): Promise<void>;
  /** Asks no longer whether they are. */
  cancelDevice(server: string, userCode: string): Promise<void>;
  logout(server: string): Promise<LogoutResult>;
  /** Of a configured server. */
  status(server: string): Promise<AuthStatus>;
  list(): Promise<readonly SignInEntry[]>;
}
