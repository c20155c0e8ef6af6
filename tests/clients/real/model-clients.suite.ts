import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Place } from "../../support/cli/run-clawport.ts";
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
    expect(outcomeOf(model, output, "ECHO-one", "A-PICTURE", pixel, "ECHO-two", "SILENT-45")).toEqual(good);
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
    const last = client.losesCallOverHttp ? "ECHO-three" : "ECHO-two";
    expect(outcomeOf(model, output, "ECHO-one", "A-PICTURE", pixel, last)).toEqual(good);
  });
});

test.concurrent("codex exec refuses a tool without a read-only hint, unless its entry approves the server's tools", async () => {
  const client = modelClients.find(({ id }) => id === "codex")!;
  const model = models.open("codex-approval", [{ tool: "probe__note", args: { word: "kept" } }]);
  await using world = await openHubWorld();
  const place = await preparePlace(client, world, model.url);
  await installInto(place, client.id);
  const folder = folders.get(client.id) ?? "";
  expect(outcomeOf(model, await client.turn(folder, place), "NOTED-kept").missing).toEqual(["NOTED-kept"]);
  await appendFile(join(place.folder, ".codex", "config.toml"), 'default_tools_approval_mode = "approve"\n');
  expect(outcomeOf(model, await client.turn(folder, place), "NOTED-kept")).toEqual(good);
});

async function preparePlace(client: ModelClient, { place }: HubWorld, modelUrl: string): Promise<Place> {
  return { ...place, env: { ...place.env, ...(await client.prepare(place, modelUrl)) } };
}

interface Outcome {
  /** Texts of tools that did not come back to the model. */
  readonly missing: readonly string[];
  /** Whether the client came to the end of the turn. */
  readonly isFinished: boolean;
  /** Only if something is wrong. */
  readonly detail?: { readonly output: string; readonly offered: readonly string[] };
}

const good: Outcome = { missing: [], isFinished: true };

function outcomeOf(model: ScriptedModel, output: string, ...parts: string[]): Outcome {
  const heard = model.heard();
  const missing = parts.filter((part) => !heard.includes(part));
  const isFinished = output.includes(finished);
  const isGood = missing.length === 0 && isFinished;
  return { missing, isFinished, ...(!isGood && { detail: { output, offered: [...model.tools] } }) };
}
