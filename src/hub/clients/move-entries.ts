import type { PlannedFile } from "../../sources/servers/import/plan-import.ts";
import { type ClientMachine, installableClients } from "../../sources/servers/import/client-table.ts";
import { type ClientEdit, planMove } from "./install-client.ts";

export interface PlannedMoves {
  readonly edits: readonly ClientEdit[];
  /** Files whose entries stay: they belong to a project, or to a program whose file Clawport does not change. */
  readonly left: readonly string[];
}

/** What is to be taken out of the clients' own files, because Clawport has it or is about to. Writes nothing. */
export async function planMoves(files: readonly PlannedFile[], machine: ClientMachine): Promise<PlannedMoves> {
  const edits: ClientEdit[] = [];
  const left: string[] = [];
  for (const { file, taken, skipped } of files) {
    const entries = [
      ...taken.map(({ name, nameThere = name, project }) => ({ name: nameThere, project })),
      ...skipped.filter(({ isDuplicate }) => isDuplicate),
    ];
    const names = entries.filter(({ project }) => project === undefined).map(({ name }) => name);
    const client = installableClients.find((each) => each.file(machine) === file.path);
    if (client !== undefined && names.length > 0) edits.push(await planMove(client, machine, names));
    if (client === undefined ? entries.length > 0 : names.length < entries.length) left.push(file.path);
  }
  return { edits, left };
}
