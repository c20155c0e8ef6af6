import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { textOf } from "../support/start-guard.ts";
import { until } from "../support/until.ts";
import { openRogueHttp, type RogueHttp } from "./fixtures/rogue-http.ts";
import { startEngine } from "../support/start-engine.ts";

const tool = (name: string, more: object = {}) => ({ name, inputSchema: { type: "object" }, ...more });

/** Sends notices on the stream the server has for them in its era. */
function openNotices(rogue: RogueHttp, era: "legacy" | "modern"): (method: string) => void {
  const writers = new Set<(message: object) => void>();
  rogue.always(era === "legacy" ? "GET" : "subscriptions/listen", ({ stream, message, response }) => {
    const write = stream();
    const meta = { "io.modelcontextprotocol/subscriptionId": message.id };
    const send = (notice: object) => write({ ...notice, params: era === "legacy" ? {} : { _meta: meta } });
    if (era === "modern") send({ jsonrpc: "2.0", method: "notifications/subscriptions/acknowledged" });
    writers.add(send);
    response.on("close", () => writers.delete(send));
  });
  return (method) => {
    for (const write of writers) write({ jsonrpc: "2.0", method });
  };
}

describe.each(["legacy", "modern"] as const)("the lists of a server of the %s era", (era) => {
  test("are read to the last page, 5,000 tools long", async () => {
    await using rogue = await openRogueHttp(era);
    const all = Array.from({ length: 5000 }, (_, index) => tool(`tool_${index}`, { description: "x".repeat(200) }));
    rogue.always("tools/list", ({ message, answer }) => {
      const start = Number(message.params?.cursor ?? 0);
      const end = start + 100;
      answer({ tools: all.slice(start, end), ...(end < all.length ? { nextCursor: String(end) } : {}) });
    });
    await using engine = await startEngine({ rogue: { url: rogue.url } });
    expect(engine.manager.status("rogue").tools).toBe(5000);
    expect(engine.toolNames()).toHaveLength(5000);
    expect(rogue.count("tools/list")).toBe(50);
    expect(textOf(await engine.call("rogue__tool_4999"))).toBe("tool_4999 ran");
  });

  test("whose last page names itself as the next are read once", async () => {
    await using rogue = await openRogueHttp(era);
    rogue.always("tools/list", ({ message, answer }) =>
      answer({ tools: [tool(message.params?.cursor === undefined ? "first" : "last")], nextCursor: "last" }),
    );
    await using engine = await startEngine({ rogue: { url: rogue.url } });
    expect(engine.toolNames()).toEqual(["rogue__first", "rogue__last"]);
  });

  test("without an end are given up, and the server is not lost for it", async () => {
    await using rogue = await openRogueHttp(era);
    let page = 0;
    rogue.always("tools/list", ({ answer }) => answer({ tools: [tool("again")], nextCursor: `page ${++page}` }));
    await using engine = await startEngine({ rogue: { url: rogue.url } });
    expect(engine.lines.some(({ fields }) => String(fields.error).includes("tools/list did not end after"))).toBe(true);
    rogue.always("tools/list", rogue.behave);
    await engine.manager.refresh("rogue");
    expect(textOf(await engine.call("rogue__write"))).toBe("write ran");
  });

  test("that change every 50 ms are followed without being asked for as often", async () => {
    await using rogue = await openRogueHttp(era);
    const notify = openNotices(rogue, era);
    await using engine = await startEngine({ rogue: { url: rogue.url } });
    let changes = 0;
    engine.catalog.onChange(() => changes++);
    const before = rogue.count("tools/list");
    const started = Date.now();
    for (let version = 1; version <= 40; version++) {
      rogue.tools = [tool("steady"), tool(`version_${version}`)];
      notify("notifications/tools/list_changed");
      await sleep(50);
      if (version % 10 === 0) await engine.call("rogue__steady");
    }
    expect(rogue.runs.get("steady")).toBe(4);
    await until(() => engine.toolNames().includes("rogue__version_40"));
    expect(engine.toolNames()).toEqual(["rogue__steady", "rogue__version_40"]);
    expect(changes).toBeGreaterThan(1);
    // Four times a second, however long all of this took.
    expect(rogue.count("tools/list") - before).toBeLessThanOrEqual((Date.now() - started) / 250 + 2);
  });

  test("lose a tool that the server no longer knows, and say so", async () => {
    await using rogue = await openRogueHttp(era);
    await using engine = await startEngine({ rogue: { url: rogue.url } });
    let isTold = false;
    engine.catalog.onChange(({ tools }) => (isTold ||= tools));
    rogue.tools = rogue.tools.filter(({ name }) => name !== "write");
    rogue.once("tools/call", ({ fail }) => fail(-32602, "Unknown tool: write", era === "modern" ? 400 : 200));
    await expect(engine.call("rogue__write")).rejects.toMatchObject({ message: "Unknown tool: write" });
    await until(() => isTold);
    expect(engine.toolNames()).toEqual(["rogue__read", "rogue__put"]);
  });

  test("hold what is right in them, and what is refused or wrong is left out", async () => {
    await using rogue = await openRogueHttp(era);
    const capabilities = { tools: {}, resources: {}, prompts: {} };
    rogue.once("server/discover", (exchange) =>
      era === "modern" ? exchange.answer({ supportedVersions: ["2026-07-28"], capabilities }) : rogue.behave(exchange),
    );
    rogue.once("initialize", ({ answer }) =>
      answer({ protocolVersion: "2025-06-18", capabilities, serverInfo: { name: "r", version: "1" } }),
    );
    rogue.always("tools/list", ({ answer }) => answer({ tools: [tool("good"), { name: "bad" }, null, 5, tool("")] }));
    rogue.always("resources/list", ({ answer }) =>
      answer({ resources: [{ uri: "a:b", name: "b" }, { name: "no uri" }] }),
    );
    await using engine = await startEngine({ rogue: { url: rogue.url } });
    expect(engine.toolNames()).toContain("rogue__good");
    expect(engine.toolNames()).not.toContain("rogue__bad");
    expect(engine.manager.status("rogue")).toMatchObject({ state: "ready", resources: 1, prompts: 0 });
  });

  test("are looked at every so often even if the server says nothing", async () => {
    await using rogue = await openRogueHttp(era);
    await using engine = await startEngine({ rogue: { url: rogue.url } }, { discoveryMs: 100 });
    rogue.tools = [tool("fresh")];
    await until(() => engine.toolNames().includes("rogue__fresh"));
    expect(engine.toolNames()).toEqual(["rogue__fresh"]);
  });

  test("show what the configuration wants of them", async () => {
    await using rogue = await openRogueHttp(era);
    const tools = { exclude: ["put"], rename: { write: "store" }, describe: { read: "Reads." } };
    await using engine = await startEngine({ rogue: { url: rogue.url, toolPrefix: "r", tools } });
    expect(engine.catalog.tools().map(({ definition: { name, description } }) => [name, description])).toEqual([
      ["r__store", undefined],
      ["r__read", "Reads."],
    ]);
    expect(textOf(await engine.call("r__store"))).toBe("write ran");
  });
});

