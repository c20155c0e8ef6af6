import { mkdtempDisposable, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openApprovals } from "../../catalog/guard/approvals.ts";
import { openPins } from "../../catalog/guard/pins.ts";
import { loadConfig } from "../../core/config/load-config.ts";
import { defineServers } from "../../sources/servers/definition.ts";
import { warmUp } from "./warm-up.ts";

test.for([
  ["plain", {}],
  [
    "of one era, some of whose tools are shown",
    { era: "modern", tools: { include: ["other"], rename: { other: "o" } } },
  ],
])("goes the whole way of a first call and leaves nothing behind, for a server that is %s", async ([, settings]) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "warm-up-"));
  const text = JSON.stringify({ servers: { s: { command: "/nowhere", ...(settings as object) } } });
  const { config } = await loadConfig({ path: "clawport.json5", text, env: {} });
  const approvals = openApprovals({ file: join(folder.path, "approvals.json") });
  const pins = openPins({ folder: join(folder.path, "pins") });
  const result = await warmUp({ approvals, pins, env: {}, version: "0" }, defineServers(config).definitions[0]!);
  expect(result).toEqual({ content: [{ type: "text", text: "hello" }] });
  await pins.close();
  expect(await readdir(folder.path)).toEqual([]);
});
