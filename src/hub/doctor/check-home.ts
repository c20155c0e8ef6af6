import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { codeOf, messageOf } from "../../core/fault.ts";
import { hasNoRoom } from "../../core/files/write-when-room.ts";
import type { DoctorFinding } from "./finding.ts";

/** Whether the state folder is private and writable. If it is missing, the first start creates it. */
export async function checkHome(path: string, uid: number | undefined): Promise<DoctorFinding[]> {
  try {
    const { mode, uid: owner } = await stat(path);
    if (uid !== undefined && owner !== uid)
      return [
        {
          level: "fail",
          what: `${path} belongs to another user`,
          fix: `sudo chown -R "$(id -u)" ${JSON.stringify(path)}`,
        },
      ];
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
    if (hasNoRoom(path))
      return [
        {
          level: "fail",
          what: `the disk of ${path} is full: a hub can't save its keys and the audit, and commands may not find it`,
          fix: `df -h ${JSON.stringify(path)}  (free some space)`,
        },
      ];
    return isOpen(mode, uid) ? [opened(path, mode, "700")] : [{ level: "ok", what: `state folder ${path}` }];
  } catch (error) {
    if (codeOf(error) === "ENOENT")
      return [{ level: "info", what: `${path} does not exist yet: the first start creates it` }];
    return [
      {
        level: "fail",
        what: `${path} can't be used: ${messageOf(error)}`,
        fix: `chmod -R u+rwX ${JSON.stringify(path)}`,
      },
    ];
  }
}

/** Whether a secret file is private. */
export async function checkSecretFile(path: string, name: string, uid: number | undefined): Promise<DoctorFinding[]> {
  try {
    const { mode, size } = await stat(path);
    if (isOpen(mode, uid)) return [opened(path, mode, "600")];
    if (size === 0) return [{ level: "warn", what: `${name} ${path} is empty`, fix: "clawport token reset" }];
    return [{ level: "ok", what: `${name} ${path}` }];
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    return [
      {
        level: "fail",
        what: `${name} ${path} can't be read: ${messageOf(error)}`,
        fix: `chmod 600 ${JSON.stringify(path)}`,
      },
    ];
  }
}

/** Windows has neither user ids nor mode bits: there the profile folder is private. */
function isOpen(mode: number, uid: number | undefined): boolean {
  return uid !== undefined && (mode & 0o077) !== 0;
}

function opened(path: string, mode: number, wanted: string): DoctorFinding {
  const bits = (mode & 0o777).toString(8);
  return {
    level: "fail",
    what: `other users can reach ${path} (mode ${bits})`,
    fix: `chmod ${wanted} ${JSON.stringify(path)}`,
  };
}
