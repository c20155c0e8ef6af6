import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { clawport, makePlace } from "../support/cli/run-clawport.ts";
import { createProxyClient } from "../support/apps/proxy-client.ts";
import { startProxyProcess } from "./proxy-process.ts";
import { openApp } from "../support/apps/test-app.ts";

test("the client block that routes by header works in Clawport itself, after an import", async () => {
  await using made = await makePlace();
  const tokens = { OPENCLAW_PROXY_APP_TOKEN: "for-apps", OPENCLAW_PROXY_OPENCLAW_TOKEN: "for-clients" };
  const place = { ...made, env: { ...made.env, ...tokens } };
  await using proxy = await startProxyProcess(place, "--port", "0");
  const { address } = proxy.ready;
  const session = await createProxyClient(address, tokens).create();
  const headers = { authorization: `Bearer ${session.bridge_token}` };
  await using _ = await openApp(session.bridge_url, { headers });

  const block = {
    transport: "http",
    url: new URL("/v1/mcp", address).href,
    headers: { Authorization: "Bearer ${OPENCLAW_PROXY_OPENCLAW_TOKEN}", "MCP-Session-Id": "${SESSION_ID}" },
  };
  await writeFile(join(place.folder, "mcp.json"), JSON.stringify({ mcpServers: { app: block } }));
  const client = {
    ...place,
    env: { ...place.env, SESSION_ID: session.mcpSessionId, OPENCLAW_PROXY_OPENCLAW_TOKEN: session.mcp_token },
  };
  const imported = await clawport(client, "import", "--from", "mcp.json");
  expect(imported.exit).toBe(0);
  expect(imported.out + imported.err).not.toContain("left out");

  const { exit, out, err } = await clawport(client, "call", "app__echo_text", '{"text":"hi"}');
  expect([exit, err]).toEqual([0, ""]);
  expect(out).toContain('{"echoed_text":"hi"}');
});
