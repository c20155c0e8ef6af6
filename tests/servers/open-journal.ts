import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { program } from "../setup/programs.ts";

const serverFile = program("tests/servers/fixtures/rogue-stdio.ts");

/** The file in which a rogue over stdio counts its starts and runs, and how to start one that uses it. */
export interface Journal extends AsyncDisposable {
  readonly file: string;
  /** Outside a PID namespace, so that its own process ids are those of the test. */
  server(...flags: readonly string[]): { command: string; args: string[]; pidNamespace: "auto" | "off" };
  lines(): string[];
  count(line: string): number;
  /** Process ids of every start. */
  pids(): number[];
}

export async function openJournal(): Promise<Journal> {
  const folder = await mkdtemp(path.join(tmpdir(), "clawport-rogue-"));
  const file = path.join(folder, "journal");
  await writeFile(file, "");
  const lines = () => readFileSync(file, "utf8").split("\n").slice(0, -1);
  return {
    file,
    server: (...flags) => ({ command: process.execPath, args: [serverFile, file, ...flags], pidNamespace: "off" }),
    lines,
    count: (line) => lines().filter((each) => each === line).length,
    pids: () => lines().flatMap((line) => (line.startsWith("start ") ? [Number(line.slice(6))] : [])),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
