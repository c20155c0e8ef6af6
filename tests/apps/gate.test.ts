import { request } from "node:http";
import { expect, test } from "vitest";
import { startProxy } from "./start-proxy.ts";
import { openApp } from "../support/apps/test-app.ts";

/** Not `fetch`, which sets Host itself. */
function statusOf(address: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asked = request(new URL("/openapi.json", address), { headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    asked.on("error", reject).end();
  });
}

test("an unknown name in Host is refused, unless it is allowed", async () => {
  await using proxy = await startProxy({ allowedHosts: ["Tools.Example.com", "other.example.com:8443"] });
  const { host, port } = new URL(proxy.address);
  const named = (name: string) => statusOf(proxy.address, { host: name });
  expect(
    await Promise.all([host, `LocalHost:${port}`, "tools.example.com", "Tools.Example.com:80"].map(named)),
  ).toEqual([200, 200, 200, 200]);
  const strange = ["evil.example.com", "other.example.com", "other.example.com:1", "tools.example.com.evil.example"];
  expect(await Promise.all(strange.map(named))).toEqual([403, 403, 403, 403]);
  expect(await proxy.metrics()).toContain('event="refused origin"} 4');
});

test("the shared token has a rate limit of its own, beside that of each session", async () => {
  const env = { OPENCLAW_PROXY_OPENCLAW_TOKEN: "claw-secret" };
  await using proxy = await startProxy({ env, tokenRequestsPerSecond: 0.001 });
  const session = await proxy.create();
  await using _ = await openApp(session.bridge_url);
  expect((await proxy.rpc(session, "tools/list")).status).toBe(429);
  const own = { authorization: `Bearer ${session.mcp_token}` };
  expect((await proxy.rpc(session, "tools/list", {}, own)).status).toBe(200);
});
