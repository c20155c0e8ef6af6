import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import JSON5 from "json5";
import { describe, expect, test } from "vitest";
import { type App, openApp } from "../../../src/app/app.ts";
import { clawport, type Place } from "../../support/cli/run-clawport.ts";
import {
  bench,
  chat,
  configPath,
  editConfig,
  editOwn,
  lookAt,
  mcpHome,
  notesLog,
  patiently,
  readAudit,
  readConfig,
  reloaded,
  web,
} from "../bench/plugin-bench.ts";
import { freePort } from "../../support/free-port.ts";

/** Tools that are no server's, runs that no one typed, and servers that OpenClaw had before. */
export function describeOtherSources(): void {
  describe("this computer and running apps", () => {
    let app: App | undefined;

    test("an edit offers their tools beside those of the servers", async () => {
      const port = await freePort();
      await editOwn((own) => {
        own["machine"] = { enabled: true };
        own["apps"] = { serve: true, show: true, port };
      });
      await reloaded("mcp.servers.machine");
      const proxyUrl = `http://127.0.0.1:${port}`;
      const greet = {
        name: "greet",
        annotations: { readOnlyHint: true },
        inputSchema: { type: "object", properties: { name: { type: "string" } } },
        run: ({ name }: { name: string }) => `hello ${name}`,
      };
      const connect = async () => {
        const appToken = (await readFile(join(mcpHome(), "apps", "token.txt"), "utf8")).trim();
        return (app ??= await openApp({ proxyUrl, appToken, tools: [greet] }));
      };
      await expect.poll(connect, patiently).toBeDefined();
      await expect
        .poll(() => lookAt(), patiently)
        .toEqual(expect.arrayContaining(["machine__device-info", "app__greet", "notes__read"]));
    });

    test("they run, and what needs approval asks", async () => {
      expect(await chat.say('call:app__greet {"name":"ada"}')).toContain("hello ada");
      expect(await chat.say("call:machine__device-info {}")).toContain("Linux");
      const answered = chat.answerNext("allow-once");
      const text = await chat.say('call:machine__system-run {"command":["expr","40","+","2"]}');
      expect(await answered).toMatchObject({ toolName: "machine__system-run" });
      expect(text).toContain("42");
    });

    test("an agent without them does not see them", async () => {
      const own = await lookAt("work");
      expect(own.filter((name) => /^(machine|app)__/.test(name))).toEqual([]);
      await app?.close();
    });
  });

  describe("runs that no one typed", () => {
    test("a scheduled run is a caller with an agent and without a sender", async () => {
      const job = await chat.request<{ id: string }>("cron.add", {
        name: "look",
        schedule: { kind: "at", at: new Date(Date.now() + 3_600_000).toISOString() },
        sessionTarget: "isolated",
        wakeMode: "now",
        payload: { kind: "agentTurn", message: 'call:web__search {"query":"cron"}' },
        delivery: { mode: "none" },
      });
      const before = (await readAudit()).split('"tool":"web__search"').length;
      await chat.request("cron.run", { id: job.id, mode: "force" });
      await expect
        .poll(async () => (await readAudit()).split('"tool":"web__search"').length, patiently)
        .toBeGreaterThan(before);
      const line = (await readAudit()).split("\n").findLast((each) => each.includes('"tool":"web__search"')) ?? "";
      expect(JSON.parse(line)).toMatchObject({ door: "plugin", agent: "main" });
      expect(JSON.parse(line)).not.toHaveProperty("sender");
    });

    test("a sub-agent is one, too", async () => {
      await chat.say(`call:sessions_spawn {"task":"call:notes__read {\\"name\\":\\"below\\"}"}`);
      await expect.poll(async () => (await notesLog()).join("\n"), patiently).toContain('{"name":"below"}');
      const line = (await readAudit()).split("\n").findLast((each) => each.includes('"tool":"notes__read"')) ?? "";
      expect(JSON.parse(line)).toMatchObject({ door: "plugin", agent: "main" });
      expect(JSON.parse(line)).not.toHaveProperty("sender");
    });
  });

  describe("moving from mcp.servers", () => {
    test("the servers that OpenClaw had are imported, and then come from the plugin", async () => {
      await editConfig((config) => {
        config["mcp"].servers.before = { transport: "streamable-http", url: `${web.url}?before` };
      });
      await reloaded("mcp.servers.before");
      const place: Place = {
        folder: bench.folder,
        home: mcpHome(),
        env: bench.env,
        [Symbol.asyncDispose]: async () => {},
      };
      const file = join(bench.folder, "mcp-servers.json5");
      await clawport(place, "import", "--from", configPath(), "--config", file);
      const { servers } = JSON5.parse<{ servers: Record<string, unknown> }>(await readFile(file, "utf8"));
      expect(servers).toMatchObject({ before: { url: `${web.url}?before` } });
      expect(JSON.stringify(servers)).not.toContain("/mcp/notes");
      await editConfig((config) => {
        config["plugins"].entries["mcp-client"].config.servers.before = servers["before"];
        delete config["mcp"].servers.before;
      });
      await expect
        .poll(async () => (await readConfig())["mcp"].servers.before?.url, patiently)
        .toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp\/before$/);
      await expect
        .poll(
          () => chat.say('call:before__search {"query":"y"}', `agent:main:${randomUUID()}`).catch(() => ""),
          patiently,
        )
        .toContain("found y");
    });
  });
}
