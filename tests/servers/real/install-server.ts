import path from "node:path";
import { installPackage } from "../../../conformance/install-package.ts";

export const realVersion = "2026.8.31";

export type RealName = "everything" | "filesystem" | "memory";

/** How to start one of the reference servers, as it is published. */
export async function installServer(name: RealName): Promise<{ command: string; program: string }> {
  const folder = await installPackage(`@modelcontextprotocol/server-${name}`, realVersion, `server-${name}`);
  return { command: process.execPath, program: path.join(folder, "dist", "index.js") };
}
