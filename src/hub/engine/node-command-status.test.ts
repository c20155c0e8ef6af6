import { describe, expect, test } from "vitest";
import { type GatewayView, judgeCommands } from "./node-command-status.ts";

const seen: GatewayView = {
  connected: true,
  approvalState: "pending-reapproval",
  requestId: "req-1",
  commands: ["device.info"],
  pending: ["device.info", "system.which"],
};

describe("how far a command has come", () => {
  test.for<[string, object, string]>([
    ["device.info", { declared: true, allowed: true, approved: true }, "^$"],
    ["system.which", { declared: true, allowed: true, approved: false }, "openclaw nodes approve req-1"],
    [
      "git.status",
      { declared: true, allowed: false, approved: false },
      "add git.status to gateway.nodes.commands.allow",
    ],
    ["clipboard.read", { declared: false }, "no display"],
  ])("%s", ([command, pairing, next]) => {
    const local = [
      { command: "git.status" },
      { command: "system.which" },
      { command: "device.info" },
      { command: "clipboard.read", withheld: "unavailable: no display" },
    ];
    const found = judgeCommands(local, seen).find((one) => one.command === command);
    expect(found).toMatchObject(pairing);
    expect(found?.next).toMatch(new RegExp(next));
  });

  test("is not known without an answer of the gateway", () => {
    expect(judgeCommands([{ command: "device.info" }], undefined)).toEqual([
      { command: "device.info", declared: true, next: "" },
    ]);
  });

  test("of a node that is not connected, nothing is said to be dropped", () => {
    const offline = { ...seen, connected: false, commands: [], pending: [] };
    expect(judgeCommands([{ command: "device.info" }], offline)[0]?.next).toContain("not connected");
  });

  test("what only a running node has is shown, too", () => {
    const found = judgeCommands([], { ...seen, commands: ["demo.late"], pending: [] });
    expect(found).toMatchObject([{ command: "demo.late", approved: true }]);
  });
});
