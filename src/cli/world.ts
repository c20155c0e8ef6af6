/** A place to print to. */
interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Everything a command knows of the outside; `main.ts` supplies the real one, tests their own. */
export interface World {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly homedir: string;
  readonly platform: string;
  /** How this program was started: Node and the file, for those who start it again. */
  readonly program: readonly string[];
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
  /** Aborts when the person wants the command to end. Asking for it takes over Ctrl-C: the second one ends at once. */
  stopSignal(): AbortSignal;
}
