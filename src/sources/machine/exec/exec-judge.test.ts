import { mkdtemp, realpath, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Caller } from "../../../catalog/caller.ts";
import { openExecApprovals } from "./approvals-store.ts";
import { createExecJudge, type ExecJudge } from "./exec-judge.ts";

const caller: Caller = { door: "mcp-http", token: "main" };

let folder = "";
let judge: ExecJudge;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "exec-")));
  await writeFile(join(folder, "tool"), "#!/bin/sh\n", { mode: 0o755 });
  await writeFile(join(folder, "other"), "#!/bin/sh\n# another\n", { mode: 0o755 });
  await writeApprovals({ agents: { main: { allowlist: [{ pattern: join(folder, "*") }] } } });
  judge = createExecJudge({
    env: { PATH: process.env["PATH"] ?? "" },
    platform: process.platform,
    homedir: folder,
    approvals: openExecApprovals({ path: join(folder, "approvals.json"), remoteGrants: false }),
    consent: { list: () => Promise.resolve([]), decide: () => Promise.resolve() },
    gatewayApprovals: false,
  });
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function writeApprovals(parts: object): Promise<void> {
  return writeFile(join(folder, "approvals.json"), JSON.stringify({ version: 1, ...parts }), { mode: 0o600 });
}

describe.skipIf(process.platform === "win32")("between the look at an allowed command and its start", () => {
  const changes: [string, string, () => Promise<unknown>][] = [
    ["a link to another allowed program", "the program has changed", async () => {
      await rm(join(folder, "link"));
      await symlink(join(folder, "other"), join(folder, "link"));
    }],
    ["a program that takes the place of this one", "the program has changed", () =>
      rename(join(folder, "other"), join(folder, "tool"))],
    ["a program that is written anew", "the program has changed", () =>
      writeFile(join(folder, "tool"), "#!/bin/sh\nid\n")],
    ["approvals that allow nothing now", "allow no commands", () =>
      writeApprovals({ defaults: { security: "deny" } })],
    ["approvals that have lost the entry", "not in the allowlist", () => writeApprovals({})],
    ["approvals that now ask about everything", "ask about every command", () =>
      writeApprovals({ defaults: { ask: "always" }, agents: { main: { allowlist: [{ pattern: join(folder, "*") }] } } })],
    ["approvals that others can write to", "allow no commands", async () => {
      await rename(join(folder, "approvals.json"), join(folder, "elsewhere.json"));
      await symlink(join(folder, "elsewhere.json"), join(folder, "approvals.json"));
    }],
  ]; // prettier-ignore
  test.for(changes)("%s: it does not start", async ([, reason, change]) => {
    await symlink(join(folder, "tool"), join(folder, "link"));
    const args = { command: [join(folder, "link")] };
    expect(await judge.adviceOn(args, caller)).toBeUndefined();
    await expect(judge.confirm(args, caller)).resolves.toMatchObject({ executable: { path: join(folder, "tool") } });
    await change();
    await expect(judge.confirm(args, caller)).rejects.toMatchObject({
      code: "denied",
      message: expect.stringContaining(reason) as string,
    });
  });

  test("only the gateway says for which agent it calls", async () => {
    await writeApprovals({ agents: { trusted: { allowlist: [{ pattern: join(folder, "*") }] } } });
    const args = { command: [join(folder, "tool")], agentId: "trusted" };
    expect(await judge.adviceOn(args, { door: "node" })).toBeUndefined();
    expect(await judge.adviceOn(args, caller)).toMatchObject({ verdict: "ask" });
  });

  test("what the guard was not asked about does not start", async () => {
    const args = { command: [join(folder, "tool")] };
    await judge.adviceOn({ ...args }, caller);
    await expect(judge.confirm(args, caller)).rejects.toMatchObject({ code: "denied" });
  });
});
