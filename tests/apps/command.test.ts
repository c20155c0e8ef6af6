import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { clawport, makePlace } from "../cli/run-clawport.ts";
import { bearer, createProxyClient, registration } from "./proxy-client.ts";
import { startProxyProcess } from "./proxy-process.ts";
import { openApp } from "./test-app.ts";

vi.setConfig({ testTimeout: 60_000 });

test("clawport proxy reads .env, serves, and Ctrl-C tells its apps to come back", async () => {
  await using place = await makePlace();
  await writeFile(
    join(place.folder, ".env"),
    "OPENCLAW_PROXY_APP_TOKEN=from-file\nOPENCLAW_PROXY_OPENCLAW_TOKEN=other\nOPENCLAW_PROXY_SESSION_TTL_SECONDS=77\n",
  );
  await using running = await startProxyProcess(place, "--port", "0");
  const proxy = createProxyClient(running.ready.address, { OPENCLAW_PROXY_APP_TOKEN: "from-file" });
  expect((await proxy.ask("POST", "/v1/chat/sessions", registration)).status).toBe(401);
  const session = await proxy.create();
  const { body } = await proxy.ask("GET", "/v1/chat/sessions", undefined, bearer("from-file"));
  const { sessions } = body as { sessions: { created_at: string; expires_at: string }[] };
  expect(sessions.map((each) => Date.parse(each.expires_at) - Date.parse(each.created_at))).toEqual([77_000]);
  const app = await openApp(session.bridge_url, { headers: bearer("from-file") });
  running.child.kill("SIGINT");
  expect(await app.closed).toEqual({ code: 1012, reason: "proxy is restarting" });
  expect(await running.ended).toBe(0);
});

test("beyond this machine nothing starts without both tokens", async () => {
  await using place = await makePlace();
  const bare = await clawport(place, "proxy", "--host", "0.0.0.0", "--port", "0");
  expect(bare.exit).toBe(78);
  expect(bare.err).toContain("OPENCLAW_PROXY_APP_TOKEN and OPENCLAW_PROXY_OPENCLAW_TOKEN are empty");
});