describe("arguments that travel as headers", () => {
  const marked = (mark: string) =>
    tool("query", {
      inputSchema: { type: "object", properties: { region: { type: "string", "x-mcp-header": mark } } },
    });

  test("are sent also on the call that brings the connection back", async () => {
    await using rogue = await openRogueHttp("modern");
    rogue.tools = [marked("Region")];
    await using engine = await startEngine({ rogue: { url: rogue.url } });
    await rogue.stop();
    await rogue.start();
    await engine.call("rogue__query", { region: "eu west" });
    expect(rogue.seen.at(-1)?.headers["mcp-param-region"]).toBe("eu west");
  });

  test("are not sent to servers of the older era", async () => {
    await using rogue = await openRogueHttp("legacy");
    rogue.tools = [marked("Region")];
    await using engine = await startEngine({ rogue: { url: rogue.url } });
    await engine.call("rogue__query", { region: "eu" });
    expect(rogue.seen.at(-1)?.headers["mcp-param-region"]).toBeUndefined();
  });

  test("that a newer schema wants are sent after the server has refused the call without them", async () => {
    await using rogue = await openRogueHttp("modern");
    rogue.tools = [marked("Old")];
    await using engine = await startEngine({ rogue: { url: rogue.url } });
    rogue.tools = [marked("New")];
    rogue.once("tools/call", ({ fail }) => fail(-32020, "Header mismatch", 400));
    expect(textOf(await engine.call("rogue__query", { region: "eu" }))).toBe("query ran");
    expect(rogue.seen.at(-1)?.headers["mcp-param-new"]).toBe("eu");
    expect(rogue.runs.get("query")).toBe(1);
  });

  test("with a mark that is no header make the tool go, and no other", async () => {
    await using rogue = await openRogueHttp("modern");
    rogue.tools = [marked("not a header"), tool("plain")];
    await using engine = await startEngine({ rogue: { url: rogue.url } });
    expect(engine.toolNames()).toEqual(["rogue__plain"]);
    expect(engine.lines.some(({ message }) => message.includes("is left out"))).toBe(true);
  });
});

test("a tool that the server denies with a plain result goes too, once its list is no longer fresh", async () => {
  await using rogue = await openRogueHttp();
  let later = 0;
  await using engine = await startEngine({ rogue: { url: rogue.url } }, { now: () => Date.now() + later });
  const gone = { content: [{ type: "text", text: "Tool write not found" }], isError: true };
  rogue.always("tools/call", ({ answer }) => answer(gone));
  rogue.tools = rogue.tools.filter(({ name }) => name !== "write");
  await engine.call("rogue__write");
  await engine.call("rogue__write");
  expect(rogue.count("tools/list")).toBe(1);
  later = 60_000;
  await engine.call("rogue__write");
  await until(() => !engine.toolNames().includes("rogue__write"));
  await engine.call("rogue__read");
  expect(rogue.count("tools/list")).toBe(2);
});

test("what a server says about its use is offered, as it said it last", async () => {
  await using rogue = await openRogueHttp();
  let instructions = "Ask first.";
  rogue.always("initialize", ({ answer }) =>
    answer({
      protocolVersion: "2025-11-25",
      capabilities: { tools: {} },
      serverInfo: { name: "rogue", version: "1" },
      instructions,
    }),
  );
  await using engine = await startEngine({ rogue: { url: rogue.url } });
  expect(engine.catalog.view("all").instructions()).toBe("## rogue\n\nAsk first.");
  instructions = "Ask twice.";
  rogue.forgetSessions();
  await engine.call("rogue__write");
  expect(engine.catalog.view({ source: "rogue" }).instructions()).toBe("Ask twice.");
});
