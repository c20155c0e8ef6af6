import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { clawport, mainFile, makePlace } from "../support/cli/run-clawport.ts";
import { runProgram } from "../support/cli/run-shell.ts";
import { openHome } from "../../src/core/files/home.ts";
import { canBeOtherUser, otherUid, startSquatter } from "./other-user.ts";

vi.setConfig({ testTimeout: 60_000 });

const isOther = canBeOtherUser();
const secret = "a-token-that-another-user-must-not-see-0123";

test.runIf(isOther)(
  "the token of this computer is not sent to another user's program that poses as a node",
  async () => {
    await using squatter = await startSquatter(0);
    await using place = await makePlace();
    await openHome(place.home);
    await writeFile(join(place.home, "mcp-token.txt"), `${secret}\n`, { mode: 0o600 });
    const url = `http://127.0.0.1:${squatter.port}/`;
    for (const given of [[], ["--token", secret]]) {
      const answer = await clawport(place, "node", "call", "device.info", "--url", url, ...given);
      expect(answer.err + answer.out).toContain(`UID ${otherUid}`);
    }
    expect(squatter.heard()).toBe("");
  },
);

test.runIf(isOther)("the token of an app proxy is not sent to another user's program on its port", async () => {
  await using squatter = await startSquatter(0);
  await using place = await makePlace();
  const env = { ...place.env, OPENCLAW_PROXY_OPENCLAW_TOKEN: secret };
  const args = [
    mainFile,
    "proxy-stdio",
    "--session",
    randomUUID(),
    "--proxy-base-url",
    `http://127.0.0.1:${squatter.port}`,
  ];
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } };
  const input = `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`;
  const answer = await runProgram(process.execPath, args, { env, cwd: place.folder, input });
  expect(answer.out).toContain(`UID ${otherUid}`);
  expect(squatter.heard()).toBe("");
});

test.runIf(isOther)("doctor and clients warn of a client whose HTTP address another user's program holds", async () => {
  await using squatter = await startSquatter(0);
  await using place = await makePlace();
  const url = `http://127.0.0.1:${squatter.port}/mcp`;
  const entry = { clawport: { type: "http", url, headers: { Authorization: "Bearer ${CLAWPORT_TOKEN}" } } };
  await writeFile(join(place.folder, ".claude.json"), JSON.stringify({ mcpServers: entry }));
  const said = `Claude Code sends its token to port ${squatter.port}, which a program of another user (UID ${otherUid}) holds.`;
  expect((await clawport(place, "clients")).out).toContain(said);
  expect((await clawport(place, "doctor")).out).toContain(said);
  expect(squatter.heard()).toBe("");
});
