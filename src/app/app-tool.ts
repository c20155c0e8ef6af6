/** What a running tool can do beside returning its result. */
export interface ToolRun {
  /** The same for the same call: an app that keeps what it has done by this id does nothing twice. */
  readonly requestId: string;
  /** Aborted when nobody waits for the result any more. */
  readonly signal: AbortSignal;
  progress(progress: number, total?: number, message?: string): void;
  log(level: "debug" | "info" | "notice" | "warning" | "error", data: unknown): void;
  /** Puts a form to the person behind the client (MCP elicitation) and gives the answer; rejects where nobody can be asked. */
  ask(params: {
    readonly message: string;
    /** JSON Schema of the form; without it there is nothing to fill in, only yes or no. */
    readonly requestedSchema?: object;
  }): Promise<Readonly<Record<string, unknown>>>;
}

/** A tool of the app. */
export interface AppTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** JSON Schema of the arguments: whatever does not fit never gets here. */
  readonly inputSchema?: object;
  readonly outputSchema?: object;
  readonly annotations?: {
    readonly readOnlyHint?: boolean;
    readonly destructiveHint?: boolean;
    readonly idempotentHint?: boolean;
    readonly openWorldHint?: boolean;
  };
  /** Any JSON, or MCP content blocks. What it throws is told to the caller as the tool's error. */
  // oxlint-disable-next-line typescript/no-explicit-any -- the schema is the type of the arguments
  run(args: any, run: ToolRun): unknown;
}

/** A tool as the proxy wants it registered. */
export function describeTool(tool: AppTool): object {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  return { name, title, description, input_schema: inputSchema, output_schema: outputSchema, annotations };
}
