import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import {
  bench,
  chat,
  command,
  editConfig,
  lookAt,
  mcpHome,
  patiently,
  pidsOf,
  readConfig,
  reloaded,
  web,
} from "../bench/plugin-bench.ts";

const run = promisify(execFile);

/** Uses the server, so that it runs; gives its PID. */
async function runNotes(): Promise<string> {
  await expect.poll(() => chat.say('/mcp call notes__read {"name":"last"}'), patiently).toContain("note last");
  const [pid = ""] = pidsOf(await command("/mcp status notes"));
  expect(existsSync(join("/proc", pid, "stat"))).toBe(true);
  return pid;
}

/** The last tests: OpenClaw with Tool Search, then without the plugin. */
export function describeLeaving(): void {
  describe("with Tool Search", () => {
    test("an image still reaches the model as an image, and a call says who asked", async () => {
      await editConfig((config) => void (config["tools"] = {}));
      await reloaded("tools.toolSearch");
      await expect.poll(() => lookAt(), patiently).toContain("tool_call");
      await chat.say('call:tool_call {"id":"notes__picture","args":{}}');
      const asked = JSON.stringify(bench.model.requests.at(-1));
      expect(asked).toContain("image_url");
    });
  });

  describe("disabled", () => {
    test("there is no tool, no process and no entry left", async () => {
      const pid = await runNotes();
      await editConfig((config) => {
        config["tools"] = { toolSearch: false };
        config["plugins"].entries["mcp-client"].enabled = false;
      });
      await expect.poll(async () => Object.keys((await readConfig()).mcp?.servers ?? {}), patiently).toEqual([]);
      await expect.poll(() => existsSync(`/proc/${pid}`), patiently).toBe(false);
      expect((await lookAt()).filter((name) => /^(notes|web|one|two|more)__|^mcp_manage$/.test(name))).toEqual([]);
      expect((await readConfig()).agents.entries.work.tools).toBeUndefined();
      expect(existsSync(join(mcpHome(), "hub.json"))).toBe(false);
    });
  });

  describe("uninstalled while it runs", () => {
    test(
      "there is no process, no entry and no package left; the user's own entry stays",
      { timeout: 300_000 },
      async () => {
        const mine = { transport: "streamable-http", url: `${web.url}?mine` };
        await editConfig((config) => {
          config["plugins"].entries["mcp-client"].enabled = true;
          config["mcp"] = { ...config["mcp"], servers: { ...config["mcp"]?.servers, mine } };
        });
        await expect.poll(async () => (await readConfig())["mcp"].servers.notes, patiently).toBeDefined();
        const pid = await runNotes();
        const project = join(mcpHome(), "..", "npm", "projects", "clawport-openclaw");
        expect(existsSync(project)).toBe(true);

        const args = [bench.program, "plugins", "uninstall", "mcp-client", "--force"];
        const { stdout } = await run(process.execPath, args, { env: bench.env });
        expect(stdout).toContain('Uninstalled plugin "mcp-client"');

        await expect.poll(async () => (await readConfig())["mcp"].servers, patiently).toEqual({ mine });
        await expect.poll(() => existsSync(`/proc/${pid}`), patiently).toBe(false);
        expect((await readConfig())["agents"].entries.work.tools).toBeUndefined();
        expect(existsSync(join(mcpHome(), "hub.json"))).toBe(false);
        expect(existsSync(project)).toBe(false);
      },
    );
  });
}
