import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Place } from "../../cli/run-clawport.ts";
import { type HubWorld, installInto, openHubWorld, pasteInto } from "./hub-world.ts";
import { type ModelClient, modelClients } from "./model-clients.ts";
import { pixel } from "./probe-server.ts";
import { finished, type ModelServer, type ScriptedModel, startModelServer, type Step } from "./scripted-model.ts";

let models: ModelServer;
const folders = new Map<string, string>();

beforeAll(async () => {
  models = await startModelServer();
  for (const client of modelClients) folders.set(client.id, await client.install());
});

afterAll(() => models[Symbol.asyncDispose]());

const first: readonly Step[] = [
  { tool: "probe__echo", args: { word: "one" } },
  { tool: "probe__picture", args: {} },
];
const silent: Step = { tool: "probe__silent", args: { seconds: 45 } };

describe.concurrent.each(modelClients)("$id", (client) => {
  test("installed by `clawport install`: list, call, image, a restart of the hub between two calls, a silent call", async () => {
    const again: Step = { tool: "probe__echo", args: { word: "two" }, before: () => world.restart() };
    const model = models.open(`${client.id}-installed`, [...first, again, silent]);
    await using world = await openHubWorld();
    const place = await preparePlace(client, world, model.url);
    await installInto(place, client.id);
    const output = await client.turn(folders.get(client.id) ?? "", place);
    expectHeard(model, output, "ECHO-one", "A-PICTURE", pixel, "ECHO-two", "SILENT-45");
  });

  test("with the printed entry for HTTP: list, call, image, a restart of the hub between two calls", async () => {
    const again: Step = { tool: "probe__echo", args: { word: "two" }, before: () => world.restart() };
    const once: Step = { tool: "probe__echo", args: { word: "three" } };
    const model = models.open(
      `${client.id}-http`,
      client.losesCallOverHttp ? [...first, again, once] : [...first, again],
    );
    await using world = await openHubWorld();
    const { env, ...place } = await preparePlace(client, world, model.url);
    const variables = await pasteInto(world, env, client.id);
    const output = await client.turn(folders.get(client.id) ?? "", { ...place, env: { ...env, ...variables } });
    expectHeard(model, output, "ECHO-one", "A-PICTURE", pixel, client.losesCallOverHttp ? "ECHO-three" : "ECHO-two");
  });
});

async function preparePlace(client: ModelClient, { place }: HubWorld, modelUrl: string): Promise<Place> {
  return { ...place, env: { ...place.env, ...(await client.prepare(place, modelUrl)) } };
}

/** The model got these texts back from the tools, and the client came to the end of the turn. */
function expectHeard(model: ScriptedModel, output: string, ...parts: string[]): void {
  const detail = `${output}\nIt offered: ${[...model.tools].join(" ")}`;
  expect(output, detail).toContain(finished);
  for (const part of parts) expect(model.heard(), detail).toContain(part);
}
