import { expect, test } from "vitest";
import { startApprovalHub } from "./approval-hub.ts";

test("config check and doctor report rules that name a tool as its server does, with the name to write", async () => {
  await using hub = await startApprovalHub({
    policy: {
      rules: [
        { tool: "write_file", verdict: "deny" },
        { tool: "files__delete", verdict: "deny" },
        { tool: "not_yet_there", verdict: "deny" },
      ],
      limits: [{ tool: "del*", calls: 1, seconds: 1 }],
    },
  });
  const missed = [
    'policy.rules[0].tool matches no full name of a tool; did you mean "files__write_file"?',
    'policy.limits[0].tool matches no full name of a tool; did you mean "files__delete"?',
  ];
  for (const command of [["config", "check"], ["doctor"]]) {
    const { exit, out } = await hub.run(...command);
    expect(exit).toBe(0);
    const lines = out.split("\n").filter((line) => line.includes("matches no full name"));
    expect(lines.map((line) => line.slice(line.indexOf("policy")))).toEqual(missed);
    expect(lines[0]).toMatch(/clawport\.json5:1:\d+ /);
  }
});
