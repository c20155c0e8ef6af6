import { existsSync } from "node:fs";
import { join } from "node:path";
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
} from "../bench/plugin-bench.ts";

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
      const [pid = ""] = pidsOf(await command("/mcp status notes"));
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
}
