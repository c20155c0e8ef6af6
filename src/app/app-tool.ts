/** What a running tool can use beside its arguments. */
export interface ToolRun {
  /** Each call has one id. An app that records what it has done by this id does nothing twice. */
  readonly requestId: string;
  /** Aborted when the caller no longer waits for the result. */
  readonly signal: AbortSignal;
  progress(progress: number, total?: number, message?: string): void;
  log(level: "debug" | "info" | "notice" | "warning" | "error", data: unknown): void;
  /** Asks the user of the client (MCP elicitation) and resolves to the answer. Rejects if the user can't be asked. */
  ask(params: {
    readonly message: string;
    /** JSON Schema of the form. Without it, the user can only accept or decline. */
    readonly requestedSchema?: object;
  }): Promise<Readonly<Record<string, unknown>>>;
}

/** A tool of the app. */
export interface AppTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** JSON Schema of the arguments. Arguments that do not match it never reach the app. */
  readonly inputSchema?: object;
  readonly outputSchema?: object;
  readonly annotations?: {
    readonly readOnlyHint?: boolean;
    readonly destructiveHint?: boolean;
    readonly idempotentHint?: boolean;
    readonly openWorldHint?: boolean;
  };
  /** Returns any JSON, or MCP content blocks. If it throws, the caller gets the message as the tool's error. */
  // oxlint-disable-next-line typescript/no-explicit-any -- the schema is the type of the arguments
  run(args: any, run: ToolRun): unknown;
}

/** A tool in the format in which the proxy registers it. */
export function describeAppTool(tool: AppTool): object {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  return { name, title, description, input_schema: inputSchema, output_schema: outputSchema, annotations };
}
