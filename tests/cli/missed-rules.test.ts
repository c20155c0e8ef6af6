import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { until } from "../support/until.ts";
import { startApprovalHub } from "./approval-hub.ts";

const serverFile = fileURLToPath(new URL("../guard/named-tools-server.ts", import.meta.url));

test("config check and doctor report patterns that match nothing, or not the name that they mean", async () => {
  await using hub = await startApprovalHub({
    policy: {
      rules: [
        { tool: "write_file", verdict: "allow" },
        { tool: "write_file", verdict: "deny" },
        { tool: "files__delete", verdict: "deny" },
        { tool: "files__delte", verdict: "deny" },
        { tool: "not_yet_there", verdict: "deny" },
      ],
      limits: [{ tool: "del*", calls: 1, seconds: 1 }],
    },
    more: {
      catalog: { include: ["*", "files__raed"], exclude: ["fils__delete"] },
      hub: { always: ["files__wirte"] },
      // Only its name is known here: the tools come from a source of this process.
      servers: { files: { command: "true", enabled: false } },
    },
  });
  const missed = [
    'catalog.exclude[0] matches no tool of a configured source; did you mean "files__delete"?',
    'policy.rules[0].tool matches no full name of a tool; did you mean "files__write_file"?',
    "policy.rules[3].tool matches no tool of files",
    "catalog.include[1] matches no tool of files",
    "hub.always[0] matches no tool of files",
  ];
  for (const command of [["config", "check"], ["doctor"]]) {
    const { exit, out } = await hub.run(...command);
    expect(exit).toBe(0);
    const lines = out.split("\n").filter((line) => line.includes(" matches "));
    expect(lines.map((line) => line.slice(line.search(/policy|catalog\.|hub\./)))).toEqual(missed);
    expect(lines[0]).toMatch(/clawport\.json5:1:\d+ /);
  }
});

test("config check and doctor report a rule that allows nothing, since two servers have the prefix", async () => {
  const server = { command: process.execPath, args: [serverFile, "second", "read"], toolPrefix: "notes" };
  await using hub = await startApprovalHub({
    policy: {
      rules: [
        { tool: "notes__read", verdict: "allow" },
        { tool: "notes__read", source: "second", verdict: "allow" },
        { tool: "notes__read", verdict: "deny" },
        { tool: "*__read", verdict: "allow" },
      ],
    },
    more: { servers: { first: { ...server, command: "false" }, second: server } },
  });
  await until(
    async () => (await hub.run("tools")).out.includes("notes__read"),
    "the tools of the second server",
    20_000,
  );
  const { out } = await hub.run("config", "check");
  const lines = out.split("\n").filter((line) => line.includes(" matches "));
  expect(lines.map((line) => line.slice(line.indexOf("policy")))).toEqual([
    "policy.rules[0].tool matches tools of servers with the same `toolPrefix`; it allows none: add `source`",
  ]);
});
