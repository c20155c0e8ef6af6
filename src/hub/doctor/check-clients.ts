import type { ClientMachine } from "../clients/client-table.ts";
import { findHttpProblems } from "../clients/http-entries.ts";
import type { Finding } from "./finding.ts";

/** Whether a client sends its token to a program of another user. */
export async function checkClients(machine: ClientMachine): Promise<Finding[]> {
  const problems = await findHttpProblems(machine);
  return problems.map(({ client, problem }) => ({
    level: "warn",
    what: problem,
    fix: `clawport install ${client.id}`,
  }));
}
