import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type HubWorld, openHubWorld, pasteInto } from "./hub-world.ts";
import { modelClients } from "./model-clients.ts";
import { finished, type ModelServer, startModelServer, type Step } from "./scripted-model.ts";

let models: ModelServer;
beforeAll(async () => {
  models = await startModelServer();
});
afterAll(() => models[Symbol.asyncDispose]());

/** From about half a minute on, a silent call has a stream that the client can come back to. */
const killAfterMs = 35_000;

const withSessions = modelClients.filter(({ id }) => id === "codex" || id === "gemini" || id === "opencode");

describe.concurrent.each(withSessions)("$id", (client) => {
  test("learns that the outcome of a call is unknown if the hub is killed during it, and goes on", async () => {
    const steps: readonly Step[] = [
      { tool: "probe__echo", args: { word: "one" } },
      {
        tool: "probe__silent",
        args: { seconds: 600 },
        before: async () => void setTimeout(() => void world.restart(), killAfterMs),
      },
      { tool: "probe__echo", args: { word: "two" } },
    ];
    const model = models.open(`${client.id}-lost`, steps);
    const folder = await client.install();
    await using world: HubWorld = await openHubWorld();
    const env = { ...world.place.env, ...(await client.prepare(world.place, model.url)) };
    const variables = await pasteInto(world, env, client.id);
    const output = await client.turn(folder, { ...world.place, env: { ...env, ...variables } });
    expect(output).toContain(finished);
    expect(model.heard()).toContain("may or may not have completed");
    expect(model.heard()).toContain("ECHO-two");
  });
});
