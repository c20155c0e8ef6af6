import path from "node:path";
import { startNode } from "./child.ts";
import type { Child } from "./child.ts";
import { prepareTargets, targetFile } from "./prepare-targets.ts";

/** Who is measured: the hand-written limit, the official SDK, and this project. */
export const contenders = ["limit", "sdk", "ours"] as const;
export type Contender = (typeof contenders)[number];

export const contenderTitle: Readonly<Record<Contender, string>> = {
  limit: "hand-written (limit)",
  sdk: "official SDK v2",
  ours: "clawport",
};

/** The HTTP programs that keep sessions: the SDK's usual handler keeps none. */
export const sessionProgram: Readonly<Record<Contender, string>> = {
  limit: "limit-http",
  sdk: "sdk-http-sessions",
  ours: "ours-http",
};

export const cliFile = path.join(import.meta.dirname, "..", "dist", "cli", "main.js");

export interface HttpTarget {
  readonly port: number;
  readonly path: string;
  readonly token?: string;
}

let prepared = false;

/** Starts one of the programs in `bench/targets`. */
export function startTarget(name: string, nodeFlags: readonly string[] = []): Child {
  if (!prepared) prepareTargets();
  prepared = true;
  return startNode([...nodeFlags, targetFile(name)]);
}

/** Starts an HTTP target and waits until it says where it listens. */
export async function startHttpTarget(
  name: string,
  nodeFlags: readonly string[] = [],
): Promise<{ readonly child: Child; readonly target: HttpTarget }> {
  const child = startTarget(name, nodeFlags);
  const line = await Promise.race([firstLine(child), child.exited.then((how) => Promise.reject(new Error(how)))]);
  return { child, target: JSON.parse(line) };
}

function firstLine(child: Child): Promise<string> {
  let text = "";
  return new Promise((resolve) => {
    child.stdout.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes("\n")) resolve(text);
    });
  });
}
