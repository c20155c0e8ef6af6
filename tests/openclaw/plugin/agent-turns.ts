import { randomUUID } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  bench,
  chat,
  lookAt,
  notesLog,
  offered,
  patiently,
  pidsOf,
  readAudit,
  readConfig,
  reloaded,
} from "../bench/plugin-bench.ts";

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ";

/** What the agent sees and what its calls do. */
export function describeAgentTurns(): void {
  describe("tools", () => {
    test("the model is offered the tools of a stdio and of an HTTP server by their names", async () => {
      await reloaded("mcp.servers");
      await expect.poll(() => lookAt(), patiently).toEqual(expect.arrayContaining(["notes__read", "web__search"]));
    });

    test("it calls them and gets the results; one process serves all chats", async () => {
      expect(await chat.say('call:notes__read {"name":"a"}')).toContain("note a");
      expect(await chat.say('call:notes__read {"name":"b"}')).toContain("note b");
      expect(await chat.say('call:web__search {"query":"x"}')).toContain("found x");
      const log = await notesLog();
      expect(log.filter((line) => line.startsWith("start"))).toHaveLength(1);
      // Nothing of the ticket reaches the server, nor what it stands for.
      expect(log.find((line) => line.startsWith("read"))).toMatch(/^read \{"name":"a"\} \{"progressToken":\d+\}$/);
    });

    test("an image reaches the model as an image", async () => {
      await chat.say("call:notes__picture {}");
      const asked = JSON.stringify(bench.model.requests.at(-1));
      expect(asked).toContain("image_url");
      expect(asked).toContain(png);
    });

    test("audio is saved, and the agent can send the file on", async () => {
      const [, path = ""] = /saved to (\S+\.mp3)/.exec(await chat.say("call:notes__sound {}")) ?? [];
      expect(await readFile(path, "utf8")).toBe("ID3 sound");
    });

    test("a tool that the server adds is callable in the next turn of the same chat", async () => {
      const session = `agent:main:${randomUUID()}`;
      await chat.say("hello", session);
      expect(offered()).not.toContain("notes__later");
      await writeFile(join(bench.folder, "later"), "");
      await expect.poll(async () => (await chat.say("hello", session), offered()), patiently).toContain("notes__later");
      expect(await chat.say("call:notes__later {}", session)).toContain("later it is");
    });

    test("a killed server comes back, and its tools work again", async () => {
      const [pid] = pidsOf(await chat.say("/mcp status notes"));
      process.kill(Number(pid), "SIGKILL");
      await expect.poll(() => chat.say('call:notes__read {"name":"again"}'), patiently).toContain("note again");
      expect(pidsOf(await chat.say("/mcp status notes"))).not.toContain(pid);
    });

    test("the servers are in the system prompt", async () => {
      await chat.say("hello");
      expect(JSON.stringify(bench.model.requests.at(-1))).toMatch(/<available-mcp-servers>.*web.*tools=.*1.*connected/);
    });
  });

  describe("approvals", () => {
    const write = (name: string) => chat.say(`call:notes__write {"name":"${name}"}`, "agent:main:approvals");

    test("a tool without a read-only hint asks; a denial keeps it from running", async () => {
      const answered = chat.answerNext("deny");
      const text = await write("denied");
      expect(await answered).toMatchObject({
        toolName: "notes__write",
        description: expect.stringContaining("denied"),
      });
      expect(text).toMatch(/denied/i);
      expect(await notesLog()).not.toContain('write {"name":"denied"}');
    });

    test("allowed once, it asks again; allowed always, it does not", async () => {
      let answered = chat.answerNext("allow-once");
      expect(await write("once")).toContain("wrote once");
      await answered;
      answered = chat.answerNext("allow-always");
      expect(await write("always")).toContain("wrote always");
      await answered;
      const before = chat.asked.length;
      expect(await write("remembered")).toContain("wrote remembered");
      expect(chat.asked).toHaveLength(before);
    });

    test("the audit names the agent and the sender", async () => {
      expect(await readAudit()).toMatch(/"door":"plugin".*"sender":"webchat:.*"agent":"main".*"tool":"notes__write"/);
    });
  });

  describe("two agents", () => {
    test("each is offered its own servers only", async () => {
      const own = await lookAt("work");
      expect(own).toContain("web__search");
      expect(own.filter((name) => name.startsWith("notes__"))).toEqual([]);
      const { agents } = await readConfig();
      expect(agents.entries.work.tools.deny).toEqual(expect.arrayContaining(["notes__*", "one__*"]));
      expect(agents.entries.main.tools).toBeUndefined();
    });
  });

  describe("a caller without a ticket", () => {
    const callAs = async (name: string, more: object = {}) => {
      const { mcp } = await readConfig();
      const { url, headers } = mcp.servers.notes;
      const response = await fetch(url, {
        method: "POST",
        headers: { ...headers, "content-type": "application/json", accept: "application/json, text/event-stream" },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: { name, arguments: { name: "stranger", ...more } },
        }),
      });
      return response.text();
    };

    test("runs what is read-only, and nothing else", async () => {
      expect(await callAs("read")).toContain("note stranger");
      expect(await callAs("write")).toContain("needs approval");
      expect(await callAs("write", { _clawport: "A".repeat(22) })).toContain("needs approval");
      expect(await notesLog()).not.toContain('write {"name":"stranger"}');
    });

    test("reaches nothing but the servers of this token", async () => {
      const { mcp } = await readConfig();
      const { url, headers } = mcp.servers.notes;
      const there = (path: string) => fetch(new URL(path, url), { headers });
      expect((await there("/mcp")).status).toBe(404);
      expect((await there("/metrics")).status).toBe(403);
    });
  });
}
