import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { type Catalog, createCatalog } from "../../catalog/catalog.ts";
import type { Policy } from "../../core/config/policy-config.ts";
import { silentLog } from "../../core/log.ts";
import { initialize, modernParams } from "../../../tests/support/mcp/messages.ts";
import { startGuard } from "../../../tests/support/start-guard.ts";
import { testSource } from "../../../tests/support/test-source.ts";
import { until } from "../../../tests/support/until.ts";
import { createDoorOffer } from "./door-offer.ts";
import { serveStdioDoor } from "./stdio-door.ts";

const hello = { jsonrpc: "2.0", id: 1, method: "initialize", params: initialize("2025-11-25") };

async function openDoor(ready: (catalog: Catalog) => Promise<unknown>, policy: Policy = {}) {
  const catalog = createCatalog();
  const { guard } = await startGuard({ policy });
  const [input, output] = [new PassThrough(), new PassThrough()];
  let said = "";
  output.setEncoding("utf8").on("data", (text: string) => (said += text));
  const info = { name: "clawport", version: "1" };
  const view = catalog.view("all");
  const offer = createDoorOffer({ view, guard, door: "mcp-stdio", info, log: silentLog, listPatienceMs: 0 });
  const served = serveStdioDoor({ offer, log: silentLog, input, output, ready: ready(catalog) });
  return {
    async ask(message: object): Promise<{ readonly result: Record<string, unknown> }> {
      const before = said.length;
      input.write(`${JSON.stringify(message)}\n`);
      await until(() => said.indexOf("\n", before) >= 0);
      return JSON.parse(said.slice(before));
    },
    async close() {
      input.end();
      await served;
    },
  };
}

test("initialize has the instructions of servers that connect at once", async () => {
  const door = await openDoor(async (catalog) => {
    await Promise.resolve();
    catalog.add(testSource({ id: "notes", instructions: () => "Keep them short." }));
  });
  expect((await door.ask(hello)).result).toMatchObject({ instructions: "## notes\n\nKeep them short." });
  await door.close();
});

test("initialize is answered even if a server never connects", async () => {
  const door = await openDoor(() => new Promise(() => {}));
  const { result } = await door.ask(hello);
  expect(result).toMatchObject({ serverInfo: { name: "clawport" } });
  expect(result).not.toHaveProperty("instructions");
  await door.close();
});

test("a policy that denies reading from a server denies subscribing to its resources, in either era", async () => {
  const uri = "notes://1";
  let watched = 0;
  const notes = testSource({
    id: "notes",
    resources: () => [{ uri, name: "one" }],
    readResource: () => Promise.resolve({ contents: [] }),
    async watchResource() {
      watched++;
      return () => {};
    },
  });
  const door = await openDoor(async (catalog) => catalog.add(notes), {
    rules: [{ source: "notes", verdict: "deny" }],
  });
  await door.ask(hello);
  const denied = { message: expect.stringContaining("resources/subscribe was denied: policy.rules[0]") };
  const subscribe = { jsonrpc: "2.0", id: 2, method: "resources/subscribe", params: { uri } };
  expect(await door.ask(subscribe)).toMatchObject({ id: 2, error: denied });
  const params = modernParams({ notifications: { resourceSubscriptions: [uri] } });
  const listen = { jsonrpc: "2.0", id: 3, method: "subscriptions/listen", params };
  expect(await door.ask(listen)).toMatchObject({ id: 3, error: denied });
  expect(watched).toBe(0);
  await door.close();
});
