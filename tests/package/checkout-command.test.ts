import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { isWindows, makePlace } from "../support/cli/run-clawport.ts";
import { runProgram } from "../support/cli/run-shell.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

test.skipIf(isWindows)(
  "the command that the README gives a client in a checkout serves MCP from any folder",
  async () => {
    const [, command = ""] = /^claude mcp add openclaw -- (.*)$/m.exec(readFileSync(`${root}README.md`, "utf8")) ?? [];
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };
    const input = `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`;
    await using place = await makePlace();
    const line = command.replaceAll("$PWD/", root);
    const { out, err } = await runProgram("sh", ["-c", line], { env: place.env, cwd: place.folder, input });
    expect(out + err).toContain('"title":"OpenClaw"');
  },
);
