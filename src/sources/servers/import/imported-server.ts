/**
 * A server as it goes into our configuration: what the other client's file says, under our field names. Texts may hold
 * references (`${NAME}`); a plain dollar sign is written `$$` if it could be taken for one.
 */
export interface ImportedServer {
  readonly enabled?: boolean;
  readonly url?: string;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly apiKey?: string;
  readonly tls?: { readonly cert?: string; readonly key?: string };
  readonly auth?: {
    readonly clientId?: string;
    readonly clientSecret?: string;
    readonly authorizationServerUrl?: string;
    readonly scopes?: readonly string[];
  };
  readonly tools?: { readonly include?: readonly string[]; readonly exclude?: readonly string[] };
  readonly connectTimeoutMs?: number;
  readonly requestTimeoutMs?: number;
}

export interface ImportedEntry {
  readonly name: string;
  /** Its name in the file, if it gets another one here. */
  readonly nameThere?: string;
  readonly server: ImportedServer;
  /** What the user should know: what was left out, what to set, which secret is in plain text. */
  readonly notes: readonly string[];
  /** The project whose block it was in, if the file has several. */
  readonly project?: string;
}

export interface SkippedEntry {
  readonly name: string;
  readonly reason: string;
  /** Whether the same server is configured here, or is imported from elsewhere. */
  readonly isDuplicate?: boolean;
  /** The project whose block it was in, if the file has several. */
  readonly project?: string;
}

/** What a client's file offers. */
export interface ImportReading {
  readonly taken: readonly ImportedEntry[];
  readonly skipped: readonly SkippedEntry[];
}

/** Where a file is, to resolve what its texts leave open. */
export interface ClientFileContext {
  /** What `${workspaceFolder}` and relative paths mean. */
  readonly folder: string;
  /** Whether the file belongs to that folder or to the user. */
  readonly scope: "project" | "user";
  readonly homedir: string;
}

/** Collects notes about one server while it is converted. */
export interface ConversionNotes {
  /** Adding the same note twice keeps one. */
  add(text: string): void;
  /** The server can't be imported; the first reason counts. */
  refuse(reason: string): void;
  readonly all: readonly string[];
  readonly refusal: string | undefined;
}

export function createConversionNotes(): ConversionNotes {
  const notes = new Set<string>();
  let refusal: string | undefined;
  return {
    add: (text) => void notes.add(text),
    refuse: (reason) => void (refusal ??= reason),
    get all() {
      return [...notes];
    },
    get refusal() {
      return refusal;
    },
  };
}
