import { expect, test } from "vitest";
import { startApprovalHub } from "./approval-hub.ts";

test("status names the command for each thing that needs the user", async () => {
  await using hub = await startApprovalHub();
  const call = await hub.caller("phone");
  await call("a.txt");
  expect((await hub.run("status")).out).toContain(
    "Needs you\n  files__write_file was refused because no one answered (run `clawport approvals`)\n",
  );
});
