import { once } from "node:events";
import { get } from "node:http";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { expect, test, vi } from "vitest";
import { startHub } from "../support/cli/run-clawport.ts";
import { runHere } from "../support/cli/test-home.ts";
import { openIdleTerminal } from "../support/cli/terminal.ts";
import { until } from "../support/until.ts";
import { createVisitor } from "../support/oauth/consent.ts";
import { type OAuthPlace, openOAuthPlace } from "./open-oauth-place.ts";

// Hubs are processes of their own, and the machine may be busy.
vi.setConfig({ testTimeout: 60_000 });

/** Calls a tool at a terminal whose user does what it asks for: opens the address, and answers with this. */
async function callAtTerminal(bench: OAuthPlace, tool: string, answer: string, opens = true) {
  const terminal = openIdleTerminal();
  const calling = runHere(bench.place, ["call", tool], terminal.world);
  const asked = async (): Promise<void> => {
    await until(() => terminal.shown().includes("Done? "), "the terminal asks");
    const [, address = ""] = /browser:\n {2}(\S+)/.exec(terminal.shown()) ?? [];
    // Not `fetch`, which says that it is a script of a page and no navigation.
    if (opens) await once(get(await createVisitor().consent(address)), "response");
    terminal.type(answer);
  };
  const [{ exit, out, err }] = await Promise.all([calling, asked()]);
  return { exit, out, shown: terminal.shown() + err };
}

test.each(["with a hub", "without a hub"])(
  "a call that lacks a permission asks the user to sign in for it, and then runs: %s",
  async (how) => {
    await using bench = await openOAuthPlace();
    await bench.runWithBrowser("consent", "auth", "one");
    await using _hub = how === "with a hub" ? await startHub(bench.place, "--port", "0") : undefined;
    const { exit, out, shown } = await callAtTerminal(bench, "one__write", "y");
    expect(shown).toContain('This call to one needs more permissions than you signed in with: "mcp:read mcp:write"');
    expect([exit, out]).toEqual([0, "written\n"]);
    expect((await bench.run("call", "one__write")).exit).toBe(0);
    expect(bench.authority.grants).toEqual(["authorization_code", "authorization_code"]);
  },
);

test.each([
  ["the main token", undefined, "written"],
  ["a token of its own", "phone", "clawport auth one --scope"],
])("an MCP client with %s and a call that lacks a permission", async (_, name, answer) => {
  await using bench = await openOAuthPlace();
  await bench.runWithBrowser("consent", "auth", "one");
  await using hub = await startHub(bench.place, "--port", "0");
  const { out } = await runHere(bench.place, name === undefined ? ["token", "show"] : ["token", "add", name]);
  const client = new Client({ name: "test", version: "1" }, { capabilities: { elicitation: { url: {} } } });
  const asked: string[] = [];
  client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
    asked.push(params.message);
    await once(get(await createVisitor().consent("url" in params ? params.url : "")), "response");
    return { action: "accept" };
  });
  const headers = { authorization: `Bearer ${out.trim()}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(hub.ready.url), { requestInit: { headers } }));
  const result = await client.callTool({ name: "one__write", arguments: {} });
  await client.close();
  expect(JSON.stringify(result)).toContain(answer);
  // Everyone uses the sign-in: only who may control the hub is asked to change it.
  expect(asked).toHaveLength(name === undefined ? 1 : 0);
});

test("a user who declines gets the command that does it, and so does a call without a terminal", async () => {
  await using bench = await openOAuthPlace();
  await bench.runWithBrowser("consent", "auth", "one");
  await using _hub = await startHub(bench.place, "--port", "0");
  const command = 'clawport auth one --scope "mcp:read mcp:write"';
  const { exit, shown } = await callAtTerminal(bench, "one__write", "n", false);
  expect(exit).not.toBe(0);
  expect(shown).toContain(command);
  const before = bench.authority.paths.length;
  const { exit: alone, answer } = await bench.run("call", "one__write");
  expect(alone).not.toBe(0);
  expect(JSON.stringify(answer)).toContain("Run `clawport auth one --scope");
  // No sign-in is begun for a caller that no one can be asked through.
  expect(bench.authority.paths.slice(before)).toEqual([]);
});

test("`connect` offers the sign-in at a terminal, and shows the tools after it", async () => {
  await using bench = await openOAuthPlace();
  await bench.place.configure({});
  const terminal = openIdleTerminal();
  const env = { ...bench.place.env, BROWSER: bench.browser("consent") };
  const connecting = runHere({ ...bench.place, env }, ["connect", bench.server.url, "--name", "one"], terminal.world);
  await until(() => terminal.shown().includes("one requires a sign-in. Sign in now? [Y/n] "));
  terminal.type("");
  const { exit, out } = await connecting;
  await until(() => bench.shown() !== "", "the browser was shown a page");
  expect(exit).toBe(0);
  expect(out).toMatch(/one__read/);
  expect(await bench.kept()).toHaveLength(1);
});

test("`connect` without a terminal adds the server and names the command", async () => {
  await using bench = await openOAuthPlace();
  await bench.place.configure({});
  const { answer } = await bench.run("connect", bench.server.url, "--name", "one");
  expect(JSON.stringify(answer)).toContain("clawport auth one");
  expect((await bench.run("servers")).answer).toMatchObject({ servers: [{ name: "one", state: "needs-sign-in" }] });
});
