import path from "node:path";
import { firstLine, startNode } from "./child.ts";
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

interface Start {
  readonly nodeFlags?: readonly string[];
  readonly args?: readonly string[];
}

/** Starts one of the programs in `bench/targets`. */
export function startTarget(name: string, { nodeFlags = [], args = [] }: Start = {}): Child {
  if (!prepared) prepareTargets();
  prepared = true;
  return startNode([...nodeFlags, targetFile(name), ...args]);
}

/** Starts an HTTP target and waits until it says where it listens. */
export async function startHttpTarget(
  name: string,
  nodeFlags: readonly string[] = [],
): Promise<{ readonly child: Child; readonly target: HttpTarget }> {
  const child = startTarget(name, { nodeFlags });
  return { child, target: JSON.parse(await firstLine(child)) };
}
