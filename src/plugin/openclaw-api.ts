/**
 * The part of OpenClaw's plugin API (2026.9) that the plugin uses. Declared here, since the package must build and install
 * without OpenClaw.
 */
export interface OpenClawApi {
  /** The folder of the installed package. The code itself runs from a copy elsewhere. */
  readonly rootDir?: string;
  readonly config: OpenClawConfig;
  readonly logger: OpenClawLogger;
  readonly runtime: { readonly config: OpenClawConfigRuntime };
  readonly lifecycle?: {
    registerRuntimeLifecycle(lifecycle: { id: string; cleanup(context: { reason?: string }): unknown }): void;
  };
  registerService(service: OpenClawService): void;
  registerCommand(command: OpenClawCommand): void;
  registerTool(factory: () => OpenClawTool, options: { names: readonly string[] }): void;
  registerReload(policy: { noopPrefixes: readonly string[] }): void;
  registerCli(registrar: (context: { program: CliProgram }) => void, options: CliOptions): void;
  registerTrustedToolPolicy(policy: TrustedToolPolicy): void;
  registerAgentToolResultMiddleware(
    handler: (event: ToolResultEvent) => Promise<{ result: OpenClawToolResult } | undefined>,
    options: { runtimes: readonly string[] },
  ): void;
  on(
    name: "before_tool_call",
    handler: (event: ToolCallEvent, context: CallerContext) => Promise<ToolCallDecision | undefined> | undefined,
  ): void;
  on(name: "message_received", handler: (event: MessageFacts, context: MessageFacts) => void): void;
  on(name: "before_agent_run", handler: (event: AgentRunEvent, context: AgentRunContext) => void): void;
  on(name: "before_prompt_build", handler: (event: unknown, context: CallerContext) => unknown): void;
}

export interface OpenClawLogger {
  debug?(line: string): void;
  info(line: string): void;
  warn(line: string): void;
  error(line: string): void;
}

/** Only what is read or written here. */
export interface OpenClawConfig {
  plugins?: { entries?: Record<string, PluginEntry> };
  mcp?: { servers?: Record<string, McpServerEntry> };
  agents?: { entries?: Record<string, { tools?: { deny?: string[] } }> };
  tools?: { deny?: string[] };
}

interface PluginEntry {
  enabled?: boolean;
  config?: Record<string, unknown>;
  hooks?: { allowConversationAccess?: boolean };
}

export interface McpServerEntry {
  readonly url?: unknown;
  readonly headers?: Readonly<Record<string, unknown>> | undefined;
  readonly [key: string]: unknown;
}

export interface OpenClawConfigRuntime {
  /** The active configuration. */
  current(): OpenClawConfig;
  mutateConfigFile(edit: ConfigEdit): Promise<unknown>;
}

export interface ConfigEdit {
  readonly afterWrite: { readonly mode: "auto" };
  /** OpenClaw refuses to write a configuration that is much smaller than before, unless this says that it is meant. */
  readonly writeOptions?: { readonly allowConfigSizeDrop: boolean };
  mutate(draft: OpenClawConfig): void;
}

export interface OpenClawService {
  readonly id: string;
  /** Restarts the service alone, not the plugin, if one of these changes. */
  readonly reload: { readonly configPrefixes: readonly string[] };
  start(context: ServiceContext): Promise<void>;
  stop(): Promise<void>;
}

export interface ServiceContext {
  readonly config: OpenClawConfig;
  readonly stateDir: string;
  readonly logger: OpenClawLogger;
}

export interface OpenClawCommand {
  readonly name: string;
  readonly description: string;
  readonly acceptsArgs: boolean;
  readonly requireAuth: boolean;
  /**
   * A client of the gateway needs these; in a chat only the owner may use the command then. OpenClaw says who the owner is
   * to commands with such a list only.
   */
  readonly requiredScopes: readonly string[];
  readonly agentPromptGuidance: readonly string[];
  handler(context: ChatCommandContext): Promise<{ text: string }>;
}

export interface ChatCommandContext {
  readonly args?: string;
  /** Absent means that the sender is not the owner. `isAuthorizedSender` says less: others may be authorised, too. */
  readonly senderIsOwner?: boolean | undefined;
  readonly senderId?: string | undefined;
  readonly channel?: string | undefined;
  readonly accountId?: string | undefined;
  /** Where an answer in this chat goes. */
  readonly to?: string | undefined;
  readonly messageThreadId?: string | number | undefined;
  readonly sessionKey?: string | undefined;
}

export interface OpenClawTool {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly parameters: object;
  execute(callId: string, params: unknown): Promise<OpenClawToolResult>;
}

export interface OpenClawToolResult {
  readonly content: readonly ResultBlock[];
  readonly details?: unknown;
}

export interface ResultBlock {
  readonly type: string;
  readonly text?: string;
  readonly data?: string;
  readonly mimeType?: string;
}

export interface ToolResultEvent {
  readonly toolName: string;
  readonly result: OpenClawToolResult;
}

/** Who started the run, as far as OpenClaw knows. */
export interface RunRequester {
  readonly channel?: string | undefined;
  readonly accountId?: string | undefined;
  readonly senderId?: string | undefined;
  readonly senderIsOwner?: boolean | undefined;
}

export interface ToolCallEvent {
  readonly toolName: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly runId?: string;
  readonly toolCallId?: string;
}

export interface CallerContext {
  readonly agentId?: string;
  readonly sessionKey?: string;
  readonly runId?: string;
  readonly toolCallId?: string;
  /** Missing for MCP tools; there for OpenClaw's own tools of the same run. */
  readonly requester?: RunRequester;
}

/** Of a message that came into a chat. The event and its context both have them, or one of the two. */
export interface MessageFacts {
  readonly channelId?: string;
  readonly sessionKey?: string;
  readonly senderId?: string;
  /** The text. */
  readonly content?: string;
}

export interface AgentRunEvent {
  readonly senderId?: string;
  readonly senderIsOwner?: boolean;
}

export interface AgentRunContext extends CallerContext {
  readonly channel?: string;
  readonly accountId?: string;
}

export interface TrustedToolPolicy {
  readonly id: string;
  readonly description: string;
  evaluate(event: ToolCallEvent, context: CallerContext): { params: Record<string, unknown> } | undefined;
}

export interface CliProgram {
  command(name: string): {
    description(text: string): ReturnType<CliProgram["command"]>;
    allowUnknownOption(): ReturnType<CliProgram["command"]>;
    allowExcessArguments(): ReturnType<CliProgram["command"]>;
    helpOption(on: boolean): ReturnType<CliProgram["command"]>;
    action(run: (...args: unknown[]) => Promise<void>): void;
  };
}

interface CliOptions {
  readonly commands: readonly string[];
  readonly descriptors: readonly { name: string; description: string; hasSubcommands: boolean }[];
}

/** The user's answer in OpenClaw's prompt, or why there is none. */
export type Decision = "allow-once" | "allow-always" | "deny" | "timeout" | "cancelled";

export interface ApprovalRequest {
  readonly title: string;
  readonly description: string;
  readonly severity: "info" | "warning";
  readonly timeoutMs: number;
  readonly allowedDecisions: readonly Decision[];
  onResolution(decision: Decision): void;
}

/** What a hook makes of a call. */
export type ToolCallDecision =
  | { readonly block: true; readonly blockReason: string }
  | { readonly requireApproval: ApprovalRequest };
