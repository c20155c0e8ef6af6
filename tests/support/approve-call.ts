import { controlAt } from "./hub-socket.ts";

/** What `clawport approve <id>` does after a person at a terminal has confirmed: asks the hub of the state folder. */
export async function approveCall(home: string, id: string): Promise<void> {
  const control = await controlAt(home);
  await control.approvals.approve({ id, confirmed: true });
  control.close();
}
