import { openHome } from "../../src/core/files/home.ts";
import { createLiveLog } from "../../src/core/log.ts";
import { findHub } from "../../src/hub/control/find-hub.ts";
import { createRemoteControl } from "../../src/hub/control/remote-control.ts";

const log = createLiveLog({ level: "error", format: "human", write: () => {} });

/** What `clawport approve <id>` does after a person at a terminal has confirmed: asks the hub of the state folder. */
export async function approveCall(home: string, id: string): Promise<void> {
  const hub = await findHub({ env: {}, log }, await openHome(home));
  if (hub === undefined) throw new Error(`no hub runs in ${home}`);
  const control = createRemoteControl(hub, { log });
  await control.approvals.approve(id, { confirmed: true });
  control.close();
}
