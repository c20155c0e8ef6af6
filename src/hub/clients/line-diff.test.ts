import { expect, test } from "vitest";
import { diffLines } from "./line-diff.ts";

const textOf = (before: string, after: string) =>
  diffLines(before, after)
    .map(({ mark, text }) => `${mark}${text}`)
    .join("\n");

test("values of other servers are not shown, whatever their names", () => {
  const own =
    '"o": {"command":"x","args":["--pw","hunter2"],"env":{"MY_KEY":"hunter3","N":77},"headers":{"X-Odd":"h\\"unter4"}}';
  const before = `{\n "mcpServers": {\n  ${own}\n }\n}\n`;
  const shown = textOf(before, before.replace(own, `${own},\n  "clawport": {"command": "clawport"}`));
  expect(shown).not.toMatch(/hunter|unter4|77/);
  expect(shown).toContain('"MY_KEY"');
  expect(shown).toContain('+  "clawport": {"command": "clawport"}');

  const line = '{ "mcpServers": { "o": { "env": { "MY_KEY": "hunter9" } } } }';
  expect(textOf(line, line.replace(" } }", ' }, "clawport": { "command": "clawport" } }'))).not.toContain("hunter");

  const toml = "[mcp_servers.o.env]\nA = 'hunter5'\nMY_KEY = \"hunter6\"\n";
  const added = textOf(toml, `${toml}\n[mcp_servers.clawport]\ncommand = "clawport"\n`);
  expect(added).not.toContain("hunter");
  expect(added).toContain("MY_KEY = ");
  expect(added).toContain('+command = "clawport"');

  const yaml = "extensions:\n  o:\n    envs: {MY_KEY: hunter7}\n    MY_KEY: hunter8\n";
  expect(textOf(yaml, `${yaml}  clawport:\n    cmd: clawport\n`)).not.toContain("hunter");
});

test("an entry of ours that changes is shown as it was and as it will be", () => {
  const before = '{\n  "clawport": {\n    "command": "/old/clawport"\n  }\n}\n';
  const shown = textOf(before, before.replace("/old/", "/new/"));
  expect(shown).toContain('-    "command": "/old/clawport"');
  expect(shown).toContain('+    "command": "/new/clawport"');
});
