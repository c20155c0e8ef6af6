import { hash, randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { codeOf, Fault } from "../../../core/fault.ts";
import { withFileLock } from "../../../core/files/file-lock.ts";
import { writeFileAtomic } from "../../../core/files/write-file-atomic.ts";
import { type Log, silentLog } from "../../../core/log.ts";
import { createSchemaChecker } from "../../../mcp/schema/schema-checker.ts";
import { CapabilityFault } from "../capability.ts";
import {
  type AllowlistEntry,
  approvalsFileSchema,
  emptyApprovalsFile,
  type ExecApprovalsFile,
  type ExecPolicy,
  lockedPolicy,
  parseApprovalsFile,
  policyOf,
} from "./approvals-file.ts";
import { judgeNarrowing } from "./judge-narrowing.ts";

/** The file as it is now. */
export interface ApprovalsSnapshot {
  readonly path: string;
  readonly exists: boolean;
  /** Of its bytes: who wants to replace the file names it. */
  readonly hash: string;
  readonly file: ExecApprovalsFile;
  /** Why nothing in it counts; undefined if it can be trusted. */
  readonly problem?: string;
}

export interface ExecApprovals {
  read(): Promise<ApprovalsSnapshot>;
  policyFor(agent: string): Promise<ExecPolicy>;
  /** Replaces the file if it still has the hash. Faults if it has not, or if the new one allows more. */
  replace(file: ExecApprovalsFile, baseHash: string | undefined): Promise<ApprovalsSnapshot>;
  /** Adds what a person allowed for good. */
  allow(agent: string, entry: AllowlistEntry): Promise<void>;
}

export interface ExecApprovalsOptions {
  readonly path: string;
  /** Whether callers may also loosen it. */
  readonly remoteGrants: boolean;
  readonly log?: Log;
}

const maxBytes = 4 * 1024 * 1024;
const missingHash = `missing:${hash("sha256", "")}`;

export function openExecApprovals(options: ExecApprovalsOptions): ExecApprovals {
  const { path, log = silentLog } = options;
  const checker = createSchemaChecker();

  async function read(): Promise<ApprovalsSnapshot> {
    const found = await readOwnFile(path);
    if (found === undefined) return { path, exists: false, hash: missingHash, file: emptyApprovalsFile };
    if ("problem" in found) return { path, exists: true, hash: "untrusted", file: emptyApprovalsFile, ...found };
    const own = { path, exists: true, hash: hash("sha256", found.bytes) };
    let fits = false;
    try {
      const value: unknown = JSON.parse(found.bytes.toString("utf8"));
      fits = (await checker.check(approvalsFileSchema, value)).ok;
      return { ...own, file: parseApprovalsFile(found.bytes.toString("utf8"), () => fits) };
    } catch {
      return { ...own, file: emptyApprovalsFile, problem: "it does not hold exec approvals" };
    }
  }

  async function write(file: ExecApprovalsFile): Promise<void> {
    await writeFileAtomic(path, `${JSON.stringify(file, undefined, 2)}\n`);
  }

  const locked = <T>(work: () => Promise<T>): Promise<T> => withFileLock(`${path}.lock`, { log }, work);

  return {
    read,
    async policyFor(agent) {
      const { file, problem } = await read();
      if (problem === undefined) return policyOf(file, agent);
      log.error("the exec approvals can't be trusted, so no command may run; correct the file or remove it", {
        path,
        problem,
      });
      return lockedPolicy;
    },
    replace: (file, baseHash) =>
      locked(async () => {
        const current = await read();
        if (current.problem !== undefined)
          throw new CapabilityFault(
            "UNAVAILABLE",
            "The exec approvals on this computer are damaged. The user must correct them.",
          );
        if (baseHash === undefined && current.exists)
          throw new CapabilityFault("INVALID_REQUEST", "baseHash required; get the exec approvals first.", {
            code: "conflict",
          });
        if (baseHash !== undefined && baseHash !== current.hash)
          throw new CapabilityFault("INVALID_REQUEST", "exec approvals changed; reload and retry.", {
            code: "conflict",
          });
        const refusal = options.remoteGrants ? undefined : judgeNarrowing(current.file, file);
        if (refusal !== undefined)
          throw new CapabilityFault(
            "EXEC_POLICY_WIDENING_REFUSED",
            `${refusal}. Callers can only tighten the exec approvals.`,
            { code: "denied" },
          );
        const { socket: _socket, ...rest } = file;
        // The socket belongs to OpenClaw on this computer; a caller never sees its token.
        await write({ ...rest, ...(current.file.socket && { socket: current.file.socket }) });
        return read();
      }),
    allow: (agent, entry) =>
      locked(async () => {
        const { file, problem } = await read();
        if (problem !== undefined) throw new Fault("corrupt", `${path} can't be trusted: ${problem}.`);
        const { agents = {} } = file;
        const own = Object.hasOwn(agents, agent) ? agents[agent]! : {};
        const { allowlist = [] } = own;
        const isSame = ({ pattern, argPattern }: AllowlistEntry) =>
          pattern === entry.pattern && argPattern === entry.argPattern;
        if (allowlist.some(isSame)) return;
        const added = { id: randomUUID(), ...entry };
        await write({ ...file, agents: { ...agents, [agent]: { ...own, allowlist: [...allowlist, added] } } });
      }),
  };
}

/**
 * Undefined if there is no file. A link, or a file that others may write, could be changed by someone else, so nothing in
 * it counts.
 */
async function readOwnFile(path: string): Promise<{ bytes: Buffer } | { problem: string } | undefined> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  try {
    await using file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const found = await file.stat();
    if (!found.isFile()) return { problem: "it is not a regular file" };
    if (found.nlink > 1) return { problem: "it has other names (hard links)" };
    if (process.platform !== "win32" && (found.mode & 0o022) !== 0) return { problem: "other users may write it" };
    if (process.getuid !== undefined && found.uid !== process.getuid())
      return { problem: "it belongs to another user" };
    if (found.size > maxBytes) return { problem: "it is too large" };
    const bytes = await file.readFile();
    return bytes.length > maxBytes ? { problem: "it is too large" } : { bytes };
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    return { problem: codeOf(error) === "ELOOP" ? "it is a symbolic link" : "it could not be read" };
  }
}
