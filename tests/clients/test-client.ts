/** What a person and a model behind the client would say. */
export interface ClientAnswers {
  /** The answer to every form. */
  readonly elicitation: { action: "accept" | "decline"; content?: Record<string, string | boolean> };
}

export interface CallOptions {
  onProgress?(progress: number): void;
  readonly signal?: AbortSignal;
}

/** Notices a client may hear. */
export type Notice = "tools" | "prompts" | "resource";

/** An official client, whichever of them: the same few things under the same names. */
export interface TestClient extends AsyncDisposable {
  readonly version: string | undefined;
  /** May be changed by a test. */
  answers: ClientAnswers;
  readonly heard: Notice[];
  /** Errors that no call was there to take. */
  readonly errors: Error[];
  toolNames(): Promise<readonly string[]>;
  /** The content of the result as JSON. */
  call(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<string>;
  read(uri: string): Promise<string>;
  promptNames(): Promise<readonly string[]>;
  prompt(name: string, args?: Record<string, string>): Promise<string>;
  complete(value: string): Promise<readonly string[]>;
  /** Has the server say when the resource or one of the lists changes; the returned function ends that. */
  listen(uri: string): Promise<() => Promise<unknown>>;
}

/** How to reach the fixture. */
export type Reach = { readonly url: string } | { readonly command: string; readonly args: string[] };
