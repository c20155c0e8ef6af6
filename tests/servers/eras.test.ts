import { describe, expect, test } from "vitest";
import { openRogueHttp } from "./fixtures/rogue-http.ts";
import { openRogueSse } from "./fixtures/rogue-sse.ts";
import { openJournal } from "./open-journal.ts";
import { startEngine } from "../support/start-engine.ts";

const refused = {
  state: expect.stringContaining("connecting"),
  lastError: expect.stringMatching(/does not support MCP 2026-07-28.*era: "modern".*era: "auto"/),
};

describe("a server that has to be modern by the configuration", () => {
  test("and is not is never asked to initialize, over HTTP", async () => {
    await using rogue = await openRogueHttp();
    await using engine = await startEngine({ rogue: { url: rogue.url, era: "modern" } });
    expect(engine.manager.status("rogue")).toMatchObject(refused);
    expect(rogue.count("initialize")).toBe(0);
    expect(rogue.count("GET")).toBe(0);
  });

  test("and is not is never asked to initialize, over stdio", async () => {
    await using journal = await openJournal();
    await using engine = await startEngine({ rogue: { ...journal.server(), era: "modern" } });
    expect(engine.manager.status("rogue")).toMatchObject(refused);
  });

  test("and speaks HTTP+SSE is refused", async () => {
    await using rogue = await openRogueSse({ postStatus: 405 });
    await using engine = await startEngine({ rogue: { url: rogue.url, era: "modern" } });
    expect(engine.manager.status("rogue")).toMatchObject(refused);
  });

  test("and is so works", async () => {
    await using rogue = await openRogueHttp("modern");
    await using engine = await startEngine({ rogue: { url: rogue.url, era: "modern" } });
    expect(engine.manager.status("rogue")).toMatchObject({ state: "ready", era: "modern" });
  });
});

describe("an older server that breaks off over what it does not know", () => {
  test("is started again and asked to initialize, over stdio, and only once", async () => {
    await using journal = await openJournal();
    await using engine = await startEngine({ rogue: journal.server("dies-of-discover") });
    expect(engine.manager.status("rogue")).toMatchObject({ state: "ready", era: "legacy", tools: 3 });
    expect(journal.pids()).toHaveLength(2);
    await expect(engine.call("rogue__write", { do: "die" })).rejects.toMatchObject({ code: "outcome-unknown" });
    await engine.call("rogue__write");
    expect(journal.pids()).toHaveLength(3);
  });

  test("is asked to initialize, over HTTP", async () => {
    await using rogue = await openRogueHttp();
    rogue.always("server/discover", ({ request }) => void request.socket.destroy());
    await using engine = await startEngine({ rogue: { url: rogue.url } });
    expect(engine.manager.status("rogue")).toMatchObject({ state: "ready", era: "legacy", tools: 3 });
  });
});

test("a server that has to be legacy is not asked for anything else", async () => {
  await using rogue = await openRogueHttp();
  await using engine = await startEngine({ rogue: { url: rogue.url, era: "legacy" } });
  expect(engine.manager.status("rogue")).toMatchObject({ state: "ready", era: "legacy" });
  expect(rogue.count("server/discover")).toBe(0);
});

describe("the result of a modern server", () => {
  test("is passed on without what was meant for us alone", async () => {
    await using rogue = await openRogueHttp("modern");
    rogue.always("tools/call", ({ answer }) =>
      answer({
        content: [],
        _meta: { "io.modelcontextprotocol/serverInfo": { name: "rogue", version: "1" }, "example.com/cost": 3 },
      }),
    );
    await using engine = await startEngine({ rogue: { url: rogue.url } });
    expect(await engine.call("rogue__write")).toEqual({ content: [], _meta: { "example.com/cost": 3 } });
  });

  test("of a kind nobody asked for leaves the outcome unknown", async () => {
    await using rogue = await openRogueHttp("modern");
    rogue.always("tools/call", ({ answer }) => answer({ resultType: "riddle", riddleId: "7" }));
    await using engine = await startEngine({ rogue: { url: rogue.url } });
    await expect(engine.call("rogue__write")).rejects.toMatchObject({
      code: "outcome-unknown",
      message: expect.stringContaining('"riddle"'),
    });
  });
});
