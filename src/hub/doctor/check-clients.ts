import type { ClientMachine } from "../../sources/servers/import/client-table.ts";
import { findHttpProblems } from "../clients/http-entries.ts";
import type { DoctorFinding } from "./finding.ts";

/** Whether a client sends its token to a program of another user. */
export async function checkClients(machine: ClientMachine): Promise<DoctorFinding[]> {
  const problems = await findHttpProblems(machine);
  return problems.map(({ client, problem }) => ({
    level: "warn",
    what: problem,
    fix: `clawport install ${client.id}`,
  }));
}
