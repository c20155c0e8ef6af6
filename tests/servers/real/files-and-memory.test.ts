import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { beforeAll, describe, expect, test } from "vitest";
import { filesystemPlan, makeFiles } from "./filesystem-plan.ts";
import { installServer, type RealName } from "./install-server.ts";
import { memoryPlan } from "./memory-plan.ts";
import { type Observed, observe, type Plan } from "./observe.ts";
import { openClient } from "./open-client.ts";
import { openServe } from "./open-serve.ts";

beforeAll(async () => {
  await installServer("filesystem");
  await installServer("memory");
}, 240_000);

interface Case {
  readonly name: RealName;
  readonly plan: Plan;
  readonly server: { command: string; args: string[]; env?: Record<string, string>; roots?: string[] };
  /** Makes the world as it was before the first call. */
  reset(): Promise<void>;
}

/** What the server says directly, through the stdio door and through the HTTP door. */
async function askThreeTimes({ name, plan, server, reset }: Case, root: string): Promise<readonly Observed[]> {
  await using serve = await openServe({ [name]: server });
  const { command, args } = server;
  const env = { ...serve.direct.env, ...server.env };
  await reset();
  await using direct = await openClient(new StdioClientTransport({ command, args, ...serve.direct, env }), root);
  const expected = await observe(direct.client, plan, "");
  await reset();
  await using throughStdio = await openClient(serve.stdio(), root);
  const stdio = await observe(throughStdio.client, plan, `${name}__`);
  await reset();
  await using throughHttp = await openClient(await serve.http(name), root);
  return [expected, stdio, await observe(throughHttp.client, plan, "")];
}

describe("through clawport serve as directly, to stdio and to HTTP", { timeout: 60_000 }, () => {
  test("the server «filesystem» answers", async () => {
    const { command, program } = await installServer("filesystem");
    const home = await mkdtemp(path.join(tmpdir(), "clawport-real-"));
    const [model, folder] = [path.join(home, "model"), path.join(home, "work")];
    await makeFiles(model);
    const still = path.join(home, "still.txt");
    await writeFile(still, "nobody touches this");
    const reset = async () => {
      await rm(folder, { recursive: true, force: true });
      await cp(model, folder, { recursive: true });
    };
    await reset();
    const server = { command, args: [program, home], roots: [home] };
    const plan = filesystemPlan(folder, still);
    const [direct, stdio, http] = await askThreeTimes({ name: "filesystem", plan, server, reset }, home);
    expect(direct?.untried).toEqual([]);
    expect(stdio).toEqual(direct);
    expect(http).toEqual(direct);
    await rm(home, { recursive: true });
  });

  test("the server «memory» answers", async () => {
    const { command, program } = await installServer("memory");
    const home = await mkdtemp(path.join(tmpdir(), "clawport-real-"));
    const file = path.join(home, "memory.jsonl");
    const reset = () => writeFile(file, "");
    const server = { command, args: [program], env: { MEMORY_FILE_PATH: file } };
    const [direct, stdio, http] = await askThreeTimes({ name: "memory", plan: memoryPlan, server, reset }, home);
    expect(direct?.untried).toEqual([]);
    expect(stdio).toEqual(direct);
    expect(http).toEqual(direct);
    await rm(home, { recursive: true });
  });
});
