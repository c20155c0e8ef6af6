import { readFile } from "node:fs/promises";
import { substituteEnv } from "../../../core/config/substitute-env.ts";
import { isFault } from "../../../core/fault.ts";
import { codeOf, messageOf } from "../../../core/thrown.ts";
import { chooseServers, type Present } from "./choose-servers.ts";
import type { ImportSource } from "./find-sources.ts";
import type { ImportedServer, Reading } from "./reading.ts";

/** What one file gives, or why it can't be read. */
export interface PlannedSource extends Reading {
  readonly source: ImportSource;
  readonly problem?: string;
}

export interface ImportPlan {
  readonly sources: readonly PlannedSource[];
  /** What is to be added, by name. */
  readonly servers: Readonly<Record<string, ImportedServer>>;
  /** Environment variables that must be set from now on. */
  readonly needs: readonly string[];
}

const nothing: Reading = { taken: [], skipped: [] };

/** Reads the files and decides what to take of them. Nothing is written. */
export async function planImport(sources: readonly ImportSource[], present: Present): Promise<ImportPlan> {
  const read = await Promise.all(sources.map(readSource));
  const readings = chooseServers(
    read.map(({ source, reading }) => ({ client: source.client.id, reading })),
    present,
  );
  const planned = read.map(({ source, problem }, index) => {
    return { source, ...(readings[index] ?? nothing), ...(problem !== undefined && { problem }) };
  });
  const servers = Object.fromEntries(
    planned.flatMap(({ taken }) => taken.map(({ name, server }) => [name, server] as const)),
  );
  const needs = new Set(substituteEnv(servers, {}).missing.map(({ name }) => name));
  return { sources: planned, servers, needs: [...needs] };
}

async function readSource(
  source: ImportSource,
): Promise<{ readonly source: ImportSource; readonly reading: Reading; readonly problem?: string }> {
  try {
    const text = await readFile(source.path, "utf8");
    return { source, reading: await source.client.read(text, source) };
  } catch (error) {
    if (!isFault(error) && codeOf(error) === undefined) throw error;
    return { source, reading: nothing, problem: messageOf(error) };
  }
}
