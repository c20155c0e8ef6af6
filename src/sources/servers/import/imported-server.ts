/**
 * A server as it goes into our configuration: only what the other client's file says, in our words. Texts may hold
 * references (`${NAME}`), and a plain dollar sign is written `$$` where it could be taken for one.
 */
export interface ImportedServer {
  readonly enabled?: false;
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
  readonly server: ImportedServer;
  /** What a person should know of it: what was left out, what to set, which secret stands there in plain text. */
  readonly notes: readonly string[];
  /** The project whose block it stood in, where a file has several. */
  readonly project?: string;
}

export interface SkippedEntry {
  readonly name: string;
  readonly reason: string;
}

/** What a client's file offers. */
export interface ImportReading {
  readonly taken: readonly ImportedEntry[];
  readonly skipped: readonly SkippedEntry[];
}

/** Where a file stands, for what its texts leave open. */
export interface ClientFileContext {
  /** What `${workspaceFolder}` and relative paths mean. */
  readonly folder: string;
  /** Whether the file belongs to that folder, or to the person. */
  readonly scope: "project" | "user";
  readonly homedir: string;
}

/** Collects what is to be said of one server while it is converted. */
export interface ConversionNotes {
  /** Once each, however often it is said. */
  note(text: string): void;
  /** It can't be taken; the first reason counts. */
  refuse(reason: string): void;
  readonly notes: readonly string[];
  readonly refusal: string | undefined;
}

export function createConversionNotes(): ConversionNotes {
  const notes = new Set<string>();
  let refusal: string | undefined;
  return {
    note: (text) => void notes.add(text),
    refuse: (reason) => void (refusal ??= reason),
    get notes() {
      return [...notes];
    },
    get refusal() {
      return refusal;
    },
  };
}
