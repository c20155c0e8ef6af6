/** The answers of the user behind the client. */
export interface ClientAnswers {
  /** The answer to every form. */
  readonly elicitation: { action: "accept" | "decline"; content?: Record<string, string | boolean> };
}

export interface CallOptions {
  onProgress?(progress: number): void;
  readonly signal?: AbortSignal;
}

/** Notifications that a client may receive. */
export type Notice = "tools" | "prompts" | "resource";

/** What the tests use of any official client. */
export interface TestClient extends AsyncDisposable {
  readonly version: string | undefined;
  /** A test may change them. */
  answers: ClientAnswers;
  readonly heard: Notice[];
  /** Errors that belong to no call. */
  readonly errors: Error[];
  toolNames(): Promise<readonly string[]>;
  /** The content of the result as JSON. */
  call(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<string>;
  read(uri: string): Promise<string>;
  promptNames(): Promise<readonly string[]>;
  prompt(name: string, args?: Record<string, string>): Promise<string>;
  complete(value: string): Promise<readonly string[]>;
  /** Subscribes to changes of the resource and of the lists. The returned function unsubscribes. */
  listen(uri: string): Promise<() => Promise<unknown>>;
}

/** How to reach the fixture. */
export type Reach =
  | { readonly url: string; readonly headers?: Readonly<Record<string, string>> }
  | { readonly command: string; readonly args: string[] };

/** The answers of the user behind every test client, unless a test changes them. */
export const usualAnswers: ClientAnswers = {
  elicitation: {
    action: "accept",
    content: { name: "Alice", username: "alice", email: "alice@example.com", ok: true },
  },
};

/** The answer of the model behind every test client. */
export const modelAnswer = {
  role: "assistant",
  content: { type: "text", text: "Good morning" },
  model: "test-model",
} as const;

export const rootsAnswer = { roots: [{ uri: "file:///test/root", name: "Test root" }] };
