import { readFile } from "node:fs/promises";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { expect, test } from "vitest";
import { startNode } from "./start-node.ts";

interface Snapshot {
  readonly exists: boolean;
  readonly hash: string;
  readonly file: { readonly defaults?: object; readonly socket?: object; readonly agents?: object };
}

test("a caller may tighten the approvals, with the hash of what it saw", async () => {
  await using node = await startNode();
  const get = async () => (await node.call("system.execApprovals.get")).structuredContent as Snapshot;
  const set = (args: object) => node.call("system.execApprovals.set", args);
  const missing = await get();
  expect(missing).toMatchObject({ exists: false, file: { version: 1 } });
  expect(missing.hash).toMatch(/^missing:[0-9a-f]{64}$/);
  const strict = { version: 1, defaults: { security: "deny" } };
  expect(await set({ file: strict, baseHash: "0".repeat(64) })).toMatchObject({ isError: true });
  const { structuredContent } = await set({ file: strict, baseHash: missing.hash });
  expect(structuredContent).toMatchObject({ exists: true, file: strict });
  expect((await get()).hash).toBe((structuredContent as Snapshot).hash);
  expect(await node.text("system.execApprovals.set", { file: strict })).toContain("baseHash required");
  expect(await node.text("system.execApprovals.set", { file: strict, baseHash: missing.hash })).toContain(
    "exec approvals changed; reload and retry",
  );
  expect(await node.text("system.run", { command: ["id"] })).toContain("allow no commands");
});

test("of two that change the approvals at once, one has to look again", async () => {
  await using node = await startNode();
  const { hash } = (await node.call("system.execApprovals.get")).structuredContent as Snapshot;
  const files = [{ defaults: { security: "deny" } }, { defaults: { ask: "always" } }];
  const results = await Promise.all(
    files.map((parts) => node.call("system.execApprovals.set", { file: { version: 1, ...parts }, baseHash: hash })),
  );
  const refused = results.filter(({ isError }) => isError === true);
  expect(refused).toHaveLength(1);
  expect(JSON.stringify(refused)).toContain("exec approvals changed; reload and retry");
});

test("a caller can't loosen the approvals, unless the user's configuration lets it", async () => {
  const loose = { version: 1, defaults: { security: "full", ask: "off" } };
  {
    await using node = await startNode();
    const { hash } = (await node.call("system.execApprovals.get")).structuredContent as Snapshot;
    expect(await node.text("system.execApprovals.set", { file: loose, baseHash: hash })).toMatch(
      /^EXEC_POLICY_WIDENING_REFUSED: /,
    );
    expect(((await node.call("system.execApprovals.get")).structuredContent as Snapshot).exists).toBe(false);
  }
  await using node = await startNode({ machine: { run: { remoteGrants: true } } });
  const { hash } = (await node.call("system.execApprovals.get")).structuredContent as Snapshot;
  expect(await node.call("system.execApprovals.set", { file: loose, baseHash: hash })).not.toHaveProperty("isError");
});

test("the token of OpenClaw's socket is neither shown nor lost nor replaced", async () => {
  const socket = { path: "/run/x.sock", token: "s3cret-token" };
  await using node = await startNode({ approvals: { version: 1, socket, defaults: { security: "allowlist" } } });
  const shown = await node.text("system.execApprovals.get", { includeResolvedDefaults: true });
  expect(shown).not.toContain("s3cret-token");
  expect(JSON.parse(shown)).toMatchObject({
    file: { socket: { path: "/run/x.sock" } },
    resolvedDefaults: { ask: "on-miss" },
  });
  const { hash } = JSON.parse(shown) as Snapshot;
  const file = { version: 1, socket: { path: "/evil.sock", token: "mine" }, defaults: { security: "deny" } };
  await node.call("system.execApprovals.set", { file, baseHash: hash });
  const kept = JSON.parse(await readFile(node.home.file("machine", "exec-approvals.json"), "utf8"));
  expect(kept).toEqual({ version: 1, socket, defaults: { security: "deny" } });
});

test("askFallback says what an unanswered question comes to", async () => {
  const run = { command: ["echo", "ran"] };
  {
    await using node = await startNode({ approvals: { version: 1, defaults: { askFallback: "full" } } });
    expect(await node.text("system.run", run)).toContain("ran");
  }
  await using node = await startNode({ approvals: { version: 1, defaults: { askFallback: "allowlist" } } });
  expect(await node.text("system.run", run)).toContain("needs approval");
});

test("a client can't answer for the user, whatever a rule says", async () => {
  const config = { policy: { rules: [{ tool: "*", verdict: "allow", askClient: true }] } };
  await using node = await startNode({ config, machine: { location: { static: { lat: 1, lon: 2 } } } });
  const client = new Client({ name: "test", version: "1" }, { capabilities: { elicitation: {} } });
  let questions = 0;
  client.setRequestHandler(ElicitRequestSchema, () => {
    questions++;
    return { action: "accept", content: { answer: "always" } };
  });
  const headers = { authorization: `Bearer ${node.token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(node.url), { requestInit: { headers } }));
  for (const [name, args] of [
    ["system.run", { command: ["id"] }],
    ["location.get", {}],
  ] as const)
    expect(await client.callTool({ name, arguments: args })).toMatchObject({ isError: true });
  expect(questions).toBe(0);
  await client.close();
});

test("a client's own question can't lift a denial", async () => {
  const config = { policy: { rules: [{ tool: "system.run", verdict: "allow", askClient: true }] } };
  await using node = await startNode({
    config,
    attended: true,
    approvals: { version: 1, defaults: { security: "deny" } },
  });
  node.answer("always");
  expect(await node.text("system.run", { command: ["id"] })).toContain("was denied");
  expect(node.questions).toEqual([]);
});
