import type { Capability } from "../capability.ts";
import { approvalsFileSchema, defaultPolicy, type ExecApprovalsFile, withoutSecrets } from "../exec/approvals-file.ts";
import type { ApprovalsSnapshot, ExecApprovals } from "../exec/approvals-store.ts";

const snapshotSchema = {
  type: "object",
  properties: {
    path: { type: "string" },
    exists: { type: "boolean" },
    hash: { type: "string" },
    file: approvalsFileSchema,
    resolvedDefaults: { type: "object" },
  },
  required: ["path", "exists", "hash", "file"],
  additionalProperties: false,
} as const;

/** Which commands the user has allowed. */
export function execApprovalsGet(approvals: Pick<ExecApprovals, "read">): Capability {
  return {
    name: "system.execApprovals.get",
    title: "Read the exec approvals",
    description:
      "Returns which commands `system.run` may run without asking, and the hash that `system.execApprovals.set` needs.",
    risk: "read",
    consent: "always",
    input: {
      type: "object",
      properties: { includeResolvedDefaults: { type: "boolean", default: false } },
      additionalProperties: false,
    },
    output: snapshotSchema,
    async run({ includeResolvedDefaults }) {
      const snapshot = await approvals.read();
      const resolvedDefaults = { ...defaultPolicy, ...snapshot.file.defaults };
      return { payload: { ...shown(snapshot), ...(includeResolvedDefaults === true && { resolvedDefaults }) } };
    },
  };
}

export function execApprovalsSet(approvals: Pick<ExecApprovals, "replace">): Capability {
  return {
    name: "system.execApprovals.set",
    title: "Tighten the exec approvals",
    description:
      "Replaces the exec approvals of this computer. They can only become stricter, and only if `baseHash` is the hash of the present ones.",
    risk: "exec",
    consent: "always",
    annotations: { destructiveHint: true, openWorldHint: false },
    input: {
      type: "object",
      properties: { baseHash: { type: "string", minLength: 1, maxLength: 200 }, file: approvalsFileSchema },
      required: ["file"],
      additionalProperties: false,
    },
    output: snapshotSchema,
    async run({ baseHash, file }) {
      const replaced = await approvals.replace(file as ExecApprovalsFile, baseHash as string | undefined);
      return { payload: shown(replaced) };
    },
  };
}

function shown({ path, exists, hash, file }: ApprovalsSnapshot) {
  return { path, exists, hash, file: withoutSecrets(file) };
}
