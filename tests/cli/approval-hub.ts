import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Asker } from "../../src/catalog/guard/askers.ts";
import type { ConfigLocation } from "../../src/core/config/find-config.ts";
import { openHome } from "../../src/core/files/home.ts";
import { createLiveLog } from "../../src/core/log.ts";
import { readConfigAt } from "../../src/hub/state/active-config.ts";
import { openHub } from "../support/open-hub.ts";
import type { ToolResult } from "../../src/mcp/messages/tool.ts";
import { testSource } from "../support/test-source.ts";
import { until } from "../support/until.ts";
import { listTools } from "../support/cli/run-clawport.ts";
import { type ConfiguredPlace, placeWith, runHere } from "../support/cli/test-home.ts";
import { openTerminal } from "../support/cli/terminal.ts";

interface ApprovalHubSetup {
  readonly policy?: object;
  /** The other sections of its configuration. */
  readonly more?: object;
  /** Where its configuration is. */
  readonly location?: ConfigLocation;
  readonly askers?: readonly Asker[];
}

/** A hub in this process whose tools `files__write_file` and `files__delete` need approval. It has no terminal unless given one. */
export async function startApprovalHub(setup: ApprovalHubSetup = {}) {
  const { policy, more = {}, location = "state-folder", askers = [] } = setup;
  const place: ConfiguredPlace = await placeWith({});
  const home = await openHome(place.home);
  const path = join(location === "state-folder" ? place.home : place.folder, "clawport.json5");
  await writeFile(
    path,
    JSON.stringify({ policy: { rules: [{ tool: "files__*", verdict: "ask" }], ...policy }, ...more }),
  );
  const configuration = await readConfigAt({ path, location }, home, {});
  const source = testSource({ id: "files", prefix: "files", tools: ["write_file", "delete"] });
  const logged: string[] = [];
  const hub = await openHub({
    home,
    configuration,
    env: {},
    log: createLiveLog({ level: "info", format: "human", write: (line) => logged.push(line) }),
    version: "1.2.3",
    port: 0,
    sources: [source],
    askers,
  });
  return {
    place,
    source,
    logged,
    url: hub.url,
    mainToken: async () => (await readFile(hub.tokenPath, "utf8")).trim(),
    /** Adds a token for a caller and returns a way to call tools with it. */
    async caller(name: string) {
      const token = (await runHere(place, ["token", "add", name])).out.trim();
      await until(async () => (await listTools(hub.url, token)) === 200);
      return (path: string, tool = "files__write_file") => callTool(hub.url, token, tool, { path });
    },
    run: (...argv: string[]) => runHere(place, argv),
    /** Runs a command at a terminal whose user gives these answers. */
    async atTerminal(argv: readonly string[], ...answers: string[]) {
      const terminal = openTerminal(...answers);
      const answer = await runHere(place, argv, terminal.world);
      return { ...answer, err: terminal.shown() };
    },
    async [Symbol.asyncDispose]() {
      await hub.close();
      await place[Symbol.asyncDispose]();
    },
  };
}

async function callTool(url: string, token: string, name: string, args: object): Promise<ToolResult> {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${token}`,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }),
  });
  const text = await response.text();
  const json = text.startsWith("{") ? text : (/^data: (\{.*"result".*)$/m.exec(text)?.[1] ?? "{}");
  return (JSON.parse(json) as { result: ToolResult }).result;
}
