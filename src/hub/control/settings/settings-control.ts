import type { ConfigProblem } from "../../../core/config/config-problem.ts";
import type { PolicyRule } from "../../../core/config/policy-config.ts";
import type { ConsentMode, Risk } from "../../../sources/machine/capability.ts";
import type { ConsentGrant } from "../../../sources/machine/consent.ts";
import type { ServerStatus } from "../../../sources/servers/server-status.ts";
import type { DiffLine } from "../../clients/line-diff.ts";
import type { NodeStanding } from "../../node/node-standing.ts";

/** A server to add: an address, a command, or a block that another program's documentation says to paste. */
export interface NewServer {
  /** Taken from the address or the command unless given. Not for `json`, which has names. */
  readonly name?: string | undefined;
  readonly url?: string | undefined;
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
  /** One server, or several by name, as JSON or JSON5. */
  readonly json?: string | undefined;
  readonly apiKey?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Adds it without trying to connect first. */
  readonly force?: boolean | undefined;
}

export interface AddedServers {
  /** The configuration file that they are in now. */
  readonly path: string;
  readonly added: readonly string[];
  /** Of the added ones. One that needs a sign-in, or could not be reached, says so. */
  readonly servers: readonly ServerStatus[];
}

/** A server that another program is configured with. */
export interface ImportableServer {
  /** Its name once it is imported. */
  readonly name: string;
  readonly address: string;
  /** What is different here, such as a name or a switch. */
  readonly notes: readonly string[];
}

/** What one file of another program offers. */
export interface ImportableFile {
  readonly client: string;
  readonly title: string;
  readonly path: string;
  readonly servers: readonly ImportableServer[];
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
  /** Why it can't be read. */
  readonly problem?: string | undefined;
}

/** Changes to the servers in the configuration file. */
export interface ServerEdits {
  add(server: NewServer): Promise<AddedServers>;
  remove(name: string): Promise<{ readonly removed: string; readonly path: string }>;
  /** Switches it on or off in the configuration. */
  enable(name: string, on: boolean): Promise<ServerStatus>;
  /** Only files of the user: those of a folder may be a stranger's. */
  importable(): Promise<readonly ImportableFile[]>;
  import(names: readonly string[]): Promise<AddedServers & { readonly needs: readonly string[] }>;
}

export interface RuleList {
  /** The file they are in. */
  readonly path: string;
  readonly preset: "open" | "default" | "strict";
  readonly rules: readonly PolicyRule[];
  /** Rules that came with a folder; they judge as well, and are not edited here. */
  readonly folderRules?: readonly PolicyRule[] | undefined;
  /** Of the file, for `save`. */
  readonly hash: string;
}

/** One of the last calls that the rules would have judged otherwise. */
export interface RuleEffect {
  readonly id: string;
  readonly time: string;
  readonly tool: string;
  readonly source: string;
  readonly caller: string;
  readonly was: string;
  readonly would: "allow" | "ask" | "deny";
  /** What would have decided: `policy.rules[0]`, or the preset. */
  readonly by: string;
}

export interface RuleTrial {
  /** How many calls were judged. */
  readonly calls: number;
  readonly allow: number;
  readonly ask: number;
  readonly deny: number;
  /** How many of them each rule would have decided, in the order of the rules. */
  readonly perRule: readonly number[];
  readonly changed: number;
  /** The latest of the changed ones. */
  readonly examples: readonly RuleEffect[];
}

export interface RulesControl {
  list(): Promise<RuleList>;
  /** Replaces the rules in the configuration file. Faults with `conflict` if the file is no longer the one with this hash. */
  save(rules: readonly unknown[], baseHash?: string): Promise<RuleList>;
  /** What these rules would have done to the last 1,000 calls. Answers and limits are left out. */
  dryRun(rules: readonly unknown[]): Promise<RuleTrial>;
}

export interface MachineCapability {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly risk: Risk;
  /** What applies now. */
  readonly consent: ConsentMode;
  /** What applies unless the configuration says otherwise. */
  readonly standard: ConsentMode;
  /** Why this computer can't do it, and what would help. */
  readonly unavailable?: { readonly reason: string; readonly fix?: string | undefined } | undefined;
  /** What was decided about it, for a caller or for all. */
  readonly grants: readonly Pick<ConsentGrant, "choice" | "caller" | "at">[];
}

/** What answers: a hub, which always serves MCP; a node, which always offers this computer; `none` while neither runs. */
export type MachineHost = "hub" | "node" | "none";

