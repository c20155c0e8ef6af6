import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { clawport, makePlace, type Place, startHub } from "../support/cli/run-clawport.ts";
import { runHere } from "../support/cli/test-home.ts";
import { startMcpServer, textOf } from "../support/start-mcp-server.ts";

vi.setConfig({ testTimeout: 60_000 });

/** A machine without OpenClaw and without a model. */
async function placeWithoutAgent(): Promise<Place> {
  const place = await makePlace();
  delete place.env["OPENCLAW_GATEWAY_PORT"];
  return place;
}

const toolsOf = async (place: Place): Promise<readonly string[]> => {
  const { out } = await runHere(place, ["tools", "--json"]);
  return (JSON.parse(out) as { tools: readonly { name: string }[] }).tools.map(({ name }) => name);
};

test("without an OpenClaw or a model, a hub does not offer order_openclaw, and orders work all the same", async () => {
  await using place = await placeWithoutAgent();
  await using hub = await startHub(place, "--port", "0");
  expect(hub.ready).toMatchObject({ sources: [] });
  expect(await toolsOf(place)).toEqual([]);
  expect((await runHere(place, ["status"])).out).not.toContain("agent");
  expect((await clawport(place, "agent", "/tools")).out).toBe("There are no tools yet.\n");

  await using server = await startMcpServer({
    home: place.home,
    env: { HOME: place.folder, OPENCLAW_GATEWAY_PORT: "" },
  });
  expect((await server.client.listTools()).tools).toMatchObject([{ name: "order_openclaw" }]);
  expect(textOf(await server.order({ message: "/help" }))).toContain("/call <tool> <json>");
  const { hub: status } = JSON.parse((await runHere(place, ["status", "--json"])).out) as { hub: { calls: number } };
  expect(status.calls).toBe(2);
});

test.each<[string, (place: Place) => Promise<void> | void]>([
  [
    "an OpenClaw is set up",
    async ({ folder }) => {
      await mkdir(join(folder, ".openclaw"));
      await writeFile(join(folder, ".openclaw", "openclaw.json"), '{ "gateway": { "port": 1 } }');
    },
  ],
  ["a gateway is named", ({ env }) => void (env["OPENCLAW_GATEWAY_URL"] = "ws://127.0.0.1:1")],
  ["a model is named", ({ env }) => void (env["CLAWPORT_MODEL"] = "anthropic/some-model")],
  [
    "the configuration says what takes the orders",
    async ({ home }) => {
      await mkdir(home, { mode: 0o700 });
      await writeFile(join(home, "clawport.json5"), '{ agent: { backend: "commands" } }', { mode: 0o600 });
    },
  ],
])("a hub offers order_openclaw if %s", async (_what, prepare) => {
  await using place = await placeWithoutAgent();
  await prepare(place);
  await using hub = await startHub(place, "--port", "0");
  expect(hub.ready).toMatchObject({ sources: [{ id: "agent", tools: 1 }] });
  expect(await toolsOf(place)).toEqual(["order_openclaw"]);
});

test("a token that is limited to the agent has it in any case", async () => {
  await using place = await placeWithoutAgent();
  await using hub = await startHub(place, "--port", "0");
  const { token } = JSON.parse((await clawport(place, "token", "add", "phone", "--view", "agent", "--json")).out) as {
    token: string;
  };
  const names = async (path: string, bearer: string): Promise<string> => {
    const response = await fetch(new URL(path, hub.ready.url), {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        authorization: `Bearer ${bearer}`,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }),
    });
    return response.text();
  };
  expect(await names("/mcp", token)).toContain("order_openclaw");
  const all = JSON.parse((await clawport(place, "token", "add", "laptop", "--json")).out) as { token: string };
  expect(await names("/mcp", all.token)).not.toContain("order_openclaw");
  expect(await names("/mcp?without=agent", all.token)).not.toContain("order_openclaw");
  expect(await names("/mcp?surface=full", all.token)).not.toContain("order_openclaw");
  expect(await names("/mcp/agent", all.token)).toContain("order_openclaw");
});
