import { afterAll, beforeAll, expect, test } from "vitest";
import { type HubWorld, openHubWorld, pasteInto } from "./hub-world.ts";
import { modelClients } from "./model-clients.ts";
import { finished, type ModelServer, startModelServer, type Step } from "./scripted-model.ts";

let models: ModelServer;
beforeAll(async () => {
  models = await startModelServer();
});
afterAll(() => models[Symbol.asyncDispose]());
const chosen = modelClients.filter(({ id }) => ["codex", "gemini"].includes(id));
test.concurrent.each(chosen.flatMap((client) => [35_000].map((ms) => ({ client, ms, id: client.id }))))(
  "$id killed after $ms",
  async ({ client, ms }) => {
    const folder = await client.install();
    const steps: Step[] = [
      { tool: "probe__echo", args: { word: "one" } },
      {
        tool: "probe__silent",
        args: { seconds: 600 },
        before: async () => void setTimeout(() => void world.restart(), ms),
      },
      { tool: "probe__echo", args: { word: "two" } },
    ];
    const model = models.open(`${client.id}-inflight-${ms}`, steps);
    await using world: HubWorld = await openHubWorld();
    const place = { ...world.place, env: { ...world.place.env, ...(await client.prepare(world.place, model.url)) } };
    const variables = await pasteInto(world, place.env, client.id);
    const begun = Date.now();
    const output = await client.turn(folder, { ...place, env: { ...place.env, ...variables } });
    console.log(
      client.id,
      ms,
      "took",
      Date.now() - begun,
      output.includes(finished),
      model.heard().includes("ECHO-two"),
      model.heard().includes("may or may not have completed"),
    );
    console.log(client.id, "HEARD", model.heard().slice(-2500));
  if (!output.includes(finished)) console.log(client.id, output.slice(-1500));
    expect(output).toContain(finished);
  },
);
