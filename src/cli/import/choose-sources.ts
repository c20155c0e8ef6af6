import { statSync } from "node:fs";
import { resolve } from "node:path";
import { Fault } from "../../core/fault.ts";
import { quoted } from "../../core/quoted.ts";
import { nearestName } from "../../core/nearest-name.ts";
import { clients } from "../../sources/servers/import/clients.ts";
import { findSources, sourceOf, type ImportSource, type Machine } from "../../sources/servers/import/find-sources.ts";

interface Choice {
  readonly sources: readonly ImportSource[];
  readonly untrusted: readonly ImportSource[];
}

/**
 * The files to read. Those that come with the folder are perhaps a stranger's, and what is taken from them is started from
 * then on: they are left alone until someone trusts them, or names them.
 */
export function chooseSources(machine: Machine, from: readonly string[] | undefined, trust: boolean): Choice {
  const found = findSources(machine);
  const named = (from ?? []).filter((word) => !isProgram(word)).map((word) => namedFile(word, machine));
  const programs = (from ?? []).filter(isProgram);
  const wanted = from === undefined ? found : programs.flatMap((id) => filesOf(id, found));
  const isTrusted = ({ scope }: ImportSource): boolean => trust || scope === "user";
  return {
    sources: [...named, ...wanted.filter(isTrusted)],
    untrusted: wanted.filter((source) => !isTrusted(source)),
  };
}

function isProgram(word: string): boolean {
  return clients.some(({ id }) => id === word);
}

function filesOf(id: string, found: readonly ImportSource[]): readonly ImportSource[] {
  const files = found.filter(({ client }) => client.id === id);
  if (files.length > 0) return files;
  const title = clients.find((client) => client.id === id)?.title ?? id;
  throw new Fault("not-found", `no file of ${title} was found here; name one with --from <file>`);
}

function namedFile(word: string, machine: Machine): ImportSource {
  const path = resolve(machine.cwd, word);
  if (statSync(path, { throwIfNoEntry: false })?.isFile()) return sourceOf(path, machine);
  const ids = clients.map(({ id }) => id);
  const near = nearestName(word, ids);
  const hint = near === undefined ? `the programs are ${ids.join(", ")}` : `did you mean "${near}"?`;
  throw new Fault("usage", `--from ${quoted(word)} is neither a program nor a file; ${hint}`);
}