/** As the tray words it. A hub that answers is `Listening`. */
export type McpStatusText = "Listening" | "Stopped — save and restart to start" | "Disabled";

export interface MachineSettings {
  /** Whether a hub offers the tools of this computer. Not set while a node runs. */
  readonly enabled: boolean;
  /** Whether a node serves MCP clients. Not set while a hub runs. */
  readonly enableMcpServer: boolean;
  readonly enableNodeMode: boolean;
}

export interface MachineState {
  readonly host: MachineHost;
  /** As the configuration file has them. */
  readonly settings: MachineSettings;
  /** Whether they take effect only after a restart. */
  readonly needsRestart: boolean;
  /** Whether MCP clients get the tools of this computer. */
  readonly tools: { readonly offered: boolean; readonly afterRestart: boolean };
  readonly endpoint: string;
  readonly status: McpStatusText;
  readonly tokenPath: string;
  /** Never the token itself. */
  readonly maskedToken: string;
  /** Empty while the tools of this computer are not offered. */
  readonly capabilities: readonly MachineCapability[];
  /** The connection to the gateway; absent if it is off. */
  readonly gateway?:
    | {
        readonly nodeId: string;
        readonly address: string;
        readonly state: string;
        readonly problem?: string | undefined;
      }
    | undefined;
}

export interface MachineControl {
  read(): Promise<MachineState>;
  set(settings: { readonly [Key in keyof MachineSettings]?: boolean | undefined }): Promise<MachineState>;
  /** `default` removes the setting. */
  consent(capability: string, mode: ConsentMode | "default"): Promise<MachineState>;
  /** Forgets what was decided about a capability. */
  forget(capability: string): Promise<{ readonly forgotten: number }>;
  revealToken(): Promise<{ readonly token: string }>;
  /** What the gateway knows of this computer. Asks the gateway. */
  pairing(): Promise<NodeStanding>;
  /** Connects this computer to a gateway, whose owner then has to approve it. The token is needed once. */
  pair(request: PairingRequest): Promise<MachineState>;
}

export interface PairingRequest {
  readonly gateway?: string | undefined;
  readonly token?: string | undefined;
  readonly password?: string | undefined;
}

export interface AgentState {
  /** What takes the orders: OpenClaw's gateway, a model, or only the commands that need neither. `none`: no orders are taken. */
  readonly backend: "gateway" | "model" | "commands" | "none";
  readonly why: string;
  /** The model, or the gateway's address. */
  readonly name?: string | undefined;
}

export interface AgentControl {
  read(): Promise<AgentState>;
}

export interface ClientEntry {
  readonly id: string;
  readonly title: string;
  readonly file: string;
  readonly state: "installed" | "not-installed" | "absent" | "unknown";
  readonly problem?: string | undefined;
  /** What goes into its file, for pasting. */
  readonly block: string;
  readonly httpBlock?: string | undefined;
  /** What to do once the entry is written. */
  readonly next: string;
}

export interface InstalledClient {
  readonly id: string;
  readonly file: string;
  readonly written: boolean;
  readonly backup?: string | undefined;
  readonly next: string;
}

export interface ClientsControl {
  list(): Promise<readonly ClientEntry[]>;
  /** What `install` would change. */
  preview(id: string): Promise<{ readonly file: string; readonly diff: readonly DiffLine[] }>;
  /** Keeps a backup of the client's file. */
  install(id: string): Promise<InstalledClient>;
  uninstall(id: string): Promise<InstalledClient>;
}

export interface ConfigVerdict {
  readonly problems: readonly ConfigProblem[];
  /** Whether it could be saved: warnings, and servers that wait for a variable, don't count. */
  readonly ok: boolean;
}

export interface WrittenConfig {
  readonly path: string;
  readonly hash: string;
}

export interface ConfigurationEdits {
  /** The JSON Schema of the file. */
  schema(): Promise<Readonly<Record<string, unknown>>>;
  /** What is wrong with a text. Masked values are taken from the file. */
  validate(text: string): Promise<ConfigVerdict>;
  /** The same text with these tools hidden from all clients. Writes nothing. */
  hide(text: string, tools: readonly string[]): Promise<string>;
  /**
   * Replaces the file and applies it. Masked values stay as they are in the file. Faults with `conflict` if the file is no
   * longer the one with this hash, and with `config` if the text can't be used.
   */
  write(text: string, baseHash: string): Promise<WrittenConfig>;
}
