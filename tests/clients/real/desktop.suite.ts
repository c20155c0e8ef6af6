import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makePlace, type Place, startReady } from "../../support/cli/run-clawport.ts";
import { pixelsOf } from "../../machine/desktop/look-at-media.ts";
import { hasPackages, x11Packages } from "../../machine/desktop/require-programs.ts";
import { startDesktop } from "../../machine/start-desktop.ts";
import { modelClients } from "./model-clients.ts";
import { runClient } from "./run-client.ts";
import { finished, startModelServer } from "./scripted-model.ts";

const hasDesktop = await hasPackages(...x11Packages);

test.skipIf(!hasDesktop)("Claude Code takes a screenshot through `clawport node`", async () => {
  const claude = modelClients.find(({ id }) => id === "claude-code")!;
  const folder = await claude.install();
  await using desktop = await startDesktop({ windowManager: true });
  await desktop.run("xsetroot", "-solid", "#ff8000");
  await using models = await startModelServer();
  await using made = await makePlace();
  const place: Place = { ...made, env: { ...desktop.env, ...made.env } };
  await mkdir(place.home, { mode: 0o700 });
  await writeFile(
    join(place.home, "clawport.json5"),
    JSON.stringify({ machine: { consent: { "screen.snapshot": "always" } } }),
  );
  // At http://127.0.0.1:8765/, unless another program has that port.
  await using node = await startReady<{ url: string; tokenPath: string }>(place, "node", "--json");
  const entry = {
    type: "http",
    url: node.ready.url,
    headers: { Authorization: "Bearer ${CLAWPORT_TOKEN}" },
  };
  const file = join(place.folder, "mcp.json");
  await writeFile(file, JSON.stringify({ mcpServers: { "this-computer": entry } }));

  const model = models.open("screenshot", [
    { tool: "screen_list", args: {} },
    { tool: "screen_snapshot", args: { format: "png", maxWidth: 320 } },
  ]);
  const token = (await readFile(node.ready.tokenPath, "utf8")).trim();
  const env = { ...place.env, ...(await claude.prepare(place, model.url)), CLAWPORT_TOKEN: token };
  const flags = ["--mcp-config", file, "--strict-mcp-config", "--allowedTools", "mcp__this-computer"];
  const output = await runClient({ ...place, env }, join(folder, "cli-wrapper.cjs"), ["-p", "go", ...flags]);
  expect(output).toContain(finished);

  const images = [...model.heard().matchAll(/"media_type":"image\/\w+","data":"([^"]+)"/g)];
  const pixels = await pixelsOf(images.at(-1)?.[1] ?? "");
  expect(pixels).toMatchObject({ width: 320, height: 240 });
  const [red, green, blue] = pixels.at(20, 220);
  expect([red > 240, Math.abs(green - 128) < 12, blue < 15]).toEqual([true, true, true]);
  // The picture is no text.
  expect(model.heard()).not.toMatch(/"type":"text","text":"[^"]*iVBORw0KGgo/);
});
