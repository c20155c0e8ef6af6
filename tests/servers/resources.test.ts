import { describe, expect, test } from "vitest";
import { openWeb } from "../support/mcp/web.ts";
import { testOffer, type TestOffer } from "../support/mcp/test-offer.ts";
import type { Source } from "../../src/catalog/source.ts";
import { testContext } from "../support/test-source.ts";
import { until } from "../support/until.ts";
import { openRogueHttp } from "./fixtures/rogue-http.ts";
import { type Engine, startEngine } from "../support/start-engine.ts";

const uri = "test://one";

/** Our own server core as the server, spoken to in the given era. */
async function openPair(era: "legacy" | "modern", offer: TestOffer = testOffer()) {
  const web = await openWeb(offer);
  const engine = await startEngine({ own: { url: `http://127.0.0.1:${web.port}/`, era } });
  const source = engine.catalog.sources()[0] as Source;
  return {
    offer,
    engine,
    source,
    async [Symbol.asyncDispose]() {
      await engine[Symbol.asyncDispose]();
      await web[Symbol.asyncDispose]();
    },
  };
}

const watch = (engine: Engine, listener: () => void) =>
  (engine.catalog.sources()[0] as Source).watchResource!(uri, listener);

describe.each(["legacy", "modern"] as const)("a server of the %s era", (era) => {
  test("has its resources read, its prompts got and its completions asked for", async () => {
    await using pair = await openPair(era);
    const { source, engine } = pair;
    expect(engine.manager.status("own").era).toBe(era);
    expect(source.resources!()).toEqual([{ uri, name: "one" }]);
    expect(source.resourceTemplates!()).toEqual([{ uriTemplate: "test://{name}", name: "any" }]);
    expect(await source.readResource!(uri, testContext())).toMatchObject({ contents: [{ uri, text: "first" }] });
    await expect(source.readResource!("test://none", testContext())).rejects.toThrow(/not found/i);
    expect(source.prompts!()).toMatchObject([{ name: "greet" }]);
    const { messages } = await source.getPrompt!("greet", { who: "you" }, testContext());
    expect(messages).toMatchObject([{ content: { text: "Hello you" } }]);
    const ref = { type: "ref/prompt", name: "greet" } as const;
    expect(await source.complete!({ ref, argument: { name: "who", value: "y" } }, testContext())).toMatchObject({
      values: ["y!"],
    });
  });

  test("says when a resource changes that somebody watches, and is told when nobody does any more", async () => {
    await using pair = await openPair(era);
    const heard: string[] = [];
    const stopFirst = await watch(pair.engine, () => heard.push("first"));
    const stopSecond = await watch(pair.engine, () => heard.push("second"));
    await until(() => pair.offer.watchers(uri) === 1);
    pair.offer.update(uri);
    await until(() => heard.length === 2);
    expect(heard).toEqual(["first", "second"]);
    stopFirst();
    pair.offer.update(uri);
    await until(() => heard.length === 3);
    stopSecond();
    await until(() => pair.offer.watchers(uri) === 0);
  });

  test("asks the person and the folders through the call", async () => {
    const offer = testOffer({
      tools: {
        ask: async (_args, context) => {
          const answer = await context.ask({
            method: "elicitation/create",
            params: { message: "Who?", requestedSchema: { type: "object", properties: {} } },
          });
          return { content: [{ type: "text", text: JSON.stringify(answer) }] };
        },
        roots: async (_args, context) => ({
          content: [{ type: "text", text: JSON.stringify(await context.ask({ method: "roots/list" })) }],
        }),
      },
    });
    await using pair = await openPair(era, offer);
    const ask = () => Promise.resolve({ action: "accept", content: { name: "Ada" } });
    expect(JSON.stringify(await pair.engine.call("own__ask", {}, { ask }))).toContain("Ada");
    expect(JSON.stringify(await pair.engine.call("own__roots", {}, { ask }))).toContain("roots");
    const refused = () => Promise.reject(new Error("nobody is here"));
    // An older server gets the error. A modern one has no error among its answers, so its question is cancelled.
    const outcome = await pair.engine.call("own__ask", {}, { ask: refused }).then(JSON.stringify, String);
    expect(outcome).toContain(era === "legacy" ? "nobody is here" : "cancel");
  });
});

test("what is watched is watched again in a new session", async () => {
  await using rogue = await openRogueHttp();
  rogue.always("resources/subscribe", ({ answer }) => answer({}));
  await using engine = await startEngine({ rogue: { url: rogue.url } });
  await watch(engine, () => {});
  rogue.forgetSessions();
  await engine.call("rogue__write");
  await until(() => rogue.count("resources/subscribe") === 2);
  expect(rogue.seen.findLast(({ what }) => what === "resources/subscribe")?.headers["mcp-session-id"]).toBe(
    "session-2",
  );
});

test("a watch that a modern server refuses is not kept, and its stream before stays open until the next", async () => {
  await using rogue = await openRogueHttp("modern");
  const closed: string[] = [];
  rogue.once("subscriptions/listen", ({ message, stream, response }) => {
    const acknowledged = "notifications/subscriptions/acknowledged";
    const _meta = { "io.modelcontextprotocol/subscriptionId": message.id };
    stream()({ jsonrpc: "2.0", method: acknowledged, params: { notifications: {}, _meta } });
    response.on("close", () => closed.push("first"));
  });
  rogue.once("subscriptions/listen", ({ fail }) => {
    expect(closed).toEqual([]);
    fail(-32601, "No subscriptions", 404);
  });
  await using engine = await startEngine({ rogue: { url: rogue.url } });
  await until(() => rogue.count("subscriptions/listen") === 1);
  await expect(watch(engine, () => {})).rejects.toThrow("No subscriptions");
  await until(() => closed.length === 1);
});

test("a watch that the server refuses is not kept", async () => {
  await using rogue = await openRogueHttp();
  await using engine = await startEngine({ rogue: { url: rogue.url } });
  await expect(watch(engine, () => {})).rejects.toThrow("Method not found");
  rogue.always("resources/subscribe", ({ answer }) => answer({}));
  await watch(engine, () => {});
  expect(rogue.count("resources/subscribe")).toBe(2);
});

test("who comes to a watch that is being set up is told what becomes of it", async () => {
  await using rogue = await openRogueHttp();
  await using engine = await startEngine({ rogue: { url: rogue.url } });
  const { promise: isDecided, resolve: decide } = Promise.withResolvers<void>();
  rogue.once("resources/subscribe", async ({ fail }) => (await isDecided, fail(-32602, "No such resource")));
  const outcomes = Promise.allSettled([watch(engine, () => {}), watch(engine, () => {})]);
  await until(() => rogue.count("resources/subscribe") === 1);
  decide();
  expect(await outcomes).toMatchObject([{ status: "rejected" }, { status: "rejected" }]);
  rogue.always("resources/subscribe", ({ answer }) => answer({}));
  await Promise.all([watch(engine, () => {}), watch(engine, () => {})]);
  expect(rogue.count("resources/subscribe")).toBe(2);
});

test("a stream of notices that a modern server ends is opened again", async () => {
  await using rogue = await openRogueHttp("modern");
  rogue.once("subscriptions/listen", ({ answer }) => answer({}));
  rogue.always("subscriptions/listen", ({ stream }) => void stream());
  await using engine = await startEngine({ rogue: { url: rogue.url } });
  await until(() => rogue.count("subscriptions/listen") === 2);
  expect(engine.manager.status("rogue").state).toBe("ready");
});
