import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { clawport, mainFile, startHub } from "../support/cli/run-clawport.ts";
import { placeWith, shelf } from "../support/cli/test-home.ts";
import { until } from "../support/until.ts";
import { canBeOtherUser, startSquatter } from "./other-user.ts";

vi.setConfig({ testTimeout: 120_000 });

const isOther = canBeOtherUser();

test.runIf(isOther).each([
  ["the owner's relay", []],
  ["the relay of an installed client", ["--as", "claude-code"]],
])(
  "%s sends no key to another user's program on the port of a killed hub, and goes on at the next hub",
  async (_, as) => {
    await using place = await placeWith({ shelf: shelf("one") });
    expect(await clawport(place, "install", "claude-code", "--yes")).toMatchObject({ exit: 0 });
    const hub = await startHub(place, "--port", "0");
    const client = new Client({ name: "test", version: "1" }, { capabilities: {} });
    const args = [mainFile, "serve", "--stdio", ...as];
    const env = place.env as Record<string, string>;
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args, env, cwd: place.folder, stderr: "ignore" }),
    );
    const call = async (): Promise<boolean> =>
      client.callTool({ name: "shelf__pid", arguments: {} }).then(
        ({ isError }) => isError !== true,
        () => false,
      );
    await until(call);

    hub.child.kill("SIGKILL");
    await hub.ended;
    await using squatter = await startSquatter(hub.ready.port);
    // Longer than a relay waits before it looks for its hub again.
    const end = Date.now() + 5000;
    while (Date.now() < end) expect(await call()).toBe(false);
    await using next = await startHub(place, "--port", "0");
    expect(next.ready.port).not.toBe(hub.ready.port);
    await until(call, "a call through the relay", 60_000).catch(() => {});
    for (const file of ["mcp-token.txt", "clients/claude-code.token", "relay.key", "control.key"]) {
      const secret = (await readFile(join(place.home, file), "utf8").catch(() => "no such file")).trim();
      expect(squatter.heard()).not.toContain(secret);
    }
    expect(squatter.heard()).not.toMatch(/bearer/i);
    expect(await call()).toBe(true);
    await client.close();
  },
);
