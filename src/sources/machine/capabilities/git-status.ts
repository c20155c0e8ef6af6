import { realpath } from "node:fs/promises";
import { isAbsolute, relative, resolve, sep } from "node:path";
import type { MachineConfig } from "../../../core/config/machine-config.ts";
import { isFault, messageOf } from "../../../core/fault.ts";
import { available, type Capability, CapabilityFault, invalidRequest } from "../capability.ts";
import { findExecutable } from "../../../core/process/find-program.ts";
import type { Machine } from "../machine.ts";
import { parseGitStatus } from "../parse-git-status.ts";
import { runTool } from "../run-tool.ts";

export interface GitStatusOptions extends Pick<Machine, "env" | "platform" | "homedir"> {
  /** Read at each call. */
  readonly settings: Pick<MachineConfig, "git">;
}

/** A repository decides much of what git does: no hook, monitor, pager or submodule of it may run a program. */
const harmless = [
  ["core.fsmonitor", "false"],
  ["core.hooksPath", "/dev/null"],
  ["core.untrackedCache", "false"],
  ["core.pager", "cat"],
  ["protocol.allow", "never"],
].flatMap(([key, value]) => ["-c", `${key}=${value}`]);

const timeoutMs = 15_000;

export function gitStatus({ env, platform, homedir, settings }: GitStatusOptions): Capability {
  return {
    name: "git.status",
    title: "State of a git repository",
    description:
      "Returns the branch and the changed files of a repository in one of the folders that the user has configured.",
    risk: "read",
    consent: "always",
    input: {
      type: "object",
      properties: {
        path: {
          type: "string",
          minLength: 1,
          maxLength: 4096,
          description: "A folder in the repository; an absolute path.",
        },
      },
      required: ["path"],
      additionalProperties: false,
    },
    output: {
      type: "object",
      properties: {
        root: { type: "string" },
        branch: { type: ["string", "null"] },
        head: { type: ["string", "null"] },
        upstream: { type: ["string", "null"] },
        ahead: { type: "integer" },
        behind: { type: "integer" },
        clean: { type: "boolean" },
        files: {
          type: "array",
          items: {
            type: "object",
            properties: { path: { type: "string" }, index: { type: "string" }, worktree: { type: "string" } },
            required: ["path", "index", "worktree"],
            additionalProperties: false,
          },
        },
        truncated: { type: "boolean" },
      },
      required: ["root", "clean", "files"],
    },
    async probe() {
      if (settings.git.roots.length === 0)
        return {
          ok: false,
          reason: "no folder is configured",
          fix: "add the folders of your repositories to `machine.git.roots`",
        };
      const found = await findExecutable("git", env, platform);
      return found === undefined
        ? { ok: false, reason: "git was not found", fix: "install the package `git`" }
        : available;
    },
    async run({ path }, { signal }) {
      const { roots } = settings.git;
      const folder = await findAllowed(String(path), roots, homedir);
      const git = await findExecutable("git", env, platform);
      if (git === undefined) throw new CapabilityFault("GIT_NOT_FOUND", "git was not found.");
      const call = async (...args: string[]) => {
        try {
          return await runTool(
            {
              command: git,
              args: ["--no-optional-locks", ...harmless, "-C", folder, ...args],
              env: { GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null", GIT_TERMINAL_PROMPT: "0", LC_ALL: "C" },
              maxBytes: 1024 * 1024,
              timeoutMs,
              signal,
            },
            env,
          );
        } catch (error) {
          if (!isFault(error, "timeout")) throw error;
          throw new CapabilityFault("GIT_TIMEOUT", `git did not end within ${timeoutMs} ms.`, { cause: error });
        }
      };
      const top = await call("rev-parse", "--show-toplevel");
      const root = top.stdout.toString("utf8").trim();
      if (top.code !== 0 || root === "")
        throw new CapabilityFault("NOT_A_REPOSITORY", `${folder} is not in a git repository that git accepts.`);
      // The repository may begin above the folder, outside what the user has allowed.
      await findAllowed(root, roots, homedir);
      const filters = await call("config", "--null", "--name-only", "--get-regexp", "^filter\\.");
      const { code, stdout, stderr, truncated } = await call(
        ...withoutFilters(filters.stdout.toString("utf8")),
        "status",
        "--porcelain=v2",
        "--branch",
        "-z",
        "--ignore-submodules=all",
        "--no-renames",
        "--untracked-files=normal",
      );
      if (code !== 0) throw new CapabilityFault("UNAVAILABLE", `git failed: ${stderr.trim().slice(0, 300)}`);
      const status = parseGitStatus(stdout.toString("utf8"));
      return { payload: { root, ...status, ...((truncated || status.truncated) && { truncated: true }) } };
    },
  };
}

/** A filter is a program that a repository has git run on changed files. An empty one does nothing. */
function withoutFilters(keys: string): string[] {
  const names = keys.split("\0").flatMap((key) => /^filter\.(.+)\.\w+$/s.exec(key)?.[1] ?? []);
  return [...new Set(names)].flatMap((name) =>
    ["clean=", "smudge=", "process=", "required=false"].flatMap((setting) => ["-c", `filter.${name}.${setting}`]),
  );
}

async function findAllowed(path: string, roots: readonly string[], homedir: string): Promise<string> {
  if (!isAbsolute(path) || path.includes("\0")) throw invalidRequest("`path` must be an absolute path.");
  // The same answer for what does not exist and what is not allowed: a caller must not learn what is elsewhere.
  const denied = new CapabilityFault(
    "PATH_DENIED",
    "This folder is not in one of the folders in `machine.git.roots`.",
    { code: "denied" },
  );
  const real = await realpath(path).catch(() => {
    throw denied;
  });
  for (const root of roots) {
    const top = await realpath(resolve(homedir, root.replace(/^~(?=\/|$)/, homedir))).catch((error: unknown) =>
      messageOf(error),
    );
    const inside = relative(top, real);
    if (inside === "" || (!isAbsolute(inside) && inside !== ".." && !inside.startsWith(`..${sep}`))) return real;
  }
  throw denied;
}
