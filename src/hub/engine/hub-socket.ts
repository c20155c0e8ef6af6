import { hash, randomBytes } from "node:crypto";
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import type { Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { codeOf, Fault, messageOf } from "../../core/fault.ts";
import type { Home } from "../../core/files/home.ts";
import { nonBlank } from "../../core/files/resolve-home.ts";
import { judgeSocketFolder } from "../../core/http/socket-agent.ts";
import type { Env } from "../../core/process/child-env.ts";

/** The kernel's limit is 107 bytes on Linux and 103 on macOS. */
const maxPathBytes = 103;
const socketName = "hub.sock";

/**
 * Listens where the owner's own processes connect, and returns the path. The lock of the hub is held, so a socket that
 * is there already belongs to one that was killed.
 */
export async function listenForOwner(server: Server, home: Home, env: Env): Promise<string> {
  // A pipe has no folder that protects it, so its name can't be guessed; the record of the hub has it.
  if (process.platform === "win32") return listenAt(server, `\\\\.\\pipe\\clawport-${randomBytes(16).toString("hex")}`);
  const own = home.file(socketName);
  if (Buffer.byteLength(own) <= maxPathBytes) {
    try {
      return await listenAt(server, own);
    } catch (error) {
      // Not every file system has sockets.
      if (!["ENOTSUP", "EOPNOTSUPP", "EPERM", "EINVAL"].includes(codeOf(error) ?? "")) throw socketFault(own, error);
    }
  }
  const path = join(openShortFolder(home, env), socketName);
  return listenAt(server, path).catch((error: unknown) => Promise.reject(socketFault(path, error)));
}

/** Where the socket may be if the state folder can't have it. They need not exist. */
export function shortSocketFolders(home: Pick<Home, "path">, env: Env): readonly string[] {
  return socketBases(env).map((base) => join(base, shortNameOf(home)));
}

/** A folder of the same owner with a short path, the same for each start. It stays: others could make it anew. */
function openShortFolder(home: Home, env: Env): string {
  const base = socketBases(env).find(
    (folder) => Buffer.byteLength(join(folder, shortNameOf(home), socketName)) <= maxPathBytes,
  );
  if (base === undefined)
    throw new Fault("io", "No folder is short enough for the hub's socket. Choose a shorter one with `--home`.");
  const folder = join(base, shortNameOf(home));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw socketFault(folder, error);
  }
  const isOurs = judgeSocketFolder(lstatSync(folder), process.getuid?.() ?? 0) === undefined;
  return isOurs ? folder : mkdtempSync(join(base, "clawport-"));
}

function socketBases(env: Env): readonly string[] {
  return [nonBlank(env["XDG_RUNTIME_DIR"]), tmpdir(), "/tmp"].filter((folder) => folder !== undefined);
}

function shortNameOf({ path }: Pick<Home, "path">): string {
  return `clawport-${hash("sha256", path).slice(0, 16)}`;
}

async function listenAt(server: Server, path: string): Promise<string> {
  if (process.platform !== "win32") rmSync(path, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, () => {
      server.off("error", reject);
      resolve();
    });
  });
  if (process.platform !== "win32") chmodSync(path, 0o600);
  return path;
}

function socketFault(path: string, cause: unknown): Fault {
  const message = `Could not listen at ${path}: ${messageOf(cause)}. Choose another state folder with \`--home\`.`;
  return new Fault("io", message, { cause });
}
