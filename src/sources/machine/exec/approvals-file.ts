import { Fault } from "../../../core/fault.ts";
import { isRecord } from "../../../core/is-record.ts";

/** `allowlist`: only what the allowlist has, and what a person approves. */
export type ExecSecurity = "deny" | "allowlist" | "full";
/** Whether a person is asked: never, about what the allowlist does not have, or about everything. */
export type ExecAsk = "off" | "on-miss" | "always";

export interface AllowlistEntry {
  readonly id?: string;
  /** A glob over the real path of the program. */
  readonly pattern: string;
  /** A regular expression over the arguments, or a hash of them. */
  readonly argPattern?: string;
  /** Set if a person's lasting answer made it. */
  readonly source?: "allow-always";
  readonly commandText?: string;
  readonly lastUsedAt?: number;
  readonly lastUsedCommand?: string;
  readonly lastResolvedPath?: string;
}

interface PolicyFields {
  readonly security?: ExecSecurity;
  readonly ask?: ExecAsk;
  /** What a question comes to that no one answers. */
  readonly askFallback?: ExecSecurity;
  readonly autoAllowSkills?: boolean;
}

interface AgentFields extends PolicyFields {
  readonly allowlist?: readonly AllowlistEntry[];
  readonly mcpTools?: readonly Readonly<Record<string, unknown>>[];
}

/** The file `exec-approvals.json`, as OpenClaw has it. */
export interface ExecApprovalsFile {
  readonly version: 1;
  readonly socket?: { readonly path?: string; readonly token?: string };
  readonly defaults?: PolicyFields;
  /** By agent; `*` is for all. */
  readonly agents?: Readonly<Record<string, AgentFields>>;
}

/** What applies to one agent. */
export interface ExecPolicy extends Required<PolicyFields> {
  readonly allowlist: readonly AllowlistEntry[];
}

/** Where nothing is written: stricter than OpenClaw, whose nodes run everything. */
export const defaultPolicy: Required<PolicyFields> = {
  security: "allowlist",
  ask: "on-miss",
  askFallback: "deny",
  autoAllowSkills: false,
};

/** Where the file can't be trusted. */
export const lockedPolicy: ExecPolicy = {
  security: "deny",
  ask: "always",
  askFallback: "deny",
  autoAllowSkills: false,
  allowlist: [],
};

export const emptyApprovalsFile: ExecApprovalsFile = { version: 1 };

export function policyOf({ defaults = {}, agents = {} }: ExecApprovalsFile, agent: string): ExecPolicy {
  const everyone = Object.hasOwn(agents, "*") ? agents["*"]! : {};
  const own = agent !== "*" && Object.hasOwn(agents, agent) ? agents[agent]! : {};
  const { security, ask, askFallback, autoAllowSkills } = { ...defaultPolicy, ...defaults, ...everyone, ...own };
  const allowlist = [...(everyone.allowlist ?? []), ...(own.allowlist ?? [])];
  return { security, ask, askFallback, autoAllowSkills, allowlist };
}

const text = (maxLength: number) => ({ type: "string", maxLength });
const security = { type: "string", enum: ["deny", "allowlist", "full"] };
const policyProperties = {
  security,
  ask: { type: "string", enum: ["off", "on-miss", "always"] },
  askFallback: security,
  autoAllowSkills: { type: "boolean" },
};

/** The JSON Schema of the file. Its size is bounded: it comes from outside. */
export const approvalsFileSchema = {
  type: "object",
  properties: {
    version: { const: 1 },
    socket: {
      type: "object",
      properties: { path: text(4096), token: text(1000) },
      additionalProperties: false,
    },
    defaults: { type: "object", properties: policyProperties, additionalProperties: false },
    agents: {
      type: "object",
      maxProperties: 100,
      additionalProperties: {
        type: "object",
        properties: {
          ...policyProperties,
          allowlist: {
            type: "array",
            maxItems: 1000,
            items: {
              type: "object",
              properties: {
                id: text(100),
                pattern: { ...text(4096), description: "A glob over the real path of the program." },
                argPattern: {
                  ...text(4096),
                  description: "A regular expression over the arguments, or a hash of them.",
                },
                source: { const: "allow-always" },
                commandText: text(65_536),
                lastUsedAt: { type: "number" },
                lastUsedCommand: text(65_536),
                lastResolvedPath: text(4096),
              },
              required: ["pattern"],
              additionalProperties: false,
            },
          },
          mcpTools: { type: "array", maxItems: 1000, items: { type: "object" } },
        },
        additionalProperties: false,
      },
    },
  },
  required: ["version"],
  additionalProperties: false,
} as const;

/** Faults with `corrupt` if the text is not such a file. `check` says whether a value fits the schema. */
export function parseApprovalsFile(raw: string, check: (value: unknown) => boolean): ExecApprovalsFile {
  const value: unknown = JSON.parse(raw);
  if (isRecord(value) && check(value)) return value as unknown as ExecApprovalsFile;
  throw new Fault("corrupt", "This is not a file of exec approvals.");
}

/** As others may see it: the token of OpenClaw's socket is a secret. */
export function withoutSecrets(file: ExecApprovalsFile): ExecApprovalsFile {
  if (file.socket?.token === undefined) return file;
  const { token: _token, ...socket } = file.socket;
  return { ...file, socket };
}
