import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { clawport, makePlace } from "../cli/run-clawport.ts";
import { startProxyProcess } from "./proxy-process.ts";
import { bearer, type Created, registration } from "./start-proxy.ts";
import { openApp } from "./test-app.ts";

vi.setConfig({ testTimeout: 60_000 });

test("clawport proxy reads .env, serves, and Ctrl-C tells its apps to come back", async () => {
  await using place = await makePlace();
  await writeFile(
    join(place.folder, ".env"),
    "OPENCLAW_PROXY_APP_TOKEN=from-file\nOPENCLAW_PROXY_OPENCLAW_TOKEN=other\nOPENCLAW_PROXY_SESSION_TTL_SECONDS=77\n",
  );
  await using proxy = await startProxyProcess(place, "--port", "0");
  const { child, address } = proxy;
  const open = (headers: Record<string, string>) =>
    fetch(`${address}/v1/chat/sessions`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(registration),
    });
  expect((await open({})).status).toBe(401);
  const session = (await (await open(bearer("from-file"))).json()) as Created;
  const listed = await fetch(`${address}/v1/chat/sessions`, { headers: bearer("from-file") });
  const { sessions } = (await listed.json()) as { sessions: { created_at: string; expires_at: string }[] };
  expect(sessions.map((each) => Date.parse(each.expires_at) - Date.parse(each.created_at))).toEqual([77_000]);
  const app = await openApp(session.bridge_url, { headers: bearer("from-file") });
  child.kill("SIGINT");
  expect(await app.closed).toEqual({ code: 1012, reason: "proxy is restarting" });
  expect(await once(child, "exit")).toEqual([0, null]);
});

test("beyond this machine nothing starts without both tokens", async () => {
  await using place = await makePlace();
  const bare = await clawport(place, "proxy", "--host", "0.0.0.0", "--port", "0");
  expect(bare.exit).toBe(78);
  expect(bare.err).toContain("OPENCLAW_PROXY_APP_TOKEN and OPENCLAW_PROXY_OPENCLAW_TOKEN are empty");
});
