import { describe, expect, test } from "vitest";
import type { ClientLogLine } from "../../src/mcp/messages/interim-messages.ts";
import { until } from "../support/until.ts";
import { type Exchange, openRogueHttp } from "./fixtures/rogue-http.ts";
import { openJournal } from "./open-journal.ts";
import { startEngine } from "../support/start-engine.ts";

const said = (level: string, data: string) => ({
  jsonrpc: "2.0",
  method: "notifications/message",
  params: { level, logger: "rogue", data },
});
const ran = { content: [{ type: "text", text: "ran" }] };

/** Answers a call on a stream, with log lines before the answer. */
function logging(...lines: object[]) {
  return ({ message, response, stream }: Exchange): void => {
    const write = stream();
    for (const line of lines) write(line);
    write({ jsonrpc: "2.0", id: message.id, result: { resultType: "complete", ...ran } });
    response.end();
  };
}

describe("what a server logs during a call", () => {
  test("reaches the caller, as the server said it", async () => {
    await using rogue = await openRogueHttp();
    rogue.always("tools/call", logging(said("warning", "nearly full"), said("nonsense", "no such level")));
    await using engine = await startEngine({ rogue: { url: rogue.url } });
    const lines: ClientLogLine[] = [];
    await engine.call("rogue__write", {}, { tell: (line) => void lines.push(line) });
    expect(lines).toEqual([
      { level: "warning", logger: "rogue", data: "nearly full" },
      { level: "info", logger: "rogue", data: "no such level" },
    ]);
  });

  test("is asked of a modern server with each call, at the level its caller wants, or not at all", async () => {
    await using rogue = await openRogueHttp("modern");
    await using engine = await startEngine({ rogue: { url: rogue.url } });
    await engine.call("rogue__write", {}, { logLevel: "notice" });
    await engine.call("rogue__write");
    const levels = rogue.seen
      .filter(({ what }) => what === "tools/call")
      .map(({ message }) => message.params._meta["io.modelcontextprotocol/logLevel"]);
    expect(levels).toEqual(["notice", undefined]);
  });

  test("over stdio goes to the only call there is, and to nobody where two could be meant", async () => {
    await using journal = await openJournal();
    await using engine = await startEngine({ rogue: journal.server() });
    const lines: unknown[] = [];
    const tell = ({ data }: ClientLogLine) => void lines.push(data);
    await engine.call("rogue__write", { do: "log", text: "alone" }, { tell });
    expect(lines).toEqual(["alone"]);

    const stop = new AbortController();
    const other = engine.call("rogue__write", { do: "hang" }, { tell, signal: stop.signal });
    await until(() => journal.count("run write") === 2);
    await engine.call("rogue__write", { do: "log", text: "whose?" }, { tell });
    expect(lines).toEqual(["alone"]);
    stop.abort();
    await expect(other).rejects.toMatchObject({ code: "cancelled" });
  });

  test("fills the log of the hub only up to a limit; the caller gets all of it", async () => {
    await using journal = await openJournal();
    await using engine = await startEngine({ rogue: journal.server() });
    let told = 0;
    await engine.call("rogue__write", { do: "flood", lines: 10_000 }, { tell: () => void told++ });
    expect(told).toBe(10_000);
    const written = engine.lines.filter(({ message }) => message === "the server says");
    expect(written.length).toBeGreaterThan(50);
    expect(JSON.stringify(written).length).toBeLessThan(400_000);
  });

  test("is sent in full by a legacy server once a caller wants all of it, and again after a reconnection", async () => {
    await using rogue = await openRogueHttp();
    rogue.always("initialize", ({ answer }) =>
      answer({
        protocolVersion: "2025-11-25",
        capabilities: { tools: {}, logging: {} },
        serverInfo: { name: "rogue", version: "1" },
      }),
    );
    rogue.always("logging/setLevel", ({ answer }) => answer({}));
    await using engine = await startEngine({ rogue: { url: rogue.url } });
    await engine.call("rogue__write", {}, { logLevel: "info" });
    expect(rogue.count("logging/setLevel")).toBe(0);
    await engine.call("rogue__write", {}, { logLevel: "debug" });
    await engine.call("rogue__write", {}, { logLevel: "debug" });
    await until(() => rogue.count("logging/setLevel") === 1);
    rogue.forgetSessions();
    await engine.call("rogue__write");
    await until(() => rogue.count("logging/setLevel") === 2);
    const asked = rogue.seen.filter(({ what }) => what === "logging/setLevel");
    expect(asked.map(({ message }) => message.params.level)).toEqual(["debug", "debug"]);
  });
});
